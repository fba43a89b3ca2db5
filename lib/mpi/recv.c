/* Receiving, and sending and receiving at once. */
#include <stdlib.h>
#include <string.h>

#include "mpi/err.h"
#include "mpi/init.h"
#include "mpi/req.h"
#include "mpi/status.h"
#include "mpi/twin.h"

static int no_memory(struct mpi_comm *c, const char *call) { return mpi_err(c, call, MPI_ERR_NO_MEM, "no memory for a request"); }

/* The message may be the next to arrive, and nothing may have a claim on it before this receive.  One that is too long goes the
 * long way of errors. */
static inline bool recv_short(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    struct nic_taken taken;
    struct mpi_comm *c;
    uint64_t match, mask;
    size_t bytes;
    if (unlikely(!mpi_plain(buf, count, datatype, source == MPI_ANY_SOURCE ? 0 : source, tag == MPI_ANY_TAG ? 0 : tag, comm, &c, &bytes)))
        return false;
    mpi_match_recv(c, source, tag, &match, &mask);
    if (!fw_recv_short(mpi_fw, mpi_nic, match, mask, buf, bytes, &taken))
        return false;
    mpi_status_set(status, fw_match_source(taken.match), fw_match_tag(taken.match), taken.length);
    return true;
}

int PMPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    struct mpi_comm *c;
    const struct mpi_type *t;
    struct mpi_why why;
    MPI_ENTER("MPI_Recv");
    if (likely(recv_short(buf, count, datatype, source, tag, comm, status)))
        return MPI_SUCCESS;
    int rc = mpi_check_recv("MPI_Recv", buf, count, datatype, source, tag, comm, &c, &t);
    if (unlikely(rc))
        return rc;
    if (unlikely(source == MPI_PROC_NULL)) {
        mpi_status_set_proc_null(status);
        return MPI_SUCCESS;
    }
    nic_enter(mpi_nic);
    struct mpi_pending p = { .req = mpi_req_recv(c, buf, (size_t)count, t, source, tag) };
    if (unlikely(!p.req)) {
        nic_leave(mpi_nic);
        return no_memory(c, "MPI_Recv");
    }
    mpi_req_wait(p.req, "MPI_Recv");
    int class = mpi_req_finish(&p, NULL, status, &why);
    nic_work(mpi_nic, NIC_WORK_RECV_AFTER);
    nic_leave(mpi_nic);
    return unlikely(class) ? mpi_err(c, "MPI_Recv", class, "%s", why.text) : MPI_SUCCESS;
}
TWIN(Recv);

/* The NIC thread has the baton: leave the request in the command ring and go on.  MPI_REQUEST_NULL: not possible here. */
static MPI_Request submit(struct mpi_comm *c, void *buf, size_t bytes, int source, int tag)
{
    struct fw_req *r = mpi_threaded ? NULL : mpi_fw_req_spare(mpi_fw);
    if (!r)
        return MPI_REQUEST_NULL;
    r->object.kind = FW_RECV;
    r->host = c;
    r->stage = NULL;
    r->host_flags = 0;
    r->buffer = buf;
    r->bytes = bytes;
    mpi_match_recv(c, source, tag, &r->match, &r->mask);
    MPI_Request h = mpi_req_handle(r);      /* before it is the NIC's */
    r->host_flags = MPI_REQ_HELD;
    mpi_comm_hold_outside(c);
    nic_submit(mpi_nic, &(struct nic_command){ .op = FW_COMMAND_START, .object = r });
    return h;
}

int PMPI_Irecv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request *request)
{
    struct mpi_comm *c;
    const struct mpi_type *t;
    struct fw_req *r;
    size_t bytes;
    MPI_ENTER("MPI_Irecv");
    if (unlikely(!request || !mpi_plain(buf, count, datatype, source == MPI_ANY_SOURCE ? 0 : source, tag == MPI_ANY_TAG ? 0 : tag, comm, &c, &bytes))) {
        int rc = mpi_check_recv("MPI_Irecv", buf, count, datatype, source, tag, comm, &c, &t);
        if (rc)
            return rc;
        if (!request)
            return mpi_err(c, "MPI_Irecv", MPI_ERR_REQUEST, "the address for the request is NULL");
    }
    t = mpi_type_get(datatype);
    if (unlikely(!nic_try_enter(mpi_nic))) {
        *request = MPI_REQUEST_NULL;
        if (t->contiguous && source != MPI_PROC_NULL)
            *request = submit(c, buf, (size_t)count * t->size, source, tag);
        if (*request != MPI_REQUEST_NULL)
            return MPI_SUCCESS;
        nic_enter(mpi_nic);
    }
    r = unlikely(source == MPI_PROC_NULL) ? mpi_req_done(c, MPI_REQ_PROC_NULL) : mpi_req_recv(c, buf, (size_t)count, t, source, tag);
    if (likely(r))
        *request = mpi_req_keep(r);
    nic_leave(mpi_nic);
    return likely(r) ? MPI_SUCCESS : no_memory(c, "MPI_Irecv");
}
TWIN(Irecv);

