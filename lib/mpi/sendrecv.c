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
    MPI_Count sendcount, recvcount;
    const struct mpi_type *sendtype, *recvtype;
    int dest, sendtag, source, recvtag;
};

static struct fw_req *new_recv(const struct exchange *x)
{
    if (x->source == MPI_PROC_NULL)
        return mpi_req_done(x->c, MPI_REQ_PROC_NULL);
    return mpi_req_new_recv(x->c, x->recvbuf, (size_t)x->recvcount, x->recvtype, x->source,
                            x->recvtag);
}

static struct fw_req *new_send(const struct exchange *x)
{
    if (x->dest == MPI_PROC_NULL)
        return mpi_req_done(x->c, MPI_REQ_EMPTY);
    return mpi_req_new_send(x->c, x->sendbuf, (size_t)x->sendcount, x->sendtype, x->dest,
                            x->sendtag, MPI_SEND_FIRM);
}

/* Both, or none: false, no memory.  Receive first, so that two ranks that exchange long messages
 * find each other's receive posted. */
static bool start_both(const struct exchange *x, struct fw_req **recv, struct fw_req **send)
{
    *recv = new_recv(x);
    *send = *recv ? new_send(x) : NULL;
    if (!*send) {
        mpi_req_give_up(*recv);
        return false;
    }
    if (x->source != MPI_PROC_NULL)
        mpi_fw_start(mpi_fw, *recv);
    if (x->dest != MPI_PROC_NULL)
        mpi_fw_start(mpi_fw, *send);
    return true;
}

static int exchange(const struct exchange *x, MPI_Status *status)
{
    struct mpi_why why, send_why;
    struct mpi_pending recv = { 0 }, send = { 0 };
    nic_enter(mpi_nic);
    if (!start_both(x, &recv.req, &send.req)) {
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

static int sendrecv(struct exchange *x, MPI_Datatype sendtype, MPI_Datatype recvtype, MPI_Comm comm,
                    MPI_Status *status)
{
    MPI_ENTER(x->call);
    int rc = mpi_check_send(x->call, x->sendbuf, x->sendcount, sendtype, x->dest, x->sendtag, comm,
                            &x->c, &x->sendtype);
    if (!rc)
        rc = mpi_check_recv(x->call, x->recvbuf, x->recvcount, recvtype, x->source, x->recvtag,
                            comm, &x->c, &x->recvtype);
    return rc ? rc : exchange(x, status);
}

#define SENDRECV(name, COUNT) \
    int PMPI_##name(const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, int dest, \
                    int sendtag, void *recvbuf, COUNT recvcount, MPI_Datatype recvtype, \
                    int source, int recvtag, MPI_Comm comm, MPI_Status *status) \
    { \
        struct exchange x = { .call = "MPI_" #name, .sendbuf = sendbuf, .recvbuf = recvbuf, \
                              .sendcount = sendcount, .recvcount = recvcount, .dest = dest, \
                              .sendtag = sendtag, .source = source, .recvtag = recvtag }; \
        return sendrecv(&x, sendtype, recvtype, comm, status); \
    } \
    MPI_WEAK_ALIAS(name)

SENDRECV(Sendrecv, int);
SENDRECV(Sendrecv_c, MPI_Count);

/* -- in place: what is sent is copied first */

static int check_replace(struct exchange *x, MPI_Datatype datatype, MPI_Comm comm)
{
    MPI_ENTER(x->call);
    int rc = mpi_check_send(x->call, x->recvbuf, x->recvcount, datatype, x->dest, x->sendtag, comm,
                            &x->c, &x->recvtype);
    if (!rc)
        rc = mpi_check_recv(x->call, x->recvbuf, x->recvcount, datatype, x->source, x->recvtag,
                            comm, &x->c, &x->recvtype);
    return rc;
}

/* The copy, to be freed; NULL: no memory, which has been raised. */
static void *copy_of(struct exchange *x, int *rc)
{
    size_t bytes = x->recvtype->size * (size_t)x->recvcount;
    void *copy = malloc(bytes ? bytes : 1);
    if (!copy) {
        *rc = mpi_err(x->c, x->call, MPI_ERR_NO_MEM, "no memory for a copy of %zu bytes", bytes);
        return NULL;
    }
    mpi_type_pack(x->recvtype, x->recvbuf, (size_t)x->recvcount, copy);
    x->sendbuf = copy;
    x->sendtype = mpi_type_get(MPI_PACKED);
    x->sendcount = (MPI_Count)bytes;
    return copy;
}

static int replace(struct exchange *x, MPI_Datatype datatype, MPI_Comm comm, MPI_Status *status)
{
    int rc = check_replace(x, datatype, comm);
    void *copy = rc ? NULL : copy_of(x, &rc);
    if (!rc)
        rc = exchange(x, status);
    free(copy);
    return rc;
}

#define REPLACE(name, COUNT) \
    int PMPI_##name(void *buf, COUNT count, MPI_Datatype datatype, int dest, int sendtag, \
                    int source, int recvtag, MPI_Comm comm, MPI_Status *status) \
    { \
        struct exchange x = { .call = "MPI_" #name, .recvbuf = buf, .recvcount = count, \
                              .dest = dest, .sendtag = sendtag, .source = source, \
                              .recvtag = recvtag }; \
        return replace(&x, datatype, comm, status); \
    } \
    MPI_WEAK_ALIAS(name)

REPLACE(Sendrecv_replace, int);
REPLACE(Sendrecv_replace_c, MPI_Count);
