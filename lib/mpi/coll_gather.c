/* Gather and scatter. */
#include "mpi/alias.h"
#include "mpi/coll_args.h"
#include "core/err.h"

/* One call: `many` is the side with a block for each rank, which counts at the root, and `one` that
 * with this rank's own block. */
struct arguments {
    bool gather, vector;
    const void *one;
    void *many;
    int one_count, count;
    const int *counts, *displs;
    MPI_Datatype one_type, many_type;
    int root;
    struct mpi_blocks blocks;
};

static int check_many(const struct mpi_coll_plan *p, const struct arguments *a,
                      const struct mpi_type **many)
{
    int rc = MPI_SUCCESS;
    if (a->many == MPI_IN_PLACE)
        return mpi_err(p->c, p->call, MPI_ERR_BUFFER,
                       "MPI_IN_PLACE stands for the root's own block, not for all of them");
    if (a->vector)
        rc = mpi_coll_check_layout(p->call, p->c, a->counts, a->displs);
    if (rc)
        return rc;
    const void *buf = a->vector ? a : a->many;      /* blocks may lie on both sides of it */
    return mpi_check_data(p->call, p->c, buf, a->vector ? 0 : a->count, a->many_type, many);
}

static int check_one(const struct mpi_coll_plan *p, const struct arguments *a,
                     const struct mpi_type **one)
{
    if (a->one != MPI_IN_PLACE)
        return mpi_check_data(p->call, p->c, a->one, a->one_count, a->one_type, one);
    if (p->c->rank == a->root)
        return MPI_SUCCESS;
    return mpi_err(p->c, p->call, MPI_ERR_BUFFER, "MPI_IN_PLACE is for the root, which is %d",
                   a->root);
}

/* Packed stand-ins of what has gaps.  The root's own block that is in place stays so. */
static void stage(struct mpi_coll_plan *p, struct arguments *a, const struct mpi_type *one,
                  const struct mpi_type *many)
{
    enum mpi_stage read = MPI_STAGE_READ, write = MPI_STAGE_WRITE;
    if (one && !one->contiguous)
        a->one = mpi_stage(&p->staging, one, a->one, (size_t)a->one_count,
                           a->gather ? read : write);
    if (many && !many->contiguous)
        mpi_stage_blocks(&p->staging, many, &a->blocks, p->c->size, a->gather ? write : read,
                         one ? -1 : p->c->rank);
}

static void set_data(struct mpi_coll_plan *p, const struct arguments *a)
{
    const void *own = a->one == MPI_IN_PLACE ? NULL : a->one;
    p->root = a->root;
    if (a->gather) {
        p->kind = a->vector ? MPI_COLL_GATHERV : MPI_COLL_GATHER;
        p->from = own;
        p->recv = &a->blocks;
    } else {
        p->kind = a->vector ? MPI_COLL_SCATTERV : MPI_COLL_SCATTER;
        p->data = (void *)(uintptr_t)own;
        p->send = &a->blocks;
    }
}

static int plan(struct mpi_coll_plan *p, struct arguments *a)
{
    const struct mpi_type *one = NULL, *many = NULL;
    int rc = mpi_coll_check_root(p->call, p->c, a->root);
    if (!rc && p->c->rank == a->root)
        rc = check_many(p, a, &many);
    if (!rc)
        rc = check_one(p, a, &one);
    if (rc)
        return rc;
    p->own_bytes = one ? (size_t)a->one_count * one->size : 0;
    if (many)
        a->blocks = (struct mpi_blocks){ .buf = a->many, .counts = a->counts,
                                         .displs = a->displs, .count = (size_t)a->count,
                                         .unit = (size_t)many->extent };
    if (many && one && many->contiguous && one->contiguous)
        rc = mpi_alias_one(p->call, p->c, a->one, p->own_bytes, &a->blocks);
    if (rc)
        return rc;
    stage(p, a, one, many);
    if (!a->vector)
        p->bytes = many ? mpi_block_bytes(&a->blocks, 0) : p->own_bytes;
    set_data(p, a);
    return MPI_SUCCESS;
}

