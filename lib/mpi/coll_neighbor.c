/* Neighbourhood collectives.  Whatever a call has (counts, displacements, a type or many), each
 * edge gets a block of its own. */
#include "core/err.h"
#include "core/topo.h"
#include "mpi/coll_args.h"

/* One side of a call, as the program gave it. */
struct side {
    const void *buf;
    bool vector;                /* counts and displacements; else `count`, one behind the other */
    MPI_Count count;
    struct mpi_numbers counts, displs;
    MPI_Datatype type;
    bool typed;                 /* a type for each block, and displacements in bytes */
    const MPI_Datatype *types;
};

/* The other ranks, and the blocks for them; one: the same block for all. */
struct edges { int n; const int *rank; struct mpi_own_block *block; bool one; };

enum { FEW = 16 };              /* blocks that need no memory: those of a grid of 4 dimensions */

/* All of it is data, from `buf` on. */
static bool is_dense(const struct side *s)
{
    const struct mpi_type *t = s->vector ? NULL : mpi_type_get(s->type);
    return t && t->contiguous && t->size && s->count;
}

static int check_call(const struct mpi_coll_plan *p, const struct side *send,
                      const struct side *recv)
{
    if (!p->c->topo)
        return mpi_err(p->c, p->call, MPI_ERR_TOPOLOGY, "the communicator has no topology");
    if (send->buf == MPI_IN_PLACE || recv->buf == MPI_IN_PLACE)
        return mpi_err(p->c, p->call, MPI_ERR_BUFFER, "MPI_IN_PLACE stands for a buffer");
    if (send->buf == recv->buf && send->buf && p->c->topo->in && p->c->topo->out
        && is_dense(send) && is_dense(recv))
        return mpi_err(p->c, p->call, MPI_ERR_BUFFER, "send and receive buffer are the same");
    return MPI_SUCCESS;
}

static int check_arrays(const struct mpi_coll_plan *p, const struct side *s, int n)
{
    if (!n || !s->vector)
        return MPI_SUCCESS;
    if (!s->counts.array || !s->displs.array)
        return mpi_err(p->c, p->call, MPI_ERR_ARG, "the counts or the displacements are NULL");
    if (s->typed && !s->types)
        return mpi_err(p->c, p->call, MPI_ERR_ARG, "the datatypes are NULL");
    return MPI_SUCCESS;
}

/* What a block's place in memory is. */
static int find(const struct mpi_coll_plan *p, const struct side *s, int i,
                const struct mpi_type *t, int64_t count, struct mpi_own_block *block)
{
    int64_t place = s->vector ? mpi_number(&s->displs, i) : i, bytes, offset;
    bool far = __builtin_mul_overflow(count, (int64_t)t->size, &bytes)
               || (!s->vector && __builtin_mul_overflow(place, count, &place))
               || __builtin_mul_overflow(place, s->typed ? 1 : (int64_t)t->extent, &offset);
    if (far)
        return mpi_err(p->c, p->call, MPI_ERR_COUNT, "the counts are more than memory can have");
    *block = (struct mpi_own_block){ (void *)((uintptr_t)s->buf + (uintptr_t)offset),
                                     (size_t)bytes };
    return MPI_SUCCESS;
}

/* Block i as it travels: data with gaps are staged. */
static int take(struct mpi_coll_plan *p, const struct side *s, int i, enum mpi_stage how,
                struct mpi_own_block *block)
{
    MPI_Count count = s->vector ? mpi_number(&s->counts, i) : s->count;
    const struct mpi_type *t;
    const void *buf = s->vector ? s : s->buf;       /* blocks may lie on both sides of it */
    int rc = mpi_coll_check_data(p, buf, count, s->typed ? s->types[i] : s->type, &t);
    if (!rc)
        rc = find(p, s, i, t, count, block);
    if (!rc && !s->buf && block->bytes && mpi_is_nowhere(block->at, t))
        rc = mpi_coll_no_buffer(p, i, count);
    if (!rc && block->bytes && !t->contiguous)
        block->at = mpi_stage(mpi_coll_staging(p), t, block->at, (size_t)count, how);
    return rc;
}

static int take_all(struct mpi_coll_plan *p, const struct side *s, const struct edges *e,
                    enum mpi_stage how)
{
    int rc = check_arrays(p, s, e->n);
    for (int i = 0; !rc && i < e->n; i++) {
        e->block[i] = (struct mpi_own_block){ NULL, 0 };
        if (e->one && i)
            e->block[i] = e->block[0];
        else if (e->one || e->rank[i] != MPI_PROC_NULL)
            rc = take(p, s, i, how, &e->block[i]);
    }
    return rc;
}

static int exchange(struct mpi_coll_plan *p, const struct side *send, const struct side *recv,
                    struct mpi_own_block *block)
{
    const struct mpi_topo *t = p->c->topo;
    struct edges in = { .n = t->in, .rank = t->source, .block = block };
    struct edges out = { .n = t->out, .rank = t->dest, .block = block + t->in,
                         .one = p->kind == MPI_COLL_ALLGATHER };
    int rc = take_all(p, send, &out, MPI_STAGE_READ);
    if (!rc)
        rc = take_all(p, recv, &in, MPI_STAGE_WRITE);
    if (rc) {
        mpi_staging_last(p->staging);
        mpi_staging_end(p->staging, false);
        return rc;
    }
    p->topo = t;
    p->send = &(struct mpi_blocks){ .parts = out.block };
    p->recv = &(struct mpi_blocks){ .parts = in.block };
    return mpi_coll_go(p);
}

