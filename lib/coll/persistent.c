/* Persistent collectives: a schedule is made once, and the NIC executes it at each start. */
#include <stdlib.h>

#include "coll/coll.h"
#include "core/err.h"
#include "fw/schedule.h"

struct persistent {
    struct mpi_persistent p;
    struct fw_sched *s;
    struct mpi_staging *staging;    /* or NULL */
};

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

/* A schedule under way ends by itself, and its staging with it. */
static void end(struct mpi_persistent *p)
{
    struct persistent *k = (struct persistent *)p;
    mpi_staging_last(k->staging);
    if (p->active && p->active->sched) {
        k->s->kept = false;
    } else {
        if (!k->s->read_on)         /* else a send still reads it */
            mpi_staging_end(k->staging, false);
        mpi_fw_sched_delete(mpi_fw, k->s);
    }
    free(k);
}

static const struct mpi_persistent_class class = { .start = start, .end = end };

static uint64_t match_of(const struct mpi_coll_plan *p)
{
    uint32_t number = p->c->persistent_seq++ & MPI_FINGERPRINT_NUMBER;
    return fw_match_bits(p->c->context | 1, 0, MPI_FINGERPRINT_PERSISTENT | number)
           | mpi_fingerprint(p->kind, p->bytes, p->root);
}

/* Not by stores: their order is that of the calls, and starts have none. */
static bool make(struct persistent *k, const struct mpi_coll_plan *p)
{
    k->s = mpi_coll_schedule(p, match_of(p), false);
    if (!k->s)
        return false;
    k->staging = p->staging;
    k->s->kept = true;
    k->s->ended = mpi_staging_end;
    k->s->ended_context = p->staging;
    if (mpi_persistent_begin(&k->p, &class, p->c))
        return true;
    mpi_fw_sched_delete(mpi_fw, k->s);
    return false;
}

int mpi_coll_keep(const struct mpi_coll_plan *p)
{
    struct persistent *k = calloc(1, sizeof *k);
    nic_enter(mpi_nic);
    bool made = k && make(k, p);
    nic_leave(mpi_nic);
    if (made) {
        *p->request = k->p.handle;
        return MPI_SUCCESS;
    }
    free(k);
    mpi_coll_forget(p);
    return mpi_err(p->c, p->call, MPI_ERR_NO_MEM, "no memory for the request");
}
