/* The calls with error handlers. */
#include "core/comm.h"
#include "core/err.h"
#include "core/errhandler.h"
#include "core/world.h"
#include "mpi/args.h"
#include "mpi/weak_alias.h"

static int no_handler(struct mpi_comm *c, const char *call, MPI_Errhandler h)
{
    return mpi_err(c, call, MPI_ERR_ERRHANDLER, "%p is no error handler of a communicator",
                   (void *)h);
}

int PMPI_Comm_create_errhandler(MPI_Comm_errhandler_function *comm_errhandler_fn,
                                MPI_Errhandler *errhandler)
{
    const char *call = "MPI_Comm_create_errhandler";
    if (!comm_errhandler_fn)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the function is NULL");
    if (!errhandler)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the address for the error handler is NULL");
    *errhandler = mpi_errhandler_new(comm_errhandler_fn);
    if (*errhandler == MPI_ERRHANDLER_NULL)
        return mpi_err(NULL, call, MPI_ERR_NO_MEM, "no memory for another error handler");
    return MPI_SUCCESS;
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