struct exchange {
    const char *call;
    struct mpi_comm *c;
    const void *sendbuf;
    void *recvbuf;
    size_t sendcount, recvcount;
    const struct mpi_type *sendtype, *recvtype;
    int dest, sendtag, source, recvtag;
};

/* Receive first, so that two ranks that exchange long messages find each other's receive posted. */
static int exchange(const struct exchange *x, MPI_Status *status)
{
    struct mpi_pending recv, send;
    struct mpi_why why, send_why;
    nic_enter(mpi_nic);
    recv = (struct mpi_pending){ .req = x->source == MPI_PROC_NULL ? mpi_req_done(x->c, MPI_REQ_PROC_NULL)
                                        : mpi_req_recv(x->c, x->recvbuf, x->recvcount, x->recvtype, x->source, x->recvtag) };
    send = (struct mpi_pending){ .req = x->dest == MPI_PROC_NULL ? mpi_req_done(x->c, MPI_REQ_EMPTY)
                                        : mpi_req_send(x->c, x->sendbuf, x->sendcount, x->sendtype, x->dest, x->sendtag, MPI_SEND_FIRM) };
    if (!recv.req || !send.req) {
        nic_leave(mpi_nic);
        return no_memory(x->c, x->call);
    }
    const MPI_Request both[] = { mpi_req_handle(send.req), mpi_req_handle(recv.req) };
    mpi_req_wait_in(send.req, x->call, both, 2);
    mpi_req_wait_in(recv.req, x->call, both, 2);
    int send_class = mpi_req_finish(&send, NULL, MPI_STATUS_IGNORE, &send_why);
    int class = mpi_req_finish(&recv, NULL, status, &why);
    nic_work(mpi_nic, NIC_WORK_SEND_AFTER);
    nic_work(mpi_nic, NIC_WORK_RECV_AFTER);
    nic_leave(mpi_nic);
    if (!class && !send_class)
        return MPI_SUCCESS;
    return mpi_err(x->c, x->call, class ? class : send_class, "%s", class ? why.text : send_why.text);
}

int PMPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf, int recvcount,
                  MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
    struct exchange x = { .call = "MPI_Sendrecv", .sendbuf = sendbuf, .recvbuf = recvbuf, .sendcount = (size_t)sendcount, .recvcount = (size_t)recvcount,
                          .dest = dest, .sendtag = sendtag, .source = source, .recvtag = recvtag };
    MPI_ENTER("MPI_Sendrecv");
    int rc = mpi_check_send(x.call, sendbuf, sendcount, sendtype, dest, sendtag, comm, &x.c, &x.sendtype);
    if (!rc)
        rc = mpi_check_recv(x.call, recvbuf, recvcount, recvtype, source, recvtag, comm, &x.c, &x.recvtype);
    return rc ? rc : exchange(&x, status);
}
TWIN(Sendrecv);

int PMPI_Sendrecv_replace(void *buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
    struct exchange x = { .call = "MPI_Sendrecv_replace", .recvbuf = buf, .sendcount = (size_t)count, .recvcount = (size_t)count,
                          .dest = dest, .sendtag = sendtag, .source = source, .recvtag = recvtag };
    MPI_ENTER("MPI_Sendrecv_replace");
    int rc = mpi_check_send(x.call, buf, count, datatype, dest, sendtag, comm, &x.c, &x.sendtype);
    if (!rc)
        rc = mpi_check_recv(x.call, buf, count, datatype, source, recvtag, comm, &x.c, &x.recvtype);
    if (rc)
        return rc;
    size_t bytes = (size_t)x.sendtype->extent * x.sendcount;
    void *copy = malloc(bytes ? bytes : 1);
    if (!copy)
        return mpi_err(x.c, x.call, MPI_ERR_NO_MEM, "no memory for a copy of %zu bytes", bytes);
    memcpy(copy, buf ? buf : copy, bytes);
    x.sendbuf = copy;
    rc = exchange(&x, status);
    free(copy);
    return rc;
}
TWIN(Sendrecv_replace);
