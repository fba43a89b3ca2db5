/* Barriers and broadcasts. */
#include "mpi/coll_args.h"

int PMPI_Barrier(MPI_Comm comm)
{
    struct mpi_coll_plan p = { .call = "MPI_Barrier", .kind = MPI_COLL_BARRIER };
    int rc = mpi_coll_enter(&p, comm);
    return rc ? rc : mpi_coll_do(&p);
}
TWIN(Barrier);

int PMPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
    struct mpi_coll_plan p = { .call = "MPI_Ibarrier", .kind = MPI_COLL_BARRIER };
    int rc = mpi_coll_enter_start(&p, comm, request);
    return rc ? rc : mpi_coll_start(&p, request);
}
TWIN(Ibarrier);

static int plan_bcast(struct mpi_coll_plan *p, void *buffer, int count, MPI_Datatype datatype,
                      int root)
{
    const struct mpi_type *t;
    int rc = mpi_coll_check_data(p->call, p->c, buffer, count, datatype, &t);
    if (!rc)
        rc = mpi_coll_check_root(p->call, p->c, root);
    if (rc)
        return rc;
    p->data = buffer;
    p->bytes = (size_t)count * mpi_coll_unit(t);
    p->root = root;
    return MPI_SUCCESS;
}

int PMPI_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    struct mpi_coll_plan p = { .call = "MPI_Bcast", .kind = MPI_COLL_BCAST };
    int rc = mpi_coll_enter(&p, comm);
    if (!rc)
        rc = plan_bcast(&p, buffer, count, datatype, root);
    return rc ? rc : mpi_coll_do(&p);
}
TWIN(Bcast);

int PMPI_Ibcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
                MPI_Request *request)
{
    struct mpi_coll_plan p = { .call = "MPI_Ibcast", .kind = MPI_COLL_BCAST };
    int rc = mpi_coll_enter_start(&p, comm, request);
    if (!rc)
        rc = plan_bcast(&p, buffer, count, datatype, root);
    return rc ? rc : mpi_coll_start(&p, request);
}
TWIN(Ibcast);
