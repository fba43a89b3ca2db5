/* Communicators given up. */
#include "coll/coll.h"
#include "core/err.h"
#include "core/world.h"
#include "mpi/args.h"
#include "mpi/attribute.h"
#include "mpi/coll_calls.h"
#include "mpi/weak_alias.h"

static int check(const char *call, const MPI_Comm *comm, struct mpi_comm **c)
{
    MPI_ENTER(call);
    if (!comm)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the address of the communicator is NULL");
    int rc = mpi_check_comm(call, *comm, c);
    if (rc)
        return rc;
    if (*c == &mpi_comm_world || *c == &mpi_comm_self)
        return mpi_err(*c, call, MPI_ERR_COMM, "%s can't be freed",
                       *c == &mpi_comm_world ? "MPI_COMM_WORLD" : "MPI_COMM_SELF");
    if (!(*c)->context)
        return mpi_err(*c, call, MPI_ERR_COMM, "MPI_Comm_idup is still making the communicator");
    return MPI_SUCCESS;
}

static int end(const char *call, MPI_Comm *comm, struct mpi_comm *c)
{
    struct mpi_attribute_error error;
    if (!mpi_attributes_clear(&c->attributes, (uintptr_t)*comm, &error))
        return mpi_attribute_raise(c, call, &error);
    mpi_comm_release(c);
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

int PMPI_Comm_free(MPI_Comm *comm)
{
    struct mpi_comm *c;
    int rc = check("MPI_Comm_free", comm, &c);
    return rc ? rc : end("MPI_Comm_free", comm, c);
}
MPI_WEAK_ALIAS(Comm_free);

/* What is under way on it must be matched: when all ranks are here nothing is left to come. */
int PMPI_Comm_disconnect(MPI_Comm *comm)
{
    const char *call = "MPI_Comm_disconnect";
    struct mpi_coll_plan p = { .call = call };
    struct mpi_comm *c;
    int rc = check(call, comm, &c);
    if (!rc)
        rc = mpi_coll_call_barrier(&p, *comm);
    return rc ? rc : end(call, comm, c);
}
MPI_WEAK_ALIAS(Comm_disconnect);
