/* Probing, and receiving what a matched probe found. */
#include <stdlib.h>

#include "mpi/err.h"
#include "mpi/init.h"
#include "mpi/note.h"
#include "mpi/req.h"
#include "mpi/status.h"
#include "mpi/twin.h"

struct look { uint64_t match, mask, found; size_t bytes; struct fw_unexpected **message; bool hit; };

static void look_inside(void *argument)
{
    struct look *l = argument;
    if (l->message)
        l->hit = (*l->message = mpi_fw_extract(mpi_fw, l->match, l->mask, &l->found, &l->bytes)) != NULL;
    else
        l->hit = mpi_fw_probe(mpi_fw, l->match, l->mask, &l->found, &l->bytes);
}

/* One look; `message` not NULL: take it out of the queue.  Baton held. */
static bool look(struct mpi_comm *c, int source, int tag, struct fw_unexpected **message, MPI_Status *status)
{
    struct look l = { .message = message };
    mpi_match_recv(c, source, tag, &l.match, &l.mask);
    nic_work(mpi_nic, NIC_WORK_PROBE);
    nic_call(mpi_nic, look_inside, &l);
    if (l.hit)
        mpi_status_set(status, fw_match_source(l.found), fw_match_tag(l.found), (int64_t)l.bytes);
    return l.hit;
}

struct probe { const char *call; struct mpi_comm *c; int source, tag; };

static const char *note(void *argument, char *text, size_t size)
{
    const struct probe *p = argument;
    uint64_t match, mask;
    mpi_match_recv(p->c, p->source, p->tag, &match, &mask);
    mpi_describe(text, size, p->call, match, mask, p->c);
    mpi_note_arrived(text, size, match);
    return text;
}

static void probe_wait(struct probe *p, struct fw_unexpected **message, MPI_Status *status)
{
    struct nic_wait w = { .note = note, .argument = p };
    nic_enter(mpi_nic);
    while (!look(p->c, p->source, p->tag, message, status))
        nic_wait_turn(mpi_nic, &w);
    nic_leave(mpi_nic);
}

static bool probe_once(const struct probe *p, struct fw_unexpected **message, MPI_Status *status)
{
    nic_enter(mpi_nic);
    bool found = look(p->c, p->source, p->tag, message, status);
    while (!found && nic_step(mpi_nic))     /* all that has arrived, not just the next packet */
        found = look(p->c, p->source, p->tag, message, status);
    nic_leave(mpi_nic);
    if (!found)
        mpi_poll_pause();
    return found;
}

static int check(struct probe *p, MPI_Comm comm)
{
    const struct mpi_type *t;
    return mpi_check_recv(p->call, p, 0, MPI_BYTE, p->source, p->tag, comm, &p->c, &t);
}

int PMPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    struct probe p = { .call = "MPI_Probe", .source = source, .tag = tag };
    MPI_ENTER("MPI_Probe");
    int rc = check(&p, comm);
    if (rc)
        return rc;
    if (source == MPI_PROC_NULL)
        mpi_status_set_proc_null(status);
    else
        probe_wait(&p, NULL, status);
    return MPI_SUCCESS;
}
TWIN(Probe);

int PMPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    struct probe p = { .call = "MPI_Iprobe", .source = source, .tag = tag };
    MPI_ENTER("MPI_Iprobe");
    int rc = check(&p, comm);
    if (rc)
        return rc;
    *flag = source == MPI_PROC_NULL || probe_once(&p, NULL, status);
    if (source == MPI_PROC_NULL)
        mpi_status_set_proc_null(status);
    return MPI_SUCCESS;
}
TWIN(Iprobe);

/* -- matched */

struct found { struct fw_unexpected *message; struct mpi_comm *comm; };

static MPI_Message handle_of(struct mpi_comm *c, struct fw_unexpected *m)
{
    struct found *f = malloc(sizeof *f);
    if (!f)
        return MPI_MESSAGE_NULL;
    *f = (struct found){ .message = m, .comm = c };
    return (MPI_Message)mpi_handle_new(MPI_KIND_MESSAGE, f);
}

static int from_nobody(MPI_Message *message, MPI_Status *status)
{
    mpi_status_set_proc_null(status);
    *message = MPI_MESSAGE_NO_PROC;
    return MPI_SUCCESS;
}

int PMPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
    struct probe p = { .call = "MPI_Mprobe", .source = source, .tag = tag };
    struct fw_unexpected *m;
    MPI_ENTER("MPI_Mprobe");
    int rc = check(&p, comm);
    if (rc)
        return rc;
    if (source == MPI_PROC_NULL)
        return from_nobody(message, status);
    probe_wait(&p, &m, status);
    *message = handle_of(p.c, m);
    return MPI_SUCCESS;
}
TWIN(Mprobe);

int PMPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status)
{
    struct probe p = { .call = "MPI_Improbe", .source = source, .tag = tag };
    struct fw_unexpected *m;
    MPI_ENTER("MPI_Improbe");
    int rc = check(&p, comm);
    if (rc)
        return rc;
    *message = MPI_MESSAGE_NULL;
    *flag = source == MPI_PROC_NULL;
    if (*flag)
        return from_nobody(message, status);
    if ((*flag = probe_once(&p, &m, status)))
        *message = handle_of(p.c, m);
    return MPI_SUCCESS;
}
TWIN(Improbe);

/* A started receive of a message that a matched probe took, or a done one for MPI_MESSAGE_NO_PROC.  Raises errors; *rc says which. */
static struct fw_req *receive_found(const char *call, void *buf, int count, MPI_Datatype datatype, MPI_Message *message, int *rc)
{
    struct mpi_comm *c = &mpi_comm_self;
    const struct mpi_type *t;
    struct found *f = message ? mpi_handle_get(MPI_KIND_MESSAGE, (uintptr_t)*message) : NULL;
    bool no_proc = message && *message == MPI_MESSAGE_NO_PROC;
    if (!f && !no_proc) {
        *rc = mpi_err(NULL, call, MPI_ERR_REQUEST, "%p is no message of a matched probe", message ? (void *)*message : NULL);
        return NULL;
    }
    if ((*rc = mpi_check_recv(call, buf, count, datatype, 0, 0, f ? f->comm->handle : MPI_COMM_SELF, &c, &t)))
        return NULL;
    nic_enter(mpi_nic);
    struct fw_req *r = mpi_req_done(c, MPI_REQ_PROC_NULL);
    if (r && f) {
        atomic_store_explicit(&r->done, 0, memory_order_relaxed);
        r->host_flags = 0;
        r->buffer = buf;
        r->bytes = (size_t)count * t->size;
        if (t->contiguous || !mpi_req_stage_recv(r, buf, (size_t)count, t))
            mpi_fw_receive_message(mpi_fw, f->message, r);
    }
    nic_leave(mpi_nic);
    if (!r) {
        *rc = mpi_err(c, call, MPI_ERR_NO_MEM, "no memory for a request");
        return NULL;
    }
    if (f) {
        mpi_handle_free((uintptr_t)*message);
        free(f);
    }
    *message = MPI_MESSAGE_NULL;
    return r;
}

int PMPI_Mrecv(void *buf, int count, MPI_Datatype datatype, MPI_Message *message, MPI_Status *status)
{
    int rc;
    struct mpi_why why;
    MPI_ENTER("MPI_Mrecv");
    struct mpi_pending p = { .req = receive_found("MPI_Mrecv", buf, count, datatype, message, &rc) };
    if (!p.req)
        return rc;
    nic_enter(mpi_nic);
    mpi_req_wait(p.req, "MPI_Mrecv");
    int class = mpi_req_finish(&p, NULL, status, &why);
    nic_leave(mpi_nic);
    return class ? mpi_err(why.comm, "MPI_Mrecv", class, "%s", why.text) : MPI_SUCCESS;
}
TWIN(Mrecv);

int PMPI_Imrecv(void *buf, int count, MPI_Datatype datatype, MPI_Message *message, MPI_Request *request)
{
    int rc;
    MPI_ENTER("MPI_Imrecv");
    struct fw_req *r = receive_found("MPI_Imrecv", buf, count, datatype, message, &rc);
    if (r) {
        nic_enter(mpi_nic);
        *request = mpi_req_keep(r);
        nic_leave(mpi_nic);
    }
    return rc;
}
TWIN(Imrecv);
