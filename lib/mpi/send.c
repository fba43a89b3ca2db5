/* Sending. */
#include "mpi/err.h"
#include "mpi/init.h"
#include "mpi/req.h"
#include "mpi/twin.h"

static int no_memory(struct mpi_comm *c, const char *call) { return mpi_err(c, call, MPI_ERR_NO_MEM, "no memory for a request"); }

/* Ends a blocking call's request: baton given, error raised. */
static int finish(const char *call, struct fw_req *r)
{
    struct mpi_pending p = { .req = r };
    struct mpi_why why;
    mpi_req_wait(r, call);
    int class = mpi_req_finish(&p, NULL, MPI_STATUS_IGNORE, &why);
    nic_work(mpi_nic, NIC_WORK_SEND_AFTER);
    nic_leave(mpi_nic);
    return unlikely(class) ? mpi_err(why.comm, call, class, "%s", why.text) : MPI_SUCCESS;
}

static int send_slowly(const char *call, struct mpi_comm *c, const void *buf, size_t count, const struct mpi_type *t, int dest, int tag,
                       unsigned how)
{
    nic_enter(mpi_nic);
    struct fw_req *r = mpi_req_send(c, buf, count, t, dest, tag, how | MPI_SEND_FIRM);
    if (r)
        return finish(call, r);
    nic_leave(mpi_nic);
    return no_memory(c, call);
}

static __attribute__((noinline)) int send_checked(const char *call, const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    struct mpi_comm *c;
    const struct mpi_type *t;
    int rc = mpi_check_send(call, buf, count, datatype, dest, tag, comm, &c, &t);
    if (rc || dest == MPI_PROC_NULL)
        return rc;
    return send_slowly(call, c, buf, (size_t)count, t, dest, tag, 0);
}

static inline __attribute__((always_inline)) int send_standard(const char *call, const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    struct mpi_comm *c;
    size_t bytes;
    if (likely(mpi_plain(buf, count, datatype, dest, tag, comm, &c, &bytes)) && likely(bytes <= mpi_eager_max)
        && likely(fw_send_short(mpi_nic, (uint32_t)mpi_comm_world_rank(c, dest), mpi_match_send(c, tag), buf, bytes)))
        return MPI_SUCCESS;
    return send_checked(call, buf, count, datatype, dest, tag, comm);
}

int PMPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    MPI_ENTER("MPI_Send");
    return send_standard("MPI_Send", buf, count, datatype, dest, tag, comm);
}
TWIN(Send);

/* A ready send may rely on the receive being posted; it need not. */
int PMPI_Rsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    MPI_ENTER("MPI_Rsend");
    return send_standard("MPI_Rsend", buf, count, datatype, dest, tag, comm);
}
TWIN(Rsend);

int PMPI_Ssend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    struct mpi_comm *c;
    const struct mpi_type *t;
    MPI_ENTER("MPI_Ssend");
    int rc = mpi_check_send("MPI_Ssend", buf, count, datatype, dest, tag, comm, &c, &t);
    if (rc || dest == MPI_PROC_NULL)
        return rc;
    return send_slowly("MPI_Ssend", c, buf, (size_t)count, t, dest, tag, MPI_SEND_SYNC);
}
TWIN(Ssend);

int PMPI_Bsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    struct mpi_comm *c;
    const struct mpi_type *t;
    MPI_ENTER("MPI_Bsend");
    int rc = mpi_check_send("MPI_Bsend", buf, count, datatype, dest, tag, comm, &c, &t);
    if (rc || dest == MPI_PROC_NULL)
        return rc;
    rc = mpi_buffer_send(c, buf, (size_t)count, t, dest, tag);
    return rc ? mpi_err(c, "MPI_Bsend", rc, "no room for %zu bytes in the attached buffer", (size_t)count * t->size) : MPI_SUCCESS;
}
TWIN(Bsend);