static int neighbor(struct mpi_coll_plan *p, MPI_Comm comm, const struct side *send,
                    const struct side *recv)
{
    struct mpi_own_block few[FEW], *block = few;
    int rc = mpi_coll_enter(p, comm);
    if (!rc)
        rc = check_call(p, send, recv);
    if (rc)
        return rc;
    size_t edges = (size_t)p->c->topo->in + (size_t)p->c->topo->out;
    if (edges > FEW)
        block = mpi_stage_memory(mpi_coll_staging(p), edges * sizeof *block);
    return block ? exchange(p, send, recv, block) : mpi_coll_no_memory(p);
}

/* -- the functions */

#define PLAN(NAME, FORM, KIND, NUMBER) \
    { .call = "MPI_" #NAME, .kind = MPI_COLL_##KIND, \
      .root = MPI_COLL_NEIGHBOR + NUMBER MPI_COLL_FORM_##FORM }
#define ONE(buffer, number, datatype) { .buf = buffer, .count = number, .type = datatype }
#define MANY(buffer, numbers, places, datatype) \
    { .buf = buffer, .vector = true, .counts = MPI_NUMBERS(numbers), \
      .displs = MPI_NUMBERS(places), .type = datatype }
#define TYPED(buffer, numbers, places, datatypes) \
    { .buf = buffer, .vector = true, .counts = MPI_NUMBERS(numbers), \
      .displs = MPI_NUMBERS(places), .typed = true, .types = datatypes }

#define ALLGATHER(NAME, COUNT, PLACE, FORM) \
    int PMPI_##NAME(const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf, \
                    COUNT recvcount, MPI_Datatype recvtype, MPI_Comm comm MPI_COLL_MORE_##FORM) \
    { \
        struct mpi_coll_plan p = PLAN(NAME, FORM, ALLGATHER, 0); \
        const struct side send = ONE(sendbuf, sendcount, sendtype); \
        const struct side recv = ONE(recvbuf, recvcount, recvtype); \
        return neighbor(&p, comm, &send, &recv); \
    } \
    MPI_WEAK_ALIAS(NAME)
MPI_COLL_FORMS(ALLGATHER, Neighbor_allgather, neighbor_allgather);

#define ALLGATHERV(NAME, COUNT, PLACE, FORM) \
    int PMPI_##NAME(const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf, \
                    const COUNT recvcounts[], const PLACE displs[], MPI_Datatype recvtype, \
                    MPI_Comm comm MPI_COLL_MORE_##FORM) \
    { \
        struct mpi_coll_plan p = PLAN(NAME, FORM, ALLGATHER, 1); \
        const struct side send = ONE(sendbuf, sendcount, sendtype); \
        const struct side recv = MANY(recvbuf, recvcounts, displs, recvtype); \
        return neighbor(&p, comm, &send, &recv); \
    } \
    MPI_WEAK_ALIAS(NAME)
MPI_COLL_FORMS(ALLGATHERV, Neighbor_allgatherv, neighbor_allgatherv);

#define ALLTOALL(NAME, COUNT, PLACE, FORM) \
    int PMPI_##NAME(const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf, \
                    COUNT recvcount, MPI_Datatype recvtype, MPI_Comm comm MPI_COLL_MORE_##FORM) \
    { \
        struct mpi_coll_plan p = PLAN(NAME, FORM, ALLTOALL, 0); \
        const struct side send = ONE(sendbuf, sendcount, sendtype); \
        const struct side recv = ONE(recvbuf, recvcount, recvtype); \
        return neighbor(&p, comm, &send, &recv); \
    } \
    MPI_WEAK_ALIAS(NAME)
MPI_COLL_FORMS(ALLTOALL, Neighbor_alltoall, neighbor_alltoall);

#define ALLTOALLV(NAME, COUNT, PLACE, FORM) \
    int PMPI_##NAME(const void *sendbuf, const COUNT sendcounts[], const PLACE sdispls[], \
                    MPI_Datatype sendtype, void *recvbuf, const COUNT recvcounts[], \
                    const PLACE rdispls[], MPI_Datatype recvtype, \
                    MPI_Comm comm MPI_COLL_MORE_##FORM) \
    { \
        struct mpi_coll_plan p = PLAN(NAME, FORM, ALLTOALL, 1); \
        const struct side send = MANY(sendbuf, sendcounts, sdispls, sendtype); \
        const struct side recv = MANY(recvbuf, recvcounts, rdispls, recvtype); \
        return neighbor(&p, comm, &send, &recv); \
    } \
    MPI_WEAK_ALIAS(NAME)
MPI_COLL_FORMS(ALLTOALLV, Neighbor_alltoallv, neighbor_alltoallv);

#define ALLTOALLW(NAME, COUNT, PLACE, FORM) \
    int PMPI_##NAME(const void *sendbuf, const COUNT sendcounts[], const MPI_Aint sdispls[], \
                    const MPI_Datatype sendtypes[], void *recvbuf, const COUNT recvcounts[], \
                    const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], \
                    MPI_Comm comm MPI_COLL_MORE_##FORM) \
    { \
        struct mpi_coll_plan p = PLAN(NAME, FORM, ALLTOALL, 2); \
        const struct side send = TYPED(sendbuf, sendcounts, sdispls, sendtypes); \
        const struct side recv = TYPED(recvbuf, recvcounts, rdispls, recvtypes); \
        return neighbor(&p, comm, &send, &recv); \
    } \
    MPI_WEAK_ALIAS(NAME)
MPI_COLL_FORMS(ALLTOALLW, Neighbor_alltoallw, neighbor_alltoallw);
