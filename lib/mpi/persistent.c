/* Persistent requests: the arguments are kept, MPI_Start makes a firmware request of them. */
#include <stdlib.h>

#include "mpi/err.h"
#include "mpi/init.h"
#include "mpi/req.h"
#include "mpi/twin.h"

static int keep(const char *call, struct mpi_persistent args, MPI_Request *request)
{
    if (!request)
        return mpi_err(args.comm, call, MPI_ERR_REQUEST, "the address for the request is NULL");
    struct mpi_persistent *p = malloc(sizeof *p);
    if (p) {
        *p = args;
        p->handle = (MPI_Request)mpi_handle_new(MPI_KIND_PERSISTENT, p);
    }
    if (!p || !p->handle) {
        free(p);
        return mpi_err(args.comm, call, MPI_ERR_NO_MEM, "no memory for a request");
    }
    *request = p->handle;
    nic_enter(mpi_nic);
    mpi_comm_hold(p->comm);
    nic_leave(mpi_nic);
    return MPI_SUCCESS;
}

#define SEND_INIT(name, ...) \
    int PMPI_##name##_init(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) \
    { \
        struct mpi_comm *c; \
        const struct mpi_type *t; \
        MPI_ENTER("MPI_" #name "_init"); \
        int rc = mpi_check_send("MPI_" #name "_init", buf, count, datatype, dest, tag, comm, &c, &t); \
        return rc ? rc : keep("MPI_" #name "_init", (struct mpi_persistent){ .send = true, .buf = (void *)(uintptr_t)buf, .count = count, \
                              .datatype = datatype, .peer = dest, .tag = tag, .comm = c, __VA_ARGS__ }, request); \
    } \
    TWIN(name##_init)

SEND_INIT(Send, .sync = false);
SEND_INIT(Rsend, .sync = false);
SEND_INIT(Ssend, .sync = true);
SEND_INIT(Bsend, .buffered = true);

int PMPI_Recv_init(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request *request)
{
    struct mpi_comm *c;
    const struct mpi_type *t;
    MPI_ENTER("MPI_Recv_init");
    int rc = mpi_check_recv("MPI_Recv_init", buf, count, datatype, source, tag, comm, &c, &t);
    return rc ? rc : keep("MPI_Recv_init", (struct mpi_persistent){ .buf = buf, .count = count, .datatype = datatype, .peer = source, .tag = tag,
                          .comm = c }, request);
}
TWIN(Recv_init);

/* Baton held.  NULL: no memory. */
static struct fw_req *request_of(const struct mpi_persistent *p)
{
    const struct mpi_type *t = mpi_type_get(p->datatype);
    if (p->peer == MPI_PROC_NULL)
        return mpi_req_done(p->comm, p->send ? MPI_REQ_EMPTY : MPI_REQ_PROC_NULL);
    if (p->buffered)
        return mpi_req_done(p->comm, MPI_REQ_EMPTY);
    if (p->send)
        return mpi_req_send(p->comm, p->buf, (size_t)p->count, t, p->peer, p->tag, p->sync ? MPI_SEND_SYNC : 0);
    return mpi_req_recv(p->comm, p->buf, (size_t)p->count, t, p->peer, p->tag);
}

static int start(const char *call, MPI_Request h)
{
    struct mpi_pending found;
    nic_enter(mpi_nic);
    bool startable = mpi_req_find(h, &found) == MPI_REQ_INACTIVE && found.persistent;
    nic_leave(mpi_nic);
    struct mpi_persistent *p = found.persistent;
    if (!startable)
        return mpi_err(NULL, call, MPI_ERR_REQUEST, p ? "the request is active already" : "%p is no persistent request", (void *)h);
    if (p->buffered && p->peer != MPI_PROC_NULL) {
        const struct mpi_type *t = mpi_type_get(p->datatype);
        int rc = mpi_buffer_send(p->comm, p->buf, (size_t)p->count, t, p->peer, p->tag);
        if (rc)
            return mpi_err(p->comm, call, rc, "no room for %zu bytes in the attached buffer", (size_t)p->count * t->size);
    }
    nic_enter(mpi_nic);
    p->active = request_of(p);
    nic_leave(mpi_nic);
    return p->active ? MPI_SUCCESS : mpi_err(p->comm, call, MPI_ERR_NO_MEM, "no memory for a request");
}

int PMPI_Start(MPI_Request *request)
{
    MPI_ENTER("MPI_Start");
    return request ? start("MPI_Start", *request) : mpi_err(NULL, "MPI_Start", MPI_ERR_REQUEST, "the address of the request is NULL");
}
TWIN(Start);

int PMPI_Startall(int count, MPI_Request requests[])
{
    MPI_ENTER("MPI_Startall");
    if (count < 0)
        return mpi_err(NULL, "MPI_Startall", MPI_ERR_COUNT, "the count is %d", count);
    for (int i = 0; i < count; i++) {
        int rc = start("MPI_Startall", requests[i]);
        if (rc)
            return rc;
    }
    return MPI_SUCCESS;
}
TWIN(Startall);
