/* From what a call is to do to who does it: the scratchpads, the NIC, or the host. */
#include <stdio.h>
#include <stdlib.h>

#include "coll/build.h"
#include "core/err.h"

/* Kinds that may go by step packets; of one rank they have nothing to do. */
static bool has_short_way(enum mpi_coll_kind kind) { return kind <= MPI_COLL_BCAST; }

static bool goes_by_packets(const struct mpi_coll_plan *p)
{
    return has_short_way(p->kind) && p->bytes <= FW_STEP_BYTES && !p->c->inter
           && mpi_fw_offload(mpi_fw) == FW_OFFLOAD_ALL;
}

/* Of a blocking call.  On the live clock the NIC of a waiting host runs on the host's core: there
 * the host's own messages are the shorter way to the same. */
static bool goes_by_nic(const struct mpi_coll_plan *p)
{
    return goes_by_packets(p) || (mpi_modelled && mpi_fw_offload(mpi_fw) == FW_OFFLOAD_ALL);
}

/* -- its schedule */

static void build_reduce(struct mpi_build *b, const struct mpi_coll_plan *p)
{
    void *data = p->from ? mpi_build_contribution(b, p->from, p->r, p->root) : p->data;
    if (!b->s->failed)
        mpi_build_reduce(b, data, p->r, p->root);
}

static void build(struct mpi_build *b, const struct mpi_coll_plan *p)
{
    if (unlikely(p->first.bytes))
        mpi_build_copy(b, p->first.to, p->first.from, p->first.bytes);
    if (unlikely(p->topo != NULL)) {
        mpi_build_neighbor(b, p->topo, p->send, p->recv);
        return;
    }
    if (unlikely(p->c->inter != NULL)) {
        mpi_build_inter(b, p);
        return;
    }
    switch (p->kind) {
    case MPI_COLL_BARRIER: mpi_build_barrier(b); break;
    case MPI_COLL_BCAST: mpi_build_bcast(b, p->data, p->bytes, p->root); break;
    case MPI_COLL_REDUCE: build_reduce(b, p); break;
    case MPI_COLL_ALLREDUCE: mpi_build_allreduce(b, p->data, p->r); break;
    case MPI_COLL_GATHER: case MPI_COLL_GATHERV:
        mpi_build_gather(b, p->from, p->own_bytes, p->recv, p->root);
        break;
    case MPI_COLL_SCATTER: case MPI_COLL_SCATTERV:
        mpi_build_scatter(b, p->send, p->data, p->own_bytes, p->root);
        break;
    case MPI_COLL_ALLGATHER: mpi_build_allgather(b, p->recv); break;
    case MPI_COLL_ALLTOALL: mpi_build_alltoall(b, p->send, p->recv); break;
    case MPI_COLL_REDUCE_SCATTER:
        mpi_build_reduce_scatter(b, p->from, p->data, p->recv, p->r);
        break;
    default: mpi_build_scan(b, p->from, p->data, p->r, !p->root);      /* MPI_COLL_SCAN */
    }
}

static void add_shm(struct fw_sched *s)
{
    s->shm = mpi_fw_sched_memory(s, sizeof *s->shm);
    mpi_fw_sched_add(s, &(struct fw_step){ .kind = FW_STEP_SHM });
}

/* Read once: to search the environment costs more than a short collective's steps. */
static const char *barrier_wanted(void)
{
    static bool known;
    static const char *wanted;
    if (unlikely(!known))
        wanted = getenv("MPILITE_BARRIER");
    known = true;
    return wanted;
}

/* Schedules work on a contribution where the result shall be. */
static const struct mpi_coll_plan *settle(const struct mpi_coll_plan *p, struct mpi_coll_plan *new)
{
    bool apart = p->from && p->data && p->from != p->data && !p->c->inter;
    if (!apart || (p->kind != MPI_COLL_REDUCE && p->kind != MPI_COLL_ALLREDUCE))
        return p;
    memcpy(p->data, p->from, p->bytes);
    *new = *p;
    new->from = NULL;
    return new;
}

static void build_steps(struct fw_sched *s, const struct mpi_coll_plan *p)
{
    struct mpi_coll_plan settled;
    struct mpi_build b = { .s = s, .rank = p->c->rank, .size = p->c->size,
                           .first = p->c->inter ? mpi_inter_local_first(p->c) : 0,
                           .packets = goes_by_packets(p),
                           .kept = p->form == MPI_COLL_PERSISTENT,
                           .bypass = !mpi_modelled && !nic_has_far_ranks(mpi_nic),
                           .crowded = nic_oversubscribed(mpi_nic),
                           .barrier = barrier_wanted() };
    build(&b, settle(p, &settled));
}

/* Ways of a call that the NIC executes. */
enum way { BY_MESSAGES, BY_SHM, BY_WINDOWS };