/* The NIC thread has the baton: leave the request in the command ring and go on.  MPI_REQUEST_NULL: not possible here. */
static MPI_Request submit(struct mpi_comm *c, const void *buf, size_t bytes, int dest, int tag, bool sync)
{
    struct fw_req *r = mpi_threaded ? NULL : mpi_fw_req_spare(mpi_fw);
    if (!r)
        return MPI_REQUEST_NULL;
    r->object.kind = FW_SEND;
    r->host = c;
    r->stage = NULL;
    r->buffer = (void *)(uintptr_t)buf;
    r->bytes = bytes;
    r->peer = (uint32_t)mpi_comm_world_rank(c, dest);
    r->match = mpi_match_send(c, tag);
    r->sync = sync;
    r->firm = false;
    MPI_Request h = mpi_req_handle(r);      /* before it is the NIC's */
    r->host_flags = MPI_REQ_HELD;
    mpi_comm_hold_outside(c);
    nic_submit(mpi_nic, &(struct nic_command){ .op = FW_COMMAND_START, .object = r });
    return h;
}

static int isend(const char *call, const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request, bool sync)
{
    struct mpi_comm *c;
    const struct mpi_type *t;
    struct fw_req *r;
    size_t bytes;
    if (likely(!sync && request && mpi_plain(buf, count, datatype, dest, tag, comm, &c, &bytes)) && likely(bytes <= mpi_eager_max)
        && likely(fw_send_short(mpi_nic, (uint32_t)mpi_comm_world_rank(c, dest), mpi_match_send(c, tag), buf, bytes))) {
        *request = MPI_REQ_SENT;
        return MPI_SUCCESS;
    }
    int rc = mpi_check_send(call, buf, count, datatype, dest, tag, comm, &c, &t);
    if (unlikely(rc))
        return rc;
    if (unlikely(!request))
        return mpi_err(c, call, MPI_ERR_REQUEST, "the address for the request is NULL");
    if (unlikely(!nic_try_enter(mpi_nic))) {
        *request = MPI_REQUEST_NULL;
        if (t->contiguous && dest != MPI_PROC_NULL)
            *request = submit(c, buf, (size_t)count * t->size, dest, tag, sync);
        if (*request != MPI_REQUEST_NULL)
            return MPI_SUCCESS;
        nic_enter(mpi_nic);
    }
    r = unlikely(dest == MPI_PROC_NULL) ? mpi_req_done(c, MPI_REQ_EMPTY)
                                        : mpi_req_send(c, buf, (size_t)count, t, dest, tag, sync ? MPI_SEND_SYNC : 0);
    if (likely(r))
        *request = mpi_req_keep(r);
    nic_leave(mpi_nic);
    return likely(r) ? MPI_SUCCESS : no_memory(c, call);
}

int PMPI_Isend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
    MPI_ENTER("MPI_Isend");
    return isend("MPI_Isend", buf, count, datatype, dest, tag, comm, request, false);
}
TWIN(Isend);

int PMPI_Irsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
    MPI_ENTER("MPI_Irsend");
    return isend("MPI_Irsend", buf, count, datatype, dest, tag, comm, request, false);
}
TWIN(Irsend);

int PMPI_Issend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
    MPI_ENTER("MPI_Issend");
    return isend("MPI_Issend", buf, count, datatype, dest, tag, comm, request, true);
}
TWIN(Issend);

int PMPI_Ibsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
    struct mpi_comm *c;
    const struct mpi_type *t;
    MPI_ENTER("MPI_Ibsend");
    int rc = mpi_check_send("MPI_Ibsend", buf, count, datatype, dest, tag, comm, &c, &t);
    if (rc)
        return rc;
    if (dest != MPI_PROC_NULL && (rc = mpi_buffer_send(c, buf, (size_t)count, t, dest, tag)))
        return mpi_err(c, "MPI_Ibsend", rc, "no room for %zu bytes in the attached buffer", (size_t)count * t->size);
    nic_enter(mpi_nic);
    struct fw_req *r = mpi_req_done(c, MPI_REQ_EMPTY);
    if (r)
        *request = mpi_req_keep(r);
    nic_leave(mpi_nic);
    return r ? MPI_SUCCESS : no_memory(c, "MPI_Ibsend");
}
TWIN(Ibsend);
