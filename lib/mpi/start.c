/* Starting persistent requests of any kind. */
#include "core/err.h"
#include "core/request.h"
#include "mpi/weak_alias.h"

static int start(const char *call, MPI_Request h)
{
    struct mpi_pending found;
    nic_enter(mpi_nic);
    bool inactive = mpi_req_find(h, &found) == MPI_REQ_INACTIVE;
    nic_leave(mpi_nic);
    struct mpi_persistent *p = found.persistent;
    if (!p)
        return mpi_err(NULL, call, MPI_ERR_REQUEST, "%p is no persistent request", (void *)h);
    if (!inactive)
        return mpi_err(NULL, call, MPI_ERR_REQUEST, "the request is active already");
    return p->class->start(call, p);
}

int PMPI_Start(MPI_Request *request)
{
    MPI_ENTER("MPI_Start");
    if (!request)
        return mpi_err(NULL, "MPI_Start", MPI_ERR_REQUEST, "the address of the request is NULL");
    return start("MPI_Start", *request);
}
MPI_WEAK_ALIAS(Start);

int PMPI_Startall(int count, MPI_Request requests[])
{
    MPI_ENTER("MPI_Startall");
    if (count < 0)
        return mpi_err(NULL, "MPI_Startall", MPI_ERR_COUNT, "the count is %d", count);
    if (count && !requests)
        return mpi_err(NULL, "MPI_Startall", MPI_ERR_REQUEST, "the array of requests is NULL");
    for (int i = 0; i < count; i++) {
        int rc = start("MPI_Startall", requests[i]);
        if (rc)
            return rc;
    }
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Startall);