/* NULL: no memory, and nothing has happened. */
static struct fw_sched *schedule(const struct mpi_coll_plan *p, uint64_t match, enum way way)
{
    const struct mpi_comm *all = mpi_comm_whole(p->c);
    struct fw_sched *s = mpi_fw_sched_new(mpi_fw, p->call, match, (uint32_t)all->rank, all->world);
    if (!s)
        return NULL;
    s->bytes = p->bytes;
    s->root = (uint32_t)p->root;
    s->combine = mpi_modelled ? mpi_coll_combine_modelled : mpi_coll_combine;
    s->context = p->r;
    s->host_only = p->r && !p->r->loop;
    if (way == BY_SHM)
        add_shm(s);
    else if (way == BY_WINDOWS)
        mpi_coll_windows_build(s, p, build_steps);
    else
        build_steps(s, p);
    if (!s->failed)
        return s;
    mpi_fw_sched_delete(mpi_fw, s);
    return NULL;
}

/* -- by the NIC */

/* The reduction outlives the call. */
static bool keep_reduction(struct fw_sched *s, const struct mpi_coll_plan *p)
{
    struct mpi_reduction *r = p->r ? mpi_fw_sched_memory(s, sizeof *r) : NULL;
    if (r)
        *r = *p->r;
    s->context = r;
    return r || !p->r;
}

static struct fw_sched *schedule_apart(const struct mpi_coll_plan *p, uint64_t match, enum way way)
{
    struct fw_sched *s = schedule(p, match, way);
    if (!s || keep_reduction(s, p))
        return s;
    mpi_fw_sched_delete(mpi_fw, s);
    return NULL;
}

struct fw_sched *mpi_coll_schedule(const struct mpi_coll_plan *p, uint64_t match)
{
    return schedule_apart(p, match, BY_MESSAGES);
}

/* NULL: no memory.  Baton held. */
static struct fw_req *start(const struct mpi_coll_plan *p, uint64_t match, enum way way)
{
    struct fw_req *r = mpi_fw_req_new(mpi_fw);
    struct fw_sched *s = r ? schedule_apart(p, match, way) : NULL;
    if (!s) {
        if (r)
            mpi_fw_req_free(mpi_fw, r);
        return NULL;
    }
    if (way == BY_SHM)
        mpi_coll_shm_begin(s->shm, p, match & MPI_FINGERPRINT_NUMBER, s->context);
    else if (way == BY_WINDOWS)
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
};

/* -- the calls */

static void run_on_nic(struct mpi_coll *x, const struct mpi_coll_plan *p)
{
    struct fw_req *r = start(p, x->match, BY_MESSAGES);
    if (r)
        mpi_coll_wait(x, r);
    else
        mpi_coll_fail(x, MPI_ERR_NO_MEM, "no memory for intermediate results");
}

static void run_here(struct mpi_coll *x, const struct mpi_coll_plan *p)
{
    struct fw_sched *s = schedule(p, x->match, BY_MESSAGES);
    if (!s) {
        mpi_coll_fail(x, MPI_ERR_NO_MEM, "no memory for intermediate results");
        return;
    }
    mpi_coll_host_run(x, s);
    mpi_fw_sched_delete(mpi_fw, s);
}

void mpi_coll_run(struct mpi_coll *x, const struct mpi_coll_plan *p)
{
    struct mpi_coll_plan settled;
    if (x->size > 1 && mpi_coll_goes_by_shm(p)) {
        mpi_coll_shm_run(x, p);
        return;
    }
    if (x->size > 1 && mpi_coll_goes_by_windows(x, p) && mpi_coll_windows_run(x, p))
        return;
    p = settle(p, &settled);
    if (x->size == 1 && has_short_way(p->kind))
        return;
    mpi_coll_set_fingerprint(x, p->kind, p->bytes, p->root);
    if (x->size > 1 && goes_by_nic(p))
        run_on_nic(x, p);
    else
        run_here(x, p);
}

int mpi_coll_do(const struct mpi_coll_plan *p)
{
    struct mpi_coll x;
    mpi_coll_begin(&x, p->call, mpi_comm_whole(p->c));
    mpi_coll_run(&x, p);
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
    return x->class ? NULL : mpi_req_done(p->c, MPI_REQ_EMPTY);
}

static enum way way_of(struct mpi_coll *x, const struct mpi_coll_plan *p)
{
    if (mpi_coll_goes_by_shm(p))
        return BY_SHM;
    return mpi_coll_goes_by_windows(x, p) ? BY_WINDOWS : BY_MESSAGES;
}

int mpi_coll_start(const struct mpi_coll_plan *p)
{
    struct mpi_coll x;
    mpi_coll_begin(&x, p->call, mpi_comm_whole(p->c));
    enum way way = x.size > 1 ? way_of(&x, p) : BY_MESSAGES;
    mpi_coll_set_fingerprint(&x, p->kind, p->bytes, p->root);
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
