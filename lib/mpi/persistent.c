/* Persistent requests: the arguments are kept, MPI_Start makes a firmware request of them. */
#include <stdlib.h>

#include "core/buffered.h"
#include "core/derived.h"
#include "core/err.h"
#include "core/request.h"
#include "mpi/args.h"
#include "mpi/weak_alias.h"

static int keep(const char *call, const struct mpi_persistent *args, MPI_Request *request)
{
    if (!request)
        return mpi_err(args->comm, call, MPI_ERR_REQUEST, "the address for the request is NULL");
    struct mpi_persistent *p = malloc(sizeof *p);
    if (p) {
        *p = *args;
        p->handle = (MPI_Request)mpi_handle_new(MPI_KIND_PERSISTENT, p);
    }
    if (!p || !p->handle) {
        free(p);
        return mpi_err(args->comm, call, MPI_ERR_NO_MEM, "no memory for a request");
    }
    *request = p->handle;
    mpi_type_hold(p->type);
    nic_enter(mpi_nic);
    mpi_comm_hold(p->comm);
    nic_leave(mpi_nic);
    return MPI_SUCCESS;
}

static int send_init(const char *call, enum mpi_persistent_kind kind, const void *buf, int count,
                     MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
    struct mpi_persistent p = {
        .kind = kind, .buf = (void *)(uintptr_t)buf, .count = count,
        .peer = dest, .tag = tag,
    };
    MPI_ENTER(call);
    int rc = mpi_check_send(call, buf, count, datatype, dest, tag, comm, &p.comm, &p.type);
    return rc ? rc : keep(call, &p, request);
}

#define SEND_INIT(name, kind) \
    int PMPI_##name##_init(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, \
                           MPI_Comm comm, MPI_Request *request) \
    { \
        return send_init("MPI_" #name "_init", kind, buf, count, datatype, dest, tag, comm, \
                         request); \
    } \
    MPI_WEAK_ALIAS(name##_init)

SEND_INIT(Send, MPI_PERSISTENT_SEND);
SEND_INIT(Rsend, MPI_PERSISTENT_SEND);
SEND_INIT(Ssend, MPI_PERSISTENT_SSEND);
SEND_INIT(Bsend, MPI_PERSISTENT_BSEND);

int PMPI_Recv_init(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                   MPI_Request *request)
{
    struct mpi_persistent p = {
        .kind = MPI_PERSISTENT_RECV, .buf = buf, .count = count,
        .peer = source, .tag = tag,
    };
    const char *call = "MPI_Recv_init";
    MPI_ENTER(call);
    int rc = mpi_check_recv(call, buf, count, datatype, source, tag, comm, &p.comm, &p.type);
    return rc ? rc : keep(call, &p, request);
}
MPI_WEAK_ALIAS(Recv_init);

/* -- starting */

/* Baton held.  NULL: no memory.  Of a buffered send the message is on its way. */
static struct fw_req *request_of(const struct mpi_persistent *p)
{
    bool receives = p->kind == MPI_PERSISTENT_RECV;
    if (p->peer == MPI_PROC_NULL)
        return mpi_req_done(p->comm, receives ? MPI_REQ_PROC_NULL : MPI_REQ_EMPTY);
    switch (p->kind) {
    case MPI_PERSISTENT_RECV:
        return mpi_req_recv(p->comm, p->buf, (size_t)p->count, p->type, p->peer, p->tag);
    case MPI_PERSISTENT_BSEND:
        return mpi_req_done(p->comm, MPI_REQ_EMPTY);
    default:
        return mpi_req_send(p->comm, p->buf, (size_t)p->count, p->type, p->peer, p->tag,
                            p->kind == MPI_PERSISTENT_SSEND ? MPI_SEND_SYNC : 0);
    }
}

static int send_buffered(const char *call, const struct mpi_persistent *p)
{
    if (p->kind != MPI_PERSISTENT_BSEND || p->peer == MPI_PROC_NULL)
        return MPI_SUCCESS;
    int rc = mpi_buffered_send(p->comm, p->buf, (size_t)p->count, p->type, p->peer, p->tag);
    return rc ? mpi_err(p->comm, call, rc, "no room for %zu bytes in the attached buffer",
                        (size_t)p->count * p->type->size)
              : MPI_SUCCESS;
}

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
    int rc = send_buffered(call, p);
    if (rc)
        return rc;
    nic_enter(mpi_nic);
    p->active = request_of(p);
    nic_leave(mpi_nic);
    if (p->active)
        return MPI_SUCCESS;
    return mpi_err(p->comm, call, MPI_ERR_NO_MEM, "no memory for a request");
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
    for (int i = 0; i < count; i++) {
        int rc = start("MPI_Startall", requests[i]);
        if (rc)
            return rc;
    }
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Startall);
