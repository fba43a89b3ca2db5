/* Matched probes, and receiving what one has found. */
#include <stdlib.h>

#include "core/err.h"
#include "core/request_wait.h"
#include "core/status.h"
#include "mpi/args.h"
#include "mpi/probe.h"
#include "mpi/weak_alias.h"

/* Behind an MPI_Message.  Its communicator is held: the program may free that before it receives
 * the message. */
struct found { struct fw_unexpected *message; struct mpi_comm *comm; };

/* The handle of what a probe has taken out.  MPI_SUCCESS, or an error that has been raised. */
static int keep(const struct mpi_probe *p, struct fw_unexpected *m, MPI_Message *message)
{
    struct found *f = malloc(sizeof *f);
    uintptr_t handle = f ? mpi_handle_new(MPI_KIND_MESSAGE, f) : 0;
    if (!handle) {
        free(f);
        return mpi_err(p->c, p->call, MPI_ERR_NO_MEM, "no memory for a message, which is lost");
    }
    *f = (struct found){ .message = m, .comm = p->c };
    nic_enter(mpi_nic);
    mpi_comm_hold(p->c);
    nic_leave(mpi_nic);
    *message = (MPI_Message)handle;
    return MPI_SUCCESS;
}

static int from_nobody(MPI_Message *message, MPI_Status *status)
{
    mpi_status_set_proc_null(status);
    *message = MPI_MESSAGE_NO_PROC;
    return MPI_SUCCESS;
}

int PMPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
    struct mpi_probe p = { .call = "MPI_Mprobe", .source = source, .tag = tag };
    struct fw_unexpected *m;
    MPI_ENTER("MPI_Mprobe");
    int rc = mpi_probe_check(&p, comm);
    if (!rc && !message)
        rc = mpi_no_place(p.call);
    if (rc)
        return rc;
    if (source == MPI_PROC_NULL)
        return from_nobody(message, status);
    rc = mpi_probe_wait(&p, &m, status);
    return rc ? rc : keep(&p, m, message);
}
MPI_WEAK_ALIAS(Mprobe);

int PMPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                 MPI_Status *status)
{
    struct mpi_probe p = { .call = "MPI_Improbe", .source = source, .tag = tag };
    struct fw_unexpected *m;
    MPI_ENTER("MPI_Improbe");
    int rc = mpi_probe_check(&p, comm);
    if (!rc && (!flag || !message))
        rc = mpi_no_place(p.call);
    if (rc)
        return rc;
    *message = MPI_MESSAGE_NULL;
    *flag = source == MPI_PROC_NULL;
    if (*flag)
        return from_nobody(message, status);
    *flag = mpi_probe_once(&p, &m, status);
    return *flag ? keep(&p, m, message) : MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Improbe);

/* The arguments of a receive of what was found, whose message is MPI_MESSAGE_NO_PROC where *f is
 * NULL. */
static int check(const char *call, const void *buf, MPI_Count count, MPI_Datatype datatype,
                 const MPI_Message *message, struct found **f, struct mpi_comm **c,
                 const struct mpi_type **t)
{
    *f = message ? mpi_handle_get(MPI_KIND_MESSAGE, (uintptr_t)*message) : NULL;
    *c = *f ? (*f)->comm : &mpi_comm_self;
    if (!*f && !(message && *message == MPI_MESSAGE_NO_PROC))
        return mpi_err(NULL, call, MPI_ERR_REQUEST, "%p is no message of a matched probe",
                       message ? (void *)*message : NULL);
    return mpi_check_data(call, *c, buf, count, datatype, t);
}

/* A started receive, or a done one for MPI_MESSAGE_NO_PROC, which holds its communicator; the baton
 * is held then.  NULL: *rc says which error was raised. */
static struct fw_req *receive_found(const char *call, void *buf, MPI_Count count,
                                    MPI_Datatype datatype, MPI_Message *message, int *rc)
{
    const struct mpi_type *t;
    struct mpi_comm *c;
    struct fw_req *r;
    struct found *f;
    if ((*rc = check(call, buf, count, datatype, message, &f, &c, &t)))
        return NULL;
    nic_enter(mpi_nic);
    if (f)
        r = mpi_req_recv_message(c, buf, (size_t)count, t, f->message);
    else
        r = mpi_req_done(c, MPI_REQ_PROC_NULL);
    if (!r) {
        nic_leave(mpi_nic);
        *rc = mpi_err(c, call, MPI_ERR_NO_MEM, "no memory for a request");
        return NULL;
    }
    mpi_req_keep(r);
    if (f) {
        mpi_comm_drop(c);
        mpi_handle_free((uintptr_t)*message);
        free(f);
    }
    *message = MPI_MESSAGE_NULL;
    return r;
}

static int mrecv(const char *call, void *buf, MPI_Count count, MPI_Datatype datatype,
                 MPI_Message *message, MPI_Status *status)
{
    struct mpi_why why;
    int rc;
    MPI_ENTER(call);
    struct mpi_pending p = { .req = receive_found(call, buf, count, datatype, message, &rc) };
    if (!p.req)
        return rc;
    mpi_req_wait(p.req, call);
    int class = mpi_req_finish(&p, NULL, status, &why);
    nic_leave(mpi_nic);
    return class ? mpi_why_raise(&why, call, class) : MPI_SUCCESS;
}

static int imrecv(const char *call, void *buf, MPI_Count count, MPI_Datatype datatype,
                  MPI_Message *message, MPI_Request *request)
{
    int rc;
    MPI_ENTER(call);
    if (!request)
        return mpi_err(NULL, call, MPI_ERR_REQUEST, "the address for the request is NULL");
    struct fw_req *r = receive_found(call, buf, count, datatype, message, &rc);
    if (r) {
        *request = mpi_req_handle(r);
        nic_leave(mpi_nic);
    }
    return rc;
}

#define MRECV(name, COUNT, function, END, end) \
    int PMPI_##name(void *buf, COUNT count, MPI_Datatype datatype, MPI_Message *message, END *end) \
    { \
        return function("MPI_" #name, buf, count, datatype, message, end); \
    } \
    MPI_WEAK_ALIAS(name)

MRECV(Mrecv, int, mrecv, MPI_Status, status);
MRECV(Mrecv_c, MPI_Count, mrecv, MPI_Status, status);
MRECV(Imrecv, int, imrecv, MPI_Request, request);
MRECV(Imrecv_c, MPI_Count, imrecv, MPI_Request, request);
