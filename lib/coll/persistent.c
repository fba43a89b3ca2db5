/* Persistent collectives: a schedule is made once, and the NIC executes it at each start. */
#include <stdlib.h>

#include "coll/coll.h"
#include "core/err.h"
#include "fw/schedule.h"

struct persistent {
    struct mpi_persistent p;
    struct persistent *next, **at;  /* among those that live; at: what points to it there */
    struct fw_sched *s;
    struct mpi_staging *staging;    /* or NULL */
};

static struct persistent *living;   /* owner: baton */

static int start(const char *call, struct mpi_persistent *p)
{
    struct persistent *k = (struct persistent *)p;
    nic_enter(mpi_nic);
    nic_work(mpi_nic, NIC_WORK_COLLECTIVE);
    struct fw_req *r = mpi_fw_req_new(mpi_fw);
    if (likely(r != NULL)) {
        mpi_req_begin(r, FW_COLL, p->comm);
        r->host.empty = true;
        p->active = r;
        mpi_staging_start(k->staging);
        mpi_fw_sched_restart(mpi_fw, k->s, r);
    }
    nic_leave(mpi_nic);
    return r ? MPI_SUCCESS : mpi_err(p->comm, call, MPI_ERR_NO_MEM, "no memory for the request");
}

/* It is not under way: an active one is not freed (mpi/cancel.c). */
static void end(struct mpi_persistent *p)
{
    struct persistent *k = (struct persistent *)p;
    *k->at = k->next;
    if (k->next)
        k->next->at = k->at;
    mpi_staging_last(k->staging);
    if (!k->s->read_on)             /* else a send still reads it */
        mpi_staging_end(k->staging, false);
    mpi_fw_sched_delete(mpi_fw, k->s);
    free(k);
}

static const struct mpi_persistent_class class = { .start = start, .end = end };

/* -- numbers: counted, and so the same at all ranks.  After a whole turn some ranks may still have
 * requests with the one that comes next, or the one behind it: then they agree on one. */

static bool is_taken(const struct mpi_comm *all, uint32_t number)
{
    for (const struct persistent *k = living; k; k = k->next)
        if (mpi_comm_whole(k->p.comm) == all
            && !((k->s->match ^ number) & MPI_FINGERPRINT_NUMBER))
            return true;
    return false;
}

static int agree_on_number(const struct mpi_coll_plan *p, struct mpi_comm *all)
{
    const struct mpi_reduction highest = {
        .op = mpi_op_get(MPI_MAX), .type = MPI_INT64_T, .unit = sizeof(int64_t), .count = 2,
        .commutative = true, .loop = mpi_op_loop_get(MPI_MAX, MPI_ELEM_I64),
    };
    struct mpi_coll x;
    mpi_coll_begin(&x, p->call, all);
    int64_t bounds[2] = { all->persistent_seq, 0 };     /* the highest, and minus the lowest */
    do {
        while (is_taken(all, (uint32_t)bounds[0]))
            bounds[0]++;
        bounds[1] = -bounds[0];
        mpi_coll_allreduce(&x, bounds, &highest);
    } while (!x.class && bounds[0] != -bounds[1]);
    all->persistent_seq = (uint32_t)bounds[0];
    return mpi_coll_end(&x);
}

static uint64_t match_of(const struct mpi_coll_plan *p)
{
    struct mpi_comm *all = mpi_comm_whole(p->c);
    uint32_t number = all->persistent_seq++ & MPI_FINGERPRINT_NUMBER;
    return fw_match_bits(all->context | 1, 0, MPI_FINGERPRINT_PERSISTENT | number)
           | mpi_fingerprint(p->kind, p->bytes, p->root);
}

/* -- the call */

/* Not by stores: their order is that of the calls, and starts have none. */
static bool make(struct persistent *k, const struct mpi_coll_plan *p)
{
    k->s = mpi_coll_schedule(p, match_of(p), MPI_COLL_BY_MESSAGES);
    if (!k->s)
        return false;
    k->staging = p->staging;
    k->s->kept = true;
    k->s->ended = mpi_staging_end;
    k->s->ended_context = p->staging;
    if (!mpi_persistent_begin(&k->p, &class, p->c)) {
        mpi_fw_sched_delete(mpi_fw, k->s);
        return false;
    }
    k->next = living;
    k->at = &living;
    if (living)
        living->at = &k->next;
    living = k;
    return true;
}

int mpi_coll_keep(const struct mpi_coll_plan *p)
{
    struct mpi_comm *all = mpi_comm_whole(p->c);
    int rc = all->persistent_seq > MPI_FINGERPRINT_NUMBER ? agree_on_number(p, all) : MPI_SUCCESS;
    struct persistent *k = rc ? NULL : calloc(1, sizeof *k);
    nic_enter(mpi_nic);
    bool made = k && make(k, p);
    nic_leave(mpi_nic);
    if (made) {
        *p->request = k->p.handle;
        return MPI_SUCCESS;
    }
    free(k);
    mpi_coll_forget(p);
    return rc ? rc : mpi_err(p->c, p->call, MPI_ERR_NO_MEM, "no memory for the request");
}
