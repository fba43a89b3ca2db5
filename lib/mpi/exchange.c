/* What sends and receives at once. */
#include "mpi/exchange.h"

#include <stdlib.h>

#include "core/err.h"
#include "core/type_data.h"
#include "mpi/args.h"
#include "mpi/packing.h"

int mpi_exchange_check(struct mpi_exchange *x, MPI_Datatype sendtype, MPI_Datatype recvtype,
                       MPI_Comm comm)
{
    int rc = mpi_check_send(x->call, x->sendbuf, x->sendcount, sendtype, x->dest, x->sendtag, comm,
                            &x->c, &x->sendtype);
    if (!rc)
        rc = mpi_check_recv(x->call, x->recvbuf, x->recvcount, recvtype, x->source, x->recvtag,
                            comm, &x->c, &x->recvtype);
    return rc;
}

int mpi_exchange_check_replace(struct mpi_exchange *x, MPI_Datatype datatype, MPI_Comm comm)
{
    x->sendbuf = x->recvbuf;
    x->sendcount = x->recvcount;
    return mpi_exchange_check(x, datatype, datatype, comm);
}

void *mpi_exchange_copy(struct mpi_exchange *x, int *rc)
{
    size_t bytes = x->recvtype->size * (size_t)x->recvcount;
    void *copy = malloc(bytes ? bytes : 1);
    if (!copy) {
        *rc = mpi_err(x->c, x->call, MPI_ERR_NO_MEM, "no memory for a copy of %zu bytes", bytes);
        return NULL;
    }
    mpi_type_pack(x->recvtype, x->recvbuf, (size_t)x->recvcount, copy);
    mpi_packing_charge(x->recvtype, bytes);
    x->sendbuf = copy;
    x->sendtype = mpi_type_get(MPI_PACKED);
    x->sendcount = (MPI_Count)bytes;
    return copy;
}

static struct fw_req *new_recv(const struct mpi_exchange *x)
{
    if (x->source == MPI_PROC_NULL)
        return mpi_req_done(x->c, MPI_REQ_PROC_NULL);
    return mpi_req_new_recv(x->c, x->recvbuf, (size_t)x->recvcount, x->recvtype, x->source,
                            x->recvtag);
}

static struct fw_req *new_send(const struct mpi_exchange *x)
{
    if (x->dest == MPI_PROC_NULL)
        return mpi_req_done(x->c, MPI_REQ_EMPTY);
    return mpi_req_new_send(x->c, x->sendbuf, (size_t)x->sendcount, x->sendtype, x->dest,
                            x->sendtag, MPI_SEND_FIRM);
}

bool mpi_exchange_new(const struct mpi_exchange *x, struct fw_req **recv, struct fw_req **send)
{
    *recv = new_recv(x);
    *send = *recv ? new_send(x) : NULL;
    if (*send)
        return true;
    mpi_req_give_up(*recv);
    return false;
}

/* Receive first, so that two ranks that exchange long messages find each other's receive posted. */
void mpi_exchange_start(const struct mpi_exchange *x, struct fw_req *recv, struct fw_req *send)
{
    if (x->source != MPI_PROC_NULL)
        mpi_fw_start(mpi_fw, recv);
    if (x->dest == MPI_PROC_NULL)
        return;
    mpi_type_charge(x->sendtype, (size_t)x->sendcount * x->sendtype->size);
    mpi_fw_start(mpi_fw, send);
}
