/* All-to-all. */
#include "mpi/alias.h"
#include "mpi/coll_args.h"
#include "core/err.h"

/* One side of a call. */
struct side {
    const void *buf;
    const int *counts, *displs;
    int count;
    MPI_Datatype type;
    const struct mpi_type *t;
    struct mpi_blocks blocks;
};

struct arguments { bool vector; struct side send, recv; };

static int check_side(const struct mpi_coll_plan *p, bool vector, struct side *s)
{
    int rc = vector ? mpi_coll_check_layout(p->call, p->c, s->counts, s->displs) : MPI_SUCCESS;
    if (rc)
        return rc;
    const void *buf = vector ? s : s->buf;      /* blocks may lie on both sides of it */
    rc = mpi_check_data(p->call, p->c, buf, vector ? 0 : s->count, s->type, &s->t);
    if (!rc)
        s->blocks = (struct mpi_blocks){ .buf = s->buf, .counts = s->counts, .displs = s->displs,
                                         .count = (size_t)s->count, .unit = (size_t)s->t->extent };
    return rc;
}

static int plan(struct mpi_coll_plan *p, struct arguments *a)
{
    bool in_place = a->send.buf == MPI_IN_PLACE;
    int rc = in_place ? MPI_SUCCESS : check_side(p, a->vector, &a->send);
    if (!rc)
        rc = check_side(p, a->vector, &a->recv);
    if (!rc && !in_place && a->send.t->contiguous && a->recv.t->contiguous)
        rc = mpi_alias_all(p->call, p->c, &a->send.blocks, &a->recv.blocks);
    if (rc)
        return rc;
    if (!in_place && !a->send.t->contiguous)
        mpi_stage_blocks(&p->staging, a->send.t, &a->send.blocks, p->c->size, MPI_STAGE_READ, -1);
    if (!a->recv.t->contiguous)
        mpi_stage_blocks(&p->staging, a->recv.t, &a->recv.blocks, p->c->size,
                         in_place ? MPI_STAGE_BOTH : MPI_STAGE_WRITE, -1);
    p->kind = MPI_COLL_ALLTOALL;
    p->root = a->vector;            /* the number of the call, see MPI_COLL_OTHERS */
    p->bytes = a->vector ? 0 : mpi_block_bytes(&a->recv.blocks, 0);
    p->send = in_place ? NULL : &a->send.blocks;
    p->recv = &a->recv.blocks;
    return MPI_SUCCESS;
}

static int call(struct mpi_coll_plan *p, struct arguments *a, MPI_Comm comm)
{
    int rc = mpi_coll_enter(p, comm);
    if (!rc)
        rc = plan(p, a);
    return rc ? rc : mpi_coll_go(p);
}

static int alltoall(struct mpi_coll_plan *p, const void *sendbuf, int sendcount,
                    MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                    MPI_Comm comm)
{
    struct arguments a = { .send = { .buf = sendbuf, .count = sendcount, .type = sendtype },
                           .recv = { .buf = recvbuf, .count = recvcount, .type = recvtype } };
    return call(p, &a, comm);
}

int PMPI_Alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                  int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    struct mpi_coll_plan p = { .call = "MPI_Alltoall" };
    return alltoall(&p, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}
MPI_WEAK_ALIAS(Alltoall);

int PMPI_Ialltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                   int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    struct mpi_coll_plan p = { .call = "MPI_Ialltoall", .starts = true, .request = request };
    return alltoall(&p, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}
MPI_WEAK_ALIAS(Ialltoall);

static int alltoallv(struct mpi_coll_plan *p, const void *sendbuf, const int sendcounts[],
                     const int sdispls[], MPI_Datatype sendtype, void *recvbuf,
                     const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                     MPI_Comm comm)
{
    struct arguments a = { .vector = true,
                           .send = { .buf = sendbuf, .counts = sendcounts, .displs = sdispls,
                                     .type = sendtype },
                           .recv = { .buf = recvbuf, .counts = recvcounts, .displs = rdispls,
                                     .type = recvtype } };
    return call(p, &a, comm);
}

int PMPI_Alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[],
                   MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                   const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm)
{
    struct mpi_coll_plan p = { .call = "MPI_Alltoallv" };
    return alltoallv(&p, sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                     recvtype, comm);
}
MPI_WEAK_ALIAS(Alltoallv);

int PMPI_Ialltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[],
                    MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                    const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    struct mpi_coll_plan p = { .call = "MPI_Ialltoallv", .starts = true, .request = request };
    return alltoallv(&p, sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                     recvtype, comm);
}
MPI_WEAK_ALIAS(Ialltoallv);
