/* Barriers and broadcasts. */
#include "mpi/coll_args.h"

int PMPI_Barrier(MPI_Comm comm)
{
    struct mpi_coll_plan p = { .call = "MPI_Barrier", .kind = MPI_COLL_BARRIER };
    int rc = mpi_coll_enter(&p, comm);
    return rc ? rc : mpi_coll_do(&p);
}
MPI_WEAK_ALIAS(Barrier);

int PMPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
    struct mpi_coll_plan p = { .call = "MPI_Ibarrier", .kind = MPI_COLL_BARRIER, .starts = true,
                               .request = request };
    int rc = mpi_coll_enter(&p, comm);
    return rc ? rc : mpi_coll_start(&p);
}
MPI_WEAK_ALIAS(Ibarrier);

static int bcast(struct mpi_coll_plan *p, void *buffer, int count, MPI_Datatype datatype, int root,
                 MPI_Comm comm)
{
    const struct mpi_type *t;
    int rc = mpi_coll_enter(p, comm);
    if (!rc)
        rc = mpi_check_data(p->call, p->c, buffer, count, datatype, &t);
    if (!rc)
        rc = mpi_coll_check_root(p->call, p->c, root);
    if (rc)
        return rc;
    p->kind = MPI_COLL_BCAST;
    p->data = buffer;
    p->bytes = (size_t)count * t->size;
    if (unlikely(!t->contiguous))
        p->data = mpi_stage(&p->staging, t, buffer, (size_t)count,
                            p->c->rank == root ? MPI_STAGE_READ : MPI_STAGE_WRITE);
    p->root = root;
    return mpi_coll_go(p);
}

int PMPI_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    struct mpi_coll_plan p = { .call = "MPI_Bcast" };
    return bcast(&p, buffer, count, datatype, root, comm);
}
MPI_WEAK_ALIAS(Bcast);

int PMPI_Ibcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
                MPI_Request *request)
{
    struct mpi_coll_plan p = { .call = "MPI_Ibcast", .starts = true, .request = request };
    return bcast(&p, buffer, count, datatype, root, comm);
}
MPI_WEAK_ALIAS(Ibcast);
