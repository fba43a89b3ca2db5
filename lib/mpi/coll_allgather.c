/* All-gather. */
#include "mpi/alias.h"
#include "mpi/coll_args.h"
#include "mpi/coll_calls.h"
#include "core/err.h"

/* What this rank contributes, and where all of it goes. */
struct arguments {
    const void *sendbuf;
    MPI_Count sendcount;
    MPI_Datatype sendtype;
    struct mpi_coll_many recv;
    struct mpi_blocks *blocks;      /* of that, once it is checked */
};

static int check(const struct mpi_coll_plan *p, const struct arguments *a,
                 const struct mpi_type **send, const struct mpi_type **recv)
{
    int rc;
    if (a->sendbuf == MPI_IN_PLACE)
        rc = mpi_coll_check_in_place(p, a->sendbuf);
    else
        rc = mpi_coll_check_data(p, a->sendbuf, a->sendcount, a->sendtype, send);
    return rc ? rc : mpi_coll_check_many(p, &a->recv, p->c->peers, recv);
}

/* Packed stand-ins of what has gaps. */
static void stage(struct mpi_coll_plan *p, struct arguments *a, const struct mpi_type *send,
                  const struct mpi_type *recv)
{
    if (!recv->contiguous)
        mpi_stage_blocks(mpi_coll_staging(p), recv, a->blocks, p->c->peers, MPI_STAGE_WRITE,
                         send ? -1 : p->c->rank);
    if (send && !send->contiguous)
        a->sendbuf = mpi_stage(mpi_coll_staging(p), send, a->sendbuf, (size_t)a->sendcount,
                               MPI_STAGE_READ);
}

/* The own block in its place. */
static void bring_in(struct mpi_coll_plan *p, const struct arguments *a, size_t bytes)
{
    if (a->sendbuf == MPI_IN_PLACE || mpi_staging_failed(p->staging))
        return;
    size_t room = mpi_block_bytes(a->blocks, p->c->rank);
    mpi_coll_bring_in(p, mpi_block_at(a->blocks, p->c->rank), a->sendbuf,
                      bytes < room ? bytes : room);
}

static int plan(struct mpi_coll_plan *p, struct arguments *a)
{
    const struct mpi_type *send = NULL, *recv;
    int rc = check(p, a, &send, &recv);
    if (rc)
        return rc;
    size_t own = send ? (size_t)a->sendcount * send->size : 0;
    *a->blocks = mpi_coll_blocks(&a->recv, recv);
    if (send)
        rc = mpi_coll_check_own(p, own, mpi_coll_own_bytes(p, a->blocks, recv));
    if (!rc && send && send->contiguous && recv->contiguous)
        rc = mpi_alias_one(p->call, p->c, a->sendbuf, own, a->blocks);
    if (rc)
        return rc;
    stage(p, a, send, recv);
    p->kind = MPI_COLL_ALLGATHER;
    p->root = a->recv.vector;       /* the number of the call, see MPI_COLL_OTHERS */
    p->recv = a->blocks;
    p->from = a->sendbuf;
    p->own_bytes = own;
    if (unlikely(p->c->inter != NULL))      /* the groups may give of different lengths */
        return MPI_SUCCESS;
    p->bytes = a->recv.vector ? 0 : mpi_block_bytes(a->blocks, 0);
    bring_in(p, a, own);
    return MPI_SUCCESS;
}

static int call(struct mpi_coll_plan *p, struct arguments *a, MPI_Comm comm)
{
    int rc = mpi_coll_enter(p, comm);
    if (!rc)
        rc = plan(p, a);
    return rc ? rc : mpi_coll_go(p);
}

#define ALLGATHER(NAME, COUNT, PLACE, FORM) \
    int PMPI_##NAME(const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf, \
                    COUNT recvcount, MPI_Datatype recvtype, MPI_Comm comm MPI_COLL_MORE_##FORM) \
    { \
        struct mpi_coll_plan p = { .call = "MPI_" #NAME MPI_COLL_FORM_##FORM }; \
        struct mpi_blocks blocks; \
        struct arguments a = { .sendbuf = sendbuf, .sendcount = sendcount, .sendtype = sendtype, \
                               .blocks = &blocks, \
                               .recv = { .buf = recvbuf, .count = recvcount, .type = recvtype } }; \
        return call(&p, &a, comm); \
    } \
    MPI_WEAK_ALIAS(NAME)
MPI_COLL_FORMS(ALLGATHER, Allgather, allgather);

#define ALLGATHERV(NAME, COUNT, PLACE, FORM) \
    int PMPI_##NAME(const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf, \
                    const COUNT recvcounts[], const PLACE displs[], MPI_Datatype recvtype, \
                    MPI_Comm comm MPI_COLL_MORE_##FORM) \
    { \
        struct mpi_coll_plan p = { .call = "MPI_" #NAME MPI_COLL_FORM_##FORM }; \
        struct mpi_blocks blocks; \
        struct arguments a = { .sendbuf = sendbuf, .sendcount = sendcount, .sendtype = sendtype, \
                               .blocks = &blocks, \
                               .recv = { .vector = true, .buf = recvbuf, .type = recvtype, \
                                         .counts = MPI_NUMBERS(recvcounts), \
                                         .displs = MPI_NUMBERS(displs) } }; \
        return call(&p, &a, comm); \
    } \
    MPI_WEAK_ALIAS(NAME)
MPI_COLL_FORMS(ALLGATHERV, Allgatherv, allgatherv);

int mpi_coll_call_allgather(struct mpi_coll_plan *p, const void *send, MPI_Count count,
                            MPI_Datatype type, const struct mpi_coll_many *recv, MPI_Comm comm)
{
    struct mpi_blocks blocks;
    struct arguments a = { .sendbuf = send, .sendcount = count, .sendtype = type,
                           .blocks = &blocks, .recv = *recv };
    return call(p, &a, comm);
}