static int call(struct mpi_coll_plan *p, struct arguments *a, MPI_Comm comm)
{
    int rc = mpi_coll_enter(p, comm);
    if (!rc)
        rc = plan(p, a);
    return rc ? rc : mpi_coll_go(p);
}

static int gather(struct mpi_coll_plan *p, const void *sendbuf, int sendcount,
                  MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                  int root, MPI_Comm comm)
{
    struct arguments a = { .gather = true, .one = sendbuf, .one_count = sendcount,
                           .one_type = sendtype, .many = recvbuf, .count = recvcount,
                           .many_type = recvtype, .root = root };
    return call(p, &a, comm);
}

int PMPI_Gather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    struct mpi_coll_plan p = { .call = "MPI_Gather" };
    return gather(&p, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
}
MPI_WEAK_ALIAS(Gather);

int PMPI_Igather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                 int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                 MPI_Request *request)
{
    struct mpi_coll_plan p = { .call = "MPI_Igather", .starts = true, .request = request };
    return gather(&p, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
}
MPI_WEAK_ALIAS(Igather);

static int gatherv(struct mpi_coll_plan *p, const void *sendbuf, int sendcount,
                   MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[],
                   MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    struct arguments a = { .gather = true, .vector = true, .one = sendbuf, .one_count = sendcount,
                           .one_type = sendtype, .many = recvbuf, .counts = recvcounts,
                           .displs = displs, .many_type = recvtype, .root = root };
    return call(p, &a, comm);
}

int PMPI_Gatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                 const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                 MPI_Comm comm)
{
    struct mpi_coll_plan p = { .call = "MPI_Gatherv" };
    return gatherv(&p, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root,
                   comm);
}
MPI_WEAK_ALIAS(Gatherv);

int PMPI_Igatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                  const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                  MPI_Comm comm, MPI_Request *request)
{
    struct mpi_coll_plan p = { .call = "MPI_Igatherv", .starts = true, .request = request };
    return gatherv(&p, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root,
                   comm);
}
MPI_WEAK_ALIAS(Igatherv);

static int scatter(struct mpi_coll_plan *p, const void *sendbuf, int sendcount,
                   MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                   int root, MPI_Comm comm)
{
    struct arguments a = { .one = recvbuf, .one_count = recvcount, .one_type = recvtype,
                           .many = (void *)(uintptr_t)sendbuf, .count = sendcount,
                           .many_type = sendtype, .root = root };
    return call(p, &a, comm);
}

int PMPI_Scatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                 int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    struct mpi_coll_plan p = { .call = "MPI_Scatter" };
    return scatter(&p, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
}
MPI_WEAK_ALIAS(Scatter);

int PMPI_Iscatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                  int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                  MPI_Request *request)
{
    struct mpi_coll_plan p = { .call = "MPI_Iscatter", .starts = true, .request = request };
    return scatter(&p, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
}
MPI_WEAK_ALIAS(Iscatter);

static int scatterv(struct mpi_coll_plan *p, const void *sendbuf, const int sendcounts[],
                    const int displs[], MPI_Datatype sendtype, void *recvbuf, int recvcount,
                    MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    struct arguments a = { .vector = true, .one = recvbuf, .one_count = recvcount,
                           .one_type = recvtype, .many = (void *)(uintptr_t)sendbuf,
                           .counts = sendcounts, .displs = displs, .many_type = sendtype,
                           .root = root };
    return call(p, &a, comm);
}

int PMPI_Scatterv(const void *sendbuf, const int sendcounts[], const int displs[],
                  MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                  int root, MPI_Comm comm)
{
    struct mpi_coll_plan p = { .call = "MPI_Scatterv" };
    return scatterv(&p, sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root,
                    comm);
}
MPI_WEAK_ALIAS(Scatterv);

int PMPI_Iscatterv(const void *sendbuf, const int sendcounts[], const int displs[],
                   MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                   int root, MPI_Comm comm, MPI_Request *request)
{
    struct mpi_coll_plan p = { .call = "MPI_Iscatterv", .starts = true, .request = request };
    return scatterv(&p, sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root,
                    comm);
}
MPI_WEAK_ALIAS(Iscatterv);
