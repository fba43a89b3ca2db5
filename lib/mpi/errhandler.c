/* The calls with error handlers. */
#include "mpi/errhandler.h"

#include "core/comm.h"
#include "core/err.h"
#include "core/world.h"
#include "mpi/args.h"
#include "mpi/weak_alias.h"

static int no_handler(struct mpi_comm *c, const char *call, MPI_Errhandler h)
{
    return mpi_err(c, call, MPI_ERR_ERRHANDLER, "%p is no error handler of a communicator",
                   (void *)h);
}

int mpi_create_errhandler(const char *call, enum mpi_errhandler_of of, union mpi_errhandler_fn fn,
                          MPI_Errhandler *made)
{
    if (!fn.any)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the function is NULL");
    if (!made)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the address for the error handler is NULL");
    *made = mpi_errhandler_new(of, fn);
    if (*made == MPI_ERRHANDLER_NULL)
        return mpi_err(NULL, call, MPI_ERR_NO_MEM, "no memory for another error handler");
    return MPI_SUCCESS;
}

int PMPI_Comm_create_errhandler(MPI_Comm_errhandler_function *comm_errhandler_fn,
                                MPI_Errhandler *errhandler)
{
    return mpi_create_errhandler("MPI_Comm_create_errhandler", MPI_ERRHANDLER_OF_COMMS,
                                 (union mpi_errhandler_fn){ .comm = comm_errhandler_fn },
                                 errhandler);
}
MPI_WEAK_ALIAS(Comm_create_errhandler);

int PMPI_Errhandler_free(MPI_Errhandler *errhandler)
{
    const char *call = "MPI_Errhandler_free";
    if (!errhandler)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the address of the error handler is NULL");
    if (!mpi_errhandler_free(*errhandler))
        return no_handler(NULL, call, *errhandler);
    *errhandler = MPI_ERRHANDLER_NULL;
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Errhandler_free);

int PMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler)
{
    const char *call = "MPI_Comm_set_errhandler";
    struct mpi_comm *c;
    MPI_ENTER(call);
    int rc = mpi_check_comm(call, comm, &c);
    if (rc)
        return rc;
    if (!mpi_errhandler_set(&c->errhandler, errhandler, MPI_ERRHANDLER_OF_COMMS))
        return no_handler(c, call, errhandler);
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Comm_set_errhandler);

int PMPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *errhandler)
{
    const char *call = "MPI_Comm_get_errhandler";
    struct mpi_comm *c;
    MPI_ENTER(call);
    int rc = mpi_check_comm(call, comm, &c);
    if (rc)
        return rc;
    if (!errhandler)
        return mpi_err(c, call, MPI_ERR_ARG, "the address for the error handler is NULL");
    *errhandler = mpi_errhandler_get(&c->errhandler);   /* the program frees this handle too */
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Comm_get_errhandler);

int PMPI_Comm_call_errhandler(MPI_Comm comm, int errorcode)
{
    const char *call = "MPI_Comm_call_errhandler";
    struct mpi_comm *c;
    MPI_ENTER(call);
    int rc = mpi_check_comm(call, comm, &c);
    if (rc)
        return rc;
    mpi_err(c, call, errorcode, "the program raised error code %d", errorcode);
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Comm_call_errhandler);
