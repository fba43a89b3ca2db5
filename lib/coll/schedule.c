/* The schedule of a plan: which builder makes it, and with what. */
#include <stdlib.h>

#include "coll/build.h"

/* In two levels the parts of a blocking call are messages, on every machine alike. */
bool mpi_coll_goes_by_packets(const struct mpi_coll_plan *p)
{
    const struct mpi_comm *all = p->c->shown ? p->c->part_of : p->c;
    if (unlikely(all->levels != NULL) && p->form == MPI_COLL_BLOCKING)
        return false;
    return mpi_coll_has_short_way(p->kind) && p->bytes <= FW_STEP_BYTES && !p->c->inter
           && mpi_fw_offload(mpi_fw) == FW_OFFLOAD_ALL;
}

/* Of a blocking call.  On the live clock the NIC of a waiting host runs on the host's core: there
 * the host's own messages are the shorter way to the same. */
bool mpi_coll_goes_by_nic(const struct mpi_coll_plan *p)
{
    return mpi_coll_goes_by_packets(p)
           || (mpi_modelled && mpi_fw_offload(mpi_fw) == FW_OFFLOAD_ALL);
}

/* The NIC calls no operation of the user. */
bool mpi_coll_returns_early(const struct mpi_coll_plan *p)
{
    return p->kind == MPI_COLL_REDUCE && p->form == MPI_COLL_BLOCKING && p->r && p->r->loop
           && p->c->rank != p->root && !p->c->inter && !p->c->shown && !p->c->levels
           && mpi_bypass_of_job() == MPI_BYPASS_NIC && mpi_coll_goes_by_nic(p);
}

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
    if (unlikely(p->vector != NULL)) {
        mpi_build_vector(b, p->vector);
        return;
    }
    if (unlikely(p->topo != NULL)) {
        mpi_build_neighbor(b, p->topo, p->send, p->recv);
        return;
    }
    if (unlikely(p->c->inter != NULL)) {
        mpi_build_inter(b, p);
        return;
    }
    if (mpi_build_has_levels(p)) {
        mpi_build_levels(b, p);
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

const struct mpi_coll_plan *mpi_coll_settle(const struct mpi_coll_plan *p,
                                            struct mpi_coll_plan *new)
{
    bool apart = p->from && p->data && p->from != p->data && !p->c->inter;
    if (!apart || (p->kind != MPI_COLL_REDUCE && p->kind != MPI_COLL_ALLREDUCE))
        return p;
    memcpy(p->data, p->from, p->bytes);
    *new = *p;
    new->from = NULL;
    return new;
}

static struct mpi_build begin(struct fw_sched *s, const struct mpi_coll_plan *p)
{
    return (struct mpi_build){ .s = s, .rank = p->c->rank, .size = p->c->size,
                               .first = p->c->inter ? mpi_inter_local_first(p->c) : 0,
                               .ranks = p->c->shown, .packets = mpi_coll_goes_by_packets(p),
                               .kept = p->form == MPI_COLL_PERSISTENT,
                               .bypass = mpi_bypass_of_job(),
                               .early = mpi_coll_returns_early(p),
                               .crowded = nic_oversubscribed(mpi_nic),
                               .barrier = barrier_wanted() };
}

static void build_steps(struct fw_sched *s, const struct mpi_coll_plan *p)
{
    struct mpi_coll_plan settled;
    struct mpi_build b = begin(s, p);
    build(&b, mpi_coll_settle(p, &settled));
}

static void build_leaders(struct fw_sched *s, const struct mpi_coll_plan *p)
{
    struct mpi_build b = begin(s, p);
    mpi_build_leaders(&b, p);
}

static void build_shm(struct fw_sched *s, const struct mpi_coll_plan *p)
{
    (void)p;
    add_shm(s);
}

static void build_windows(struct fw_sched *s, const struct mpi_coll_plan *p)
{
    mpi_coll_windows_build(s, p, build_steps);
}

/* Whose numbers its messages have. */
static const struct mpi_comm *whole_of(const struct mpi_coll_plan *p)
{
    return unlikely(p->c->shown != NULL) ? p->c->part_of : mpi_comm_whole(p->c);
}

/* NULL: no memory, and nothing has happened. */
static struct fw_sched *schedule(const struct mpi_coll_plan *p, uint64_t match,
                                 mpi_coll_steps *steps)
{
    const struct mpi_comm *all = whole_of(p);
    struct fw_sched *s = mpi_fw_sched_new(mpi_fw, p->call, match, (uint32_t)all->rank, all->world);
    if (!s)
        return NULL;
    s->bytes = p->bytes;
    s->root = (uint32_t)p->root;
    s->combine = mpi_modelled ? mpi_coll_combine_modelled : mpi_coll_combine;
    s->context = p->r;
    s->host_only = p->r && !p->r->loop;
    steps(s, p);
    if (!s->failed)
        return s;
    mpi_fw_sched_delete(mpi_fw, s);
    return NULL;
}

/* The reduction outlives the call. */
static bool keep_reduction(struct fw_sched *s, const struct mpi_coll_plan *p)
{
    struct mpi_reduction *r = p->r ? mpi_fw_sched_memory(s, sizeof *r) : NULL;
    if (r)
        *r = *p->r;
    s->context = r;
    return r || !p->r;
}

struct fw_sched *mpi_coll_schedule(const struct mpi_coll_plan *p, uint64_t match,
                                   enum mpi_coll_way way)
{
    static mpi_coll_steps *const steps[] = { build_steps, build_shm, build_windows };
    struct fw_sched *s = schedule(p, match, steps[way]);
    if (!s || keep_reduction(s, p))
        return s;
    mpi_fw_sched_delete(mpi_fw, s);
    return NULL;
}

void mpi_coll_run_schedule(struct mpi_coll *x, const struct mpi_coll_plan *p, bool leaders)
{
    struct fw_sched *s = schedule(p, x->match, leaders ? build_leaders : build_steps);
    if (!s) {
        mpi_coll_fail(x, MPI_ERR_NO_MEM, "no memory for intermediate results");
        return;
    }
    mpi_coll_host_run(x, s);
    mpi_fw_sched_delete(mpi_fw, s);
}
