/* From what a call is to do to who does it: the scratchpads, the NIC, or the host. */
#include <stdio.h>
#include <stdlib.h>

#include "coll/build.h"
#include "coll/tuning.h"
#include "coll/two_level.h"
#include "core/err.h"

/* -- by the NIC */

/* NULL: no memory.  Baton held. */
static struct fw_req *start(const struct mpi_coll_plan *p, uint64_t match, enum mpi_coll_way way)
{
    struct fw_req *r = mpi_fw_req_new(mpi_fw);
    struct fw_sched *s = r ? mpi_coll_schedule(p, match, way) : NULL;
    if (!s) {
        if (r)
            mpi_fw_req_free(mpi_fw, r);
        return NULL;
    }
    if (way == MPI_COLL_BY_SHM)
        mpi_coll_shm_begin(s->shm, p, match & MPI_FINGERPRINT_NUMBER, s->context);
    else if (way == MPI_COLL_BY_WINDOWS)
        mpi_coll_windows_begin(s);
    mpi_req_begin(r, FW_COLL, p->c);
    r->host.empty = true;
    if (p->form == MPI_COLL_NONBLOCKING) {
        s->ended = mpi_staging_end;
        s->ended_context = p->staging;
    }
    mpi_fw_sched_start(mpi_fw, s, r);
    return r;
}

static struct mpi_coll_call called_by(const struct fw_req *r)
{
    const struct mpi_comm *c = r->host.comm;
    const struct fw_sched *s = r->sched;
    if (!s)
        return (struct mpi_coll_call){ .call = "a collective", .rank = c->rank };
    return mpi_coll_call_own(s->call, c->rank, mpi_fingerprint_kind(s->match), s->bytes,
                             (int)s->root);
}

/* -- requests (struct mpi_request_class) */

static const char *describe(const struct fw_req *r, const char *of, char *text, size_t size)
{
    struct mpi_coll_call c = called_by(r);
    return mpi_coll_note_of(&c, of, text, size);
}

static void mark(const struct fw_req *r, char *text, size_t size)
{
    struct mpi_coll_call c = called_by(r);
    if (r->sched)
        mpi_coll_note_mark(&c, r->host.comm, r->sched->match, text, size);
}

/* Not done, and not stopped. */
static bool is_open(const struct fw_req *r)
{
    return r->host.extra != FW_EXTRA_MISMATCH && !fw_req_done(r);
}

static void stop_if_hopeless(struct fw_req *r)
{
    struct mpi_coll_call mine = called_by(r), other;
    if (!r->sched || r->sched->shm
        || !mpi_coll_find_other(r->host.comm->shm, &mine, r->sched->match, &other))
        return;
    struct mpi_mismatch *m = malloc(sizeof *m);
    if (!m)
        return;
    m->together = false;
    m->class = mpi_coll_describe_mismatch(&mine, &other, m->text, sizeof m->text);
    r->host.mismatch = m;
    r->host.extra = FW_EXTRA_MISMATCH;
    mpi_fw_sched_stop(mpi_fw, r);
}

static int mismatch(const struct fw_req *r, char *text, size_t size)
{
    if (r->error == FW_TRUNCATED) {
        snprintf(text, size, "a rank sent more or less than this one expects: "
                 "do counts and types agree?");
        return MPI_ERR_COUNT;
    }
    if (r->host.extra != FW_EXTRA_MISMATCH)
        return mpi_coll_mismatch(r->host.extra == FW_EXTRA_SHM ? r->host.shm : NULL, text, size);
    snprintf(text, size, "%s", r->host.mismatch->text);
    return r->host.mismatch->class;
}

const struct mpi_request_class mpi_coll_request_class = {
    .is_open = is_open,
    .stop_if_hopeless = stop_if_hopeless,
    .mismatch = mismatch,
    .describe = describe,
    .mark = mark,
};

/* -- the calls */

/* Nobody waits for it: it is over when its last step is, and so is this rank's MPI_Finalize. */
static void leave_to_nic(struct fw_req *r)
{
    mpi_req_keep(r);
    mpi_fw_detach(mpi_fw, r);
}

static void run_on_nic(struct mpi_coll *x, const struct mpi_coll_plan *p)
{
    struct fw_req *r = start(p, x->match, MPI_COLL_BY_MESSAGES);
    if (!r)
        mpi_coll_fail(x, MPI_ERR_NO_MEM, "no memory for intermediate results");
    else if (mpi_coll_returns_early(p))
        leave_to_nic(r);
    else
        mpi_coll_wait(x, r);
}

static void run_long(struct mpi_coll *x, const struct mpi_coll_plan *p)
{
    struct mpi_coll_plan settled;
    if (x->size > 1 && mpi_coll_goes_by_windows(x, p) && mpi_coll_windows_run(x, p))
        return;
    p = mpi_coll_settle(p, &settled);
    if (unlikely(p->c->levels != NULL) && mpi_coll_goes_by_two_levels(p)) {
        mpi_coll_two_level_run(x, p);
        return;
    }
    if (x->size == 1 && mpi_coll_has_short_way(p->kind))
        return;
    mpi_coll_set_fingerprint(x, p->kind, p->bytes, p->root);
    x->c->coll_apart++;
    if (x->size > 1 && mpi_coll_goes_by_nic(p))
        run_on_nic(x, p);
    else
        mpi_coll_run_schedule(x, p, false);
}

