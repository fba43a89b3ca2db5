/* All-gather. */
#include <string.h>

#include "mpi/alias.h"
#include "mpi/coll_args.h"
#include "core/err.h"

/* One call; counts NULL: `count` elements from each rank. */
struct arguments {
    const void *sendbuf;
    void *recvbuf;
    int sendcount, count;
    const int *counts, *displs;
    MPI_Datatype sendtype, recvtype;
    struct mpi_blocks blocks;
};

static int check(const struct mpi_coll_plan *p, const struct arguments *a,
                 const struct mpi_type **send, const struct mpi_type **recv)
{
    int rc = MPI_SUCCESS;
    if (a->sendbuf != MPI_IN_PLACE)
        rc = mpi_check_data(p->call, p->c, a->sendbuf, a->sendcount, a->sendtype, send);
    if (!rc && a->recvbuf == MPI_IN_PLACE)
        rc = mpi_err(p->c, p->call, MPI_ERR_BUFFER, "MPI_IN_PLACE stands for the receive buffer");
    if (rc)
        return rc;
    const void *buf = a->counts ? a : a->recvbuf;   /* blocks may lie on both sides of it */
    rc = mpi_check_data(p->call, p->c, buf, a->counts ? 0 : a->count, a->recvtype, recv);
    return rc ? rc : mpi_coll_check_counts(p->call, p->c, a->counts);
}

/* Packed stand-ins of what has gaps. */
static void stage(struct mpi_coll_plan *p, struct arguments *a, const struct mpi_type *send,
                  const struct mpi_type *recv)
{
    if (!recv->contiguous)
        mpi_stage_blocks(&p->staging, recv, &a->blocks, p->c->size, MPI_STAGE_WRITE,
                         send ? -1 : p->c->rank);
    if (send && !send->contiguous)
        a->sendbuf = mpi_stage(&p->staging, send, a->sendbuf, (size_t)a->sendcount,
                               MPI_STAGE_READ);
}

/* The own block in its place. */
static void bring_in(const struct mpi_coll_plan *p, const struct arguments *a, size_t bytes)
{
    if (a->sendbuf == MPI_IN_PLACE || mpi_staging_failed(p->staging))
        return;
    size_t room = mpi_block_bytes(&a->blocks, p->c->rank);
    size_t some = bytes < room ? bytes : room;
    if (some)
        memcpy(mpi_block_at(&a->blocks, p->c->rank), a->sendbuf, some);
}

static int plan(struct mpi_coll_plan *p, struct arguments *a)
{
    const struct mpi_type *send = NULL, *recv;
    int rc = check(p, a, &send, &recv);
    if (rc)
        return rc;
    size_t own = send ? (size_t)a->sendcount * send->size : 0;
    a->blocks = (struct mpi_blocks){ .buf = a->recvbuf, .counts = a->counts, .displs = a->displs,
                                     .count = (size_t)a->count, .unit = (size_t)recv->extent };
    if (send && send->contiguous && recv->contiguous)
        rc = mpi_alias_one(p->call, p->c, a->sendbuf, own, &a->blocks);
    if (rc)
        return rc;
    stage(p, a, send, recv);
    p->kind = MPI_COLL_ALLGATHER;
    p->root = a->counts != NULL;    /* the number of the call, see MPI_COLL_OTHERS */
    p->bytes = a->counts ? 0 : mpi_block_bytes(&a->blocks, 0);
    p->recv = &a->blocks;
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

static int allgather(struct mpi_coll_plan *p, const void *sendbuf, int sendcount,
                     MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                     MPI_Comm comm)
{
    struct arguments a = { .sendbuf = sendbuf, .sendcount = sendcount, .sendtype = sendtype,
                           .recvbuf = recvbuf, .count = recvcount, .recvtype = recvtype };
    return call(p, &a, comm);
}

int PMPI_Allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                   int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    struct mpi_coll_plan p = { .call = "MPI_Allgather" };
    return allgather(&p, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}
MPI_WEAK_ALIAS(Allgather);

int PMPI_Iallgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                    int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    struct mpi_coll_plan p = { .call = "MPI_Iallgather", .starts = true, .request = request };
    return allgather(&p, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}
MPI_WEAK_ALIAS(Iallgather);

static int no_layout(const char *call, MPI_Comm comm)
{
    return mpi_err(mpi_comm_get(comm), call, MPI_ERR_ARG,
                   "the counts or the displacements are NULL");
}

static int allgatherv(struct mpi_coll_plan *p, const void *sendbuf, int sendcount,
                      MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                      const int displs[], MPI_Datatype recvtype, MPI_Comm comm)
{
    struct arguments a = { .sendbuf = sendbuf, .sendcount = sendcount, .sendtype = sendtype,
                           .recvbuf = recvbuf, .counts = recvcounts, .displs = displs,
                           .recvtype = recvtype };
    MPI_ENTER(p->call);
    if (!recvcounts || !displs)
        return no_layout(p->call, comm);
    return call(p, &a, comm);
}

int PMPI_Allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                    const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                    MPI_Comm comm)
{
    struct mpi_coll_plan p = { .call = "MPI_Allgatherv" };
    return allgatherv(&p, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                      comm);
}
MPI_WEAK_ALIAS(Allgatherv);

int PMPI_Iallgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                     const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                     MPI_Comm comm, MPI_Request *request)
{
    struct mpi_coll_plan p = { .call = "MPI_Iallgatherv", .starts = true, .request = request };
    return allgatherv(&p, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                      comm);
}
MPI_WEAK_ALIAS(Iallgatherv);
