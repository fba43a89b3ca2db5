/* Persistent sends and receives: the arguments are kept, each start makes a firmware request of
 * them. */
#include <stdlib.h>

#include "core/buffered.h"
#include "core/derived.h"
#include "core/err.h"
#include "core/request.h"
#include "mpi/args.h"
#include "mpi/weak_alias.h"

enum kind { RECV, SEND, SSEND, BSEND };

struct message {
    struct mpi_persistent p;
    enum kind kind;
    void *buf;
    MPI_Count count;
    int peer, tag;
    const struct mpi_type *type;    /* held */
};

/* -- starting */

/* Baton held.  NULL: no memory.  Of a buffered send the message is on its way. */
static struct fw_req *request_of(const struct message *m)
{
    struct mpi_comm *c = m->p.comm;
    if (m->peer == MPI_PROC_NULL)
        return mpi_req_done(c, m->kind == RECV ? MPI_REQ_PROC_NULL : MPI_REQ_EMPTY);
    switch (m->kind) {
    case RECV:
        return mpi_req_recv(c, m->buf, (size_t)m->count, m->type, m->peer, m->tag);
    case BSEND:
        return mpi_req_done(c, MPI_REQ_EMPTY);
    default:
        return mpi_req_send(c, m->buf, (size_t)m->count, m->type, m->peer, m->tag,
                            m->kind == SSEND ? MPI_SEND_SYNC : 0);
    }
}

static int send_buffered(const char *call, const struct message *m)
{
    if (m->kind != BSEND || m->peer == MPI_PROC_NULL)
        return MPI_SUCCESS;
    int rc = mpi_buffered_send(m->p.comm, m->buf, (size_t)m->count, m->type, m->peer, m->tag);
    return rc ? mpi_err(m->p.comm, call, rc, "no room for %zu bytes in the attached buffer",
                        (size_t)m->count * m->type->size)
              : MPI_SUCCESS;
}

static int start(const char *call, struct mpi_persistent *p)
{
    struct message *m = (struct message *)p;
    int rc = send_buffered(call, m);
    if (rc)
        return rc;
    nic_enter(mpi_nic);
    p->active = request_of(m);
    nic_leave(mpi_nic);
    if (p->active)
        return MPI_SUCCESS;
    return mpi_err(p->comm, call, MPI_ERR_NO_MEM, "no memory for a request");
}

/* A request under way has a hold on the type where it needs it. */
static void end(struct mpi_persistent *p)
{
    mpi_type_drop(((struct message *)p)->type);
    free(p);
}

static const struct mpi_persistent_class class = { .start = start, .end = end };

/* -- the calls */

static int keep(const char *call, const struct message *args, MPI_Request *request)
{
    struct mpi_comm *c = args->p.comm;
    if (!request)
        return mpi_err(c, call, MPI_ERR_REQUEST, "the address for the request is NULL");
    struct message *m = malloc(sizeof *m);
    nic_enter(mpi_nic);
    if (m)
        *m = *args;
    bool begun = m && mpi_persistent_begin(&m->p, &class, c);
    nic_leave(mpi_nic);
    if (!begun) {
        free(m);
        return mpi_err(c, call, MPI_ERR_NO_MEM, "no memory for a request");
    }
    *request = m->p.handle;
    mpi_type_hold(m->type);
    return MPI_SUCCESS;
}

static int send_init(const char *call, enum kind kind, const void *buf, MPI_Count count,
                     MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
    struct message m = {
        .kind = kind, .buf = (void *)(uintptr_t)buf, .count = count, .peer = dest, .tag = tag,
    };
    MPI_ENTER(call);
    int rc = mpi_check_send(call, buf, count, datatype, dest, tag, comm, &m.p.comm, &m.type);
    return rc ? rc : keep(call, &m, request);
}

static int recv_init(const char *call, void *buf, MPI_Count count, MPI_Datatype datatype,
                     int source, int tag, MPI_Comm comm, MPI_Request *request)
{
    struct message m = { .kind = RECV, .buf = buf, .count = count, .peer = source, .tag = tag };
    MPI_ENTER(call);
    int rc = mpi_check_recv(call, buf, count, datatype, source, tag, comm, &m.p.comm, &m.type);
    return rc ? rc : keep(call, &m, request);
}

#define SEND_INIT(name, COUNT, kind) \
    int PMPI_##name(const void *buf, COUNT count, MPI_Datatype datatype, int dest, int tag, \
                    MPI_Comm comm, MPI_Request *request) \
    { \
        return send_init("MPI_" #name, kind, buf, count, datatype, dest, tag, comm, request); \
    } \
    MPI_WEAK_ALIAS(name)

SEND_INIT(Send_init, int, SEND);
SEND_INIT(Send_init_c, MPI_Count, SEND);
SEND_INIT(Rsend_init, int, SEND);
SEND_INIT(Rsend_init_c, MPI_Count, SEND);
SEND_INIT(Ssend_init, int, SSEND);
SEND_INIT(Ssend_init_c, MPI_Count, SSEND);
SEND_INIT(Bsend_init, int, BSEND);
SEND_INIT(Bsend_init_c, MPI_Count, BSEND);

#define RECV_INIT(name, COUNT) \
    int PMPI_##name(void *buf, COUNT count, MPI_Datatype datatype, int source, int tag, \
                    MPI_Comm comm, MPI_Request *request) \
    { \
        return recv_init("MPI_" #name, buf, count, datatype, source, tag, comm, request); \
    } \
    MPI_WEAK_ALIAS(name)

RECV_INIT(Recv_init, int);
RECV_INIT(Recv_init_c, MPI_Count);
