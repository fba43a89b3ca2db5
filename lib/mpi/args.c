/* What is wrong with the arguments of a call. */
#include "mpi/args.h"

#include "core/err.h"
#include "core/label.h"

int mpi_no_place(const char *call)
{
    return mpi_err(NULL, call, MPI_ERR_ARG, "an address for a result is NULL");
}

int mpi_check_comm(const char *call, MPI_Comm comm, struct mpi_comm **c)
{
    *c = mpi_comm_get(comm);
    if (likely(*c))
        return MPI_SUCCESS;
    if (comm == MPI_COMM_NULL)
        return mpi_err(NULL, call, MPI_ERR_COMM, "the communicator is MPI_COMM_NULL");
    return mpi_err(NULL, call, MPI_ERR_COMM, "%p is no communicator (freed?)", (void *)comm);
}

int mpi_check_intra(const char *call, MPI_Comm comm, struct mpi_comm **c)
{
    int rc = mpi_check_comm(call, comm, c);
    if (!rc && unlikely((*c)->inter))
        rc = mpi_err(*c, call, MPI_ERR_COMM, "the communicator is an intercommunicator");
    return rc;
}

int mpi_check_type(const char *call, struct mpi_comm *c, MPI_Datatype type,
                   const struct mpi_type **t)
{
    *t = mpi_type_get(type);
    if (likely(*t))
        return MPI_SUCCESS;
    if (type == MPI_DATATYPE_NULL)
        return mpi_err(c, call, MPI_ERR_TYPE, "the datatype is MPI_DATATYPE_NULL");
    return mpi_err(c, call, MPI_ERR_TYPE, "%p is no datatype", (void *)type);
}

/* Nothing is mapped to the first page. */
bool mpi_is_nowhere(const void *at, const struct mpi_type *t)
{
    enum { PAGE = 4096 };
    return (uintptr_t)at + (uintptr_t)mpi_type_true_lb(t) < PAGE;
}

/* So many bytes have no place in an address, nor in a status. */
static bool too_many(MPI_Count count, const struct mpi_type *t)
{
    ptrdiff_t bytes;
    return __builtin_mul_overflow((size_t)count, t->size, &bytes);
}

int mpi_check_data(const char *call, struct mpi_comm *c, const void *buf, MPI_Count count,
                   MPI_Datatype type, const struct mpi_type **t)
{
    if (unlikely(count < 0))
        return mpi_err(c, call, MPI_ERR_COUNT, "the count is %lld", (long long)count);
    int rc = mpi_check_type(call, c, type, t);
    if (unlikely(rc))
        return rc;
    if (unlikely(!(*t)->committed))
        return mpi_err(c, call, MPI_ERR_TYPE, "the datatype has not been committed");
    if (unlikely(too_many(count, *t)))
        return mpi_err(c, call, MPI_ERR_COUNT, "%lld elements of %zu bytes are beyond 2^63 bytes",
                       (long long)count, (*t)->size);
    bool data = count && (*t)->size;
    if (unlikely(!buf && data && mpi_is_nowhere(buf, *t)))
        return mpi_err(c, call, MPI_ERR_BUFFER, "the buffer is NULL and the count is %lld",
                       (long long)count);
    if (unlikely(buf == MPI_IN_PLACE && data))
        return mpi_err(c, call, MPI_ERR_BUFFER, "MPI_IN_PLACE stands for a buffer");
    return MPI_SUCCESS;
}

static int bad_rank(const char *call, struct mpi_comm *c, const char *what, int rank)
{
    char label[MPI_LABEL_LONG];
    return mpi_err(c, call, MPI_ERR_RANK, "%s %d is not in 0..%d, the ranks of %s%s", what, rank,
                   c->peers - 1, c->inter ? "the remote group of " : "",
                   mpi_label_long(c, label, sizeof label));
}

static bool is_rank(const struct mpi_comm *c, int peer)
{
    return (unsigned)peer < (unsigned)c->peers;
}

int mpi_check_send(const char *call, const void *buf, MPI_Count count, MPI_Datatype type,
                   int dest, int tag, MPI_Comm comm, struct mpi_comm **c,
                   const struct mpi_type **t)
{
    int rc = mpi_check_comm(call, comm, c);
    if (likely(!rc))
        rc = mpi_check_data(call, *c, buf, count, type, t);
    if (unlikely(rc))
        return rc;
    if (unlikely(!is_rank(*c, dest) && dest != MPI_PROC_NULL))
        return bad_rank(call, *c, "destination", dest);
    if (unlikely(tag < 0))
        return mpi_err(*c, call, MPI_ERR_TAG, "tag %d is negative", tag);
    return MPI_SUCCESS;
}

int mpi_check_recv(const char *call, const void *buf, MPI_Count count, MPI_Datatype type,
                   int source, int tag, MPI_Comm comm, struct mpi_comm **c,
                   const struct mpi_type **t)
{
    int rc = mpi_check_comm(call, comm, c);
    if (likely(!rc))
        rc = mpi_check_data(call, *c, buf, count, type, t);
    if (unlikely(rc))
        return rc;
    if (unlikely(!is_rank(*c, source) && source != MPI_PROC_NULL && source != MPI_ANY_SOURCE))
        return bad_rank(call, *c, "source", source);
    if (unlikely(tag < 0 && tag != MPI_ANY_TAG))
        return mpi_err(*c, call, MPI_ERR_TAG, "tag %d is negative and not MPI_ANY_TAG", tag);
    return MPI_SUCCESS;
}
