/* Barriers and broadcasts. */
#include "mpi/coll_args.h"
#include "mpi/coll_calls.h"

static int barrier(struct mpi_coll_plan *p, MPI_Comm comm)
{
    p->kind = MPI_COLL_BARRIER;
    int rc = mpi_coll_enter(p, comm);
    return rc ? rc : mpi_coll_go(p);
}

#define BARRIER(NAME, COUNT, PLACE, FORM) \
    int PMPI_##NAME(MPI_Comm comm MPI_COLL_MORE_##FORM) \
    { \
        struct mpi_coll_plan p = { .call = "MPI_" #NAME MPI_COLL_FORM_##FORM }; \
        return barrier(&p, comm); \
    } \
    MPI_WEAK_ALIAS(NAME)
MPI_COLL_FORMS_OF(BARRIER, Barrier, barrier, , int, int);

int mpi_coll_call_barrier(struct mpi_coll_plan *p, MPI_Comm comm) { return barrier(p, comm); }

static int bcast(struct mpi_coll_plan *p, void *buffer, MPI_Count count, MPI_Datatype datatype,
                 int root, MPI_Comm comm)
{
    const struct mpi_type *t;
    p->kind = MPI_COLL_BCAST;
    int rc = mpi_coll_enter(p, comm);
    if (!rc)
        rc = mpi_coll_check_root(p, root);
    if (!rc && unlikely(p->root < 0))
        return mpi_coll_go(p);
    if (!rc)
        rc = mpi_coll_check_data(p, buffer, count, datatype, &t);
    if (rc)
        return rc;
    p->data = buffer;
    p->bytes = (size_t)count * t->size;
    if (unlikely(!t->contiguous))
        p->data = mpi_stage(mpi_coll_staging(p), t, buffer, (size_t)count,
                            mpi_coll_is_root(p, root) ? MPI_STAGE_READ : MPI_STAGE_WRITE);
    return mpi_coll_go(p);
}

#define BCAST(NAME, COUNT, PLACE, FORM) \
    int PMPI_##NAME(void *buffer, COUNT count, MPI_Datatype datatype, int root, \
                    MPI_Comm comm MPI_COLL_MORE_##FORM) \
    { \
        struct mpi_coll_plan p = { .call = "MPI_" #NAME MPI_COLL_FORM_##FORM }; \
        return bcast(&p, buffer, count, datatype, root, comm); \
    } \
    MPI_WEAK_ALIAS(NAME)
MPI_COLL_FORMS(BCAST, Bcast, bcast);

int mpi_coll_call_bcast(struct mpi_coll_plan *p, void *data, MPI_Count count, MPI_Datatype type,
                        int root, MPI_Comm comm)
{
    return bcast(p, data, count, type, root, comm);
}
