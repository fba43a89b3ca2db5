/* Sending and receiving at once. */
#include <stdlib.h>

#include "core/err.h"
#include "core/type_data.h"
#include "core/request_wait.h"
#include "mpi/args.h"
#include "mpi/weak_alias.h"

struct exchange {
    const char *call;
    struct mpi_comm *c;
    const void *sendbuf;
    void *recvbuf;
    size_t sendcount, recvcount;
    const struct mpi_type *sendtype, *recvtype;
    int dest, sendtag, source, recvtag;
};

static struct fw_req *start_recv(const struct exchange *x)
{
    if (x->source == MPI_PROC_NULL)
        return mpi_req_done(x->c, MPI_REQ_PROC_NULL);
    return mpi_req_recv(x->c, x->recvbuf, x->recvcount, x->recvtype, x->source, x->recvtag);
}

static struct fw_req *start_send(const struct exchange *x)
{
    if (x->dest == MPI_PROC_NULL)
        return mpi_req_done(x->c, MPI_REQ_EMPTY);
    return mpi_req_send(x->c, x->sendbuf, x->sendcount, x->sendtype, x->dest, x->sendtag,
                        MPI_SEND_FIRM);
}

/* Receive first, so that two ranks that exchange long messages find each other's receive posted. */
static int exchange(const struct exchange *x, MPI_Status *status)
{
    struct mpi_why why, send_why;
    nic_enter(mpi_nic);
    struct mpi_pending recv = { .req = start_recv(x) }, send = { .req = start_send(x) };
    if (!recv.req || !send.req) {
        nic_leave(mpi_nic);
        return mpi_err(x->c, x->call, MPI_ERR_NO_MEM, "no memory for a request");
    }
    const MPI_Request both[] = { mpi_req_handle(send.req), mpi_req_handle(recv.req) };
    mpi_req_wait_in(send.req, x->call, both, 2);
    mpi_req_wait_in(recv.req, x->call, both, 2);
    int send_class = mpi_req_finish(&send, NULL, MPI_STATUS_IGNORE, &send_why);
    int class = mpi_req_finish(&recv, NULL, status, &why);
    nic_work(mpi_nic, NIC_WORK_SEND_AFTER);
    nic_work(mpi_nic, NIC_WORK_RECV_AFTER);
    nic_leave(mpi_nic);
    if (class)
        return mpi_err(x->c, x->call, class, "%s", why.text);
    return send_class ? mpi_err(x->c, x->call, send_class, "%s", send_why.text) : MPI_SUCCESS;
}

int PMPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                  void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                  MPI_Comm comm, MPI_Status *status)
{
    struct exchange x = {
        .call = "MPI_Sendrecv", .sendbuf = sendbuf, .recvbuf = recvbuf,
        .sendcount = (size_t)sendcount, .recvcount = (size_t)recvcount,
        .dest = dest, .sendtag = sendtag, .source = source, .recvtag = recvtag,
    };
    MPI_ENTER(x.call);
    int rc = mpi_check_send(x.call, sendbuf, sendcount, sendtype, dest, sendtag, comm, &x.c,
                            &x.sendtype);
    if (!rc)
        rc = mpi_check_recv(x.call, recvbuf, recvcount, recvtype, source, recvtag, comm, &x.c,
                            &x.recvtype);
    return rc ? rc : exchange(&x, status);
}
MPI_WEAK_ALIAS(Sendrecv);

int PMPI_Sendrecv_replace(void *buf, int count, MPI_Datatype datatype, int dest, int sendtag,
                          int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
    struct exchange x = {
        .call = "MPI_Sendrecv_replace", .recvbuf = buf,
        .sendcount = (size_t)count, .recvcount = (size_t)count,
        .dest = dest, .sendtag = sendtag, .source = source, .recvtag = recvtag,
    };
    MPI_ENTER(x.call);
    int rc = mpi_check_send(x.call, buf, count, datatype, dest, sendtag, comm, &x.c, &x.sendtype);
    if (!rc)
        rc = mpi_check_recv(x.call, buf, count, datatype, source, recvtag, comm, &x.c,
                            &x.recvtype);
    if (rc)
        return rc;
    size_t bytes = x.sendtype->size * x.sendcount;
    void *copy = malloc(bytes ? bytes : 1);
    if (!copy)
        return mpi_err(x.c, x.call, MPI_ERR_NO_MEM, "no memory for a copy of %zu bytes", bytes);
    mpi_type_pack(x.sendtype, buf, x.sendcount, copy);
    x.sendbuf = copy;
    x.sendtype = mpi_type_get(MPI_PACKED);
    x.sendcount = bytes;
    rc = exchange(&x, status);
    free(copy);
    return rc;
}
MPI_WEAK_ALIAS(Sendrecv_replace);