static inline void run(struct mpi_coll *x, const struct mpi_coll_plan *p)
{
    if (x->size > 1 && mpi_coll_goes_by_shm(p))
        mpi_coll_shm_run(x, p);
    else if (x->size == 1 || !mpi_coll_vector_run(x, p))
        run_long(x, p);
}

void mpi_coll_run(struct mpi_coll *x, const struct mpi_coll_plan *p) { run(x, p); }

/* The numbers of collectives come round (fingerprint.h), and what a rank sends that is so far ahead
 * would count as another call than the one in which others still are.  Slots keep ranks together,
 * messages do not: before a blocking call all ranks meet now and then. */
static int meet(const struct mpi_coll_plan *p)
{
    struct mpi_coll x;
    mpi_coll_begin(&x, p->call, mpi_comm_whole(p->c));
    mpi_coll_barrier(&x);
    x.c->coll_apart = 0;
    return mpi_coll_end(&x);
}

int mpi_coll_do(const struct mpi_coll_plan *p)
{
    struct mpi_coll x;
    int code;
    if (unlikely(mpi_comm_whole(p->c)->coll_apart >= MPI_COLL_APART_MAX) && (code = meet(p))) {
        mpi_coll_forget(p);
        return code;
    }
    mpi_coll_begin(&x, p->call, mpi_comm_whole(p->c));
    run(&x, p);
    if (unlikely(p->staging != NULL) && !x.abandoned)   /* else a send still reads it */
        mpi_staging_end(p->staging, !x.class);
    return mpi_coll_end(&x);
}

void mpi_coll_forget(const struct mpi_coll_plan *p)
{
    mpi_staging_last(p->staging);
    mpi_staging_end(p->staging, false);
}

int mpi_coll_no_memory(const struct mpi_coll_plan *p)
{
    mpi_coll_forget(p);
    return mpi_err(p->c, p->call, MPI_ERR_NO_MEM, "no memory for packed copies of the data");
}

/* Of a communicator of one rank: it is done at once. */
static struct fw_req *start_alone(struct mpi_coll *x, const struct mpi_coll_plan *p)
{
    mpi_coll_run(x, p);
    mpi_staging_end(p->staging, !x->class);
    return x->class ? NULL : mpi_req_done(p->c, MPI_REQ_ALONE);
}

static enum mpi_coll_way way_of(struct mpi_coll *x, const struct mpi_coll_plan *p)
{
    if (mpi_coll_goes_by_shm(p))
        return MPI_COLL_BY_SHM;
    return mpi_coll_goes_by_windows(x, p) ? MPI_COLL_BY_WINDOWS : MPI_COLL_BY_MESSAGES;
}

int mpi_coll_start(const struct mpi_coll_plan *p)
{
    struct mpi_coll x;
    mpi_coll_begin(&x, p->call, mpi_comm_whole(p->c));
    enum mpi_coll_way way = x.size > 1 ? way_of(&x, p) : MPI_COLL_BY_MESSAGES;
    mpi_coll_set_fingerprint(&x, p->kind, p->bytes, p->root);
    x.c->coll_apart += way == MPI_COLL_BY_MESSAGES;
    struct fw_req *r = x.size == 1 ? start_alone(&x, p) : start(p, x.match, way);
    if (r)
        *p->request = mpi_req_keep(r);
    else
        mpi_coll_fail(&x, MPI_ERR_NO_MEM, "no memory for the request");
    if (!r && x.size > 1)
        mpi_staging_end(p->staging, false);
    return mpi_coll_end(&x);
}

/* -- as parts of other calls */

void mpi_coll_barrier(struct mpi_coll *x)
{
    mpi_coll_run(x, &(struct mpi_coll_plan){ .call = x->call, .c = x->c,
                                             .kind = MPI_COLL_BARRIER });
}

void mpi_coll_allreduce(struct mpi_coll *x, void *result, const struct mpi_reduction *r)
{
    mpi_coll_run(x, &(struct mpi_coll_plan){ .call = x->call, .c = x->c, .data = result, .r = r,
                                             .kind = MPI_COLL_ALLREDUCE,
                                             .bytes = r->unit * r->count });
}

void mpi_coll_gather(struct mpi_coll *x, const void *own, size_t bytes,
                     const struct mpi_blocks *blocks)
{
    mpi_coll_run(x, &(struct mpi_coll_plan){ .call = x->call, .c = x->c, .from = own,
                                             .own_bytes = bytes, .recv = blocks, .bytes = bytes,
                                             .kind = MPI_COLL_GATHER });
}

void mpi_coll_allgather(struct mpi_coll *x, const struct mpi_blocks *blocks)
{
    mpi_coll_run(x, &(struct mpi_coll_plan){ .call = x->call, .c = x->c, .recv = blocks,
                                             .bytes = mpi_block_bytes(blocks, 0),
                                             .kind = MPI_COLL_ALLGATHER });
}
