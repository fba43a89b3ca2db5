/* Argument checks of the point-to-point calls. */
#include "mpi/err.h"
#include "mpi/req.h"

static int bad_comm(const char *call, MPI_Comm comm)
{
    return mpi_err(NULL, call, MPI_ERR_COMM, comm == MPI_COMM_NULL ? "the communicator is MPI_COMM_NULL" : "%p is no communicator (freed?)",
                   (void *)comm);
}

static int check_data(const char *call, struct mpi_comm *c, const void *buf, int count, MPI_Datatype type, const struct mpi_type **t)
{
    if (unlikely(count < 0))
        return mpi_err(c, call, MPI_ERR_COUNT, "the count is %d", count);
    *t = mpi_type_get(type);
    if (unlikely(!*t))
        return mpi_err(c, call, MPI_ERR_TYPE, type == MPI_DATATYPE_NULL ? "the datatype is MPI_DATATYPE_NULL" : "%p is no datatype", (void *)type);
    if (unlikely(!buf && count && (*t)->size))
        return mpi_err(c, call, MPI_ERR_BUFFER, "the buffer is NULL and the count is %d", count);
    return MPI_SUCCESS;
}

static int bad_rank(const char *call, struct mpi_comm *c, const char *what, int rank)
{
    char label[MPI_LABEL_LONG];
    return mpi_err(c, call, MPI_ERR_RANK, "%s %d is not in 0..%d, the ranks of %s", what, rank,
                   c->size - 1, mpi_label_long(c, label, sizeof label));
}

int mpi_check_send(const char *call, const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, struct mpi_comm **c,
                   const struct mpi_type **t)
{
    *c = mpi_comm_get(comm);
    if (unlikely(!*c))
        return bad_comm(call, comm);
    int rc = check_data(call, *c, buf, count, type, t);
    if (unlikely(rc))
        return rc;
    if (unlikely((unsigned)dest >= (unsigned)(*c)->size && dest != MPI_PROC_NULL))
        return bad_rank(call, *c, "destination", dest);
    if (unlikely(tag < 0))
        return mpi_err(*c, call, MPI_ERR_TAG, "tag %d is negative", tag);
    return MPI_SUCCESS;
}

int mpi_check_recv(const char *call, const void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, struct mpi_comm **c,
                   const struct mpi_type **t)
{
    *c = mpi_comm_get(comm);
    if (unlikely(!*c))
        return bad_comm(call, comm);
    int rc = check_data(call, *c, buf, count, type, t);
    if (unlikely(rc))
        return rc;
    if (unlikely((unsigned)source >= (unsigned)(*c)->size && source != MPI_PROC_NULL && source != MPI_ANY_SOURCE))
        return bad_rank(call, *c, "source", source);
    if (unlikely(tag < 0 && tag != MPI_ANY_TAG))
        return mpi_err(*c, call, MPI_ERR_TAG, "tag %d is negative and not MPI_ANY_TAG", tag);
    return MPI_SUCCESS;
}
