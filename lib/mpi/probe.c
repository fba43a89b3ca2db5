/* Probing. */
#include "mpi/probe.h"

#include "core/err.h"
#include "core/lost_watch.h"
#include "core/match.h"
#include "core/request_wait.h"
#include "core/status.h"
#include "core/wait_reason.h"
#include "mpi/args.h"
#include "mpi/weak_alias.h"

struct look {
    uint64_t match, mask, found;
    size_t bytes;
    struct fw_unexpected **message;    /* to be taken out; NULL: none */
    bool hit;
};

static void look_inside(void *argument)
{
    struct look *l = argument;
    if (!l->message) {
        l->hit = mpi_fw_probe(mpi_fw, l->match, l->mask, &l->found, &l->bytes);
        return;
    }
    *l->message = mpi_fw_extract(mpi_fw, l->match, l->mask, &l->found, &l->bytes);
    l->hit = *l->message != NULL;
}

/* One look.  Baton held. */
static bool look(const struct mpi_probe *p, struct fw_unexpected **message, MPI_Status *status)
{
    struct look l = { .message = message };
    mpi_match_recv(p->c, p->source, p->tag, &l.match, &l.mask);
    nic_work(mpi_nic, NIC_WORK_PROBE);
    nic_call(mpi_nic, look_inside, &l);
    if (l.hit)
        mpi_status_set(status, fw_match_source(l.found), fw_match_tag(l.found), (int64_t)l.bytes);
    return l.hit;
}

static const char *reason(void *argument, char *text, size_t size)
{
    const struct mpi_probe *p = argument;
    uint64_t match, mask;
    mpi_match_recv(p->c, p->source, p->tag, &match, &mask);
    mpi_reason_receive(text, size, p->call, match, mask, p->c);
    mpi_reason_add_arrived(text, size, match);
    return text;
}

int mpi_probe_wait(const struct mpi_probe *p, struct fw_unexpected **message, MPI_Status *status)
{
    struct mpi_probe mine = *p;
    struct nic_wait w = { .note = reason, .argument = &mine };
    struct mpi_why why;
    bool found;
    nic_enter(mpi_nic);
    struct fw_req *watch = mpi_lost_watch(p->c, p->source);
    while (!(found = look(p, message, status)) && !mpi_lost_seen(watch))
        nic_wait_turn(mpi_nic, &w);
    int class = mpi_lost_end(watch, &why);
    nic_leave(mpi_nic);
    return found ? MPI_SUCCESS : mpi_err(p->c, p->call, class, "%s", why.text);
}

bool mpi_probe_now(const struct mpi_probe *p, struct fw_unexpected **message, MPI_Status *status)
{
    nic_enter(mpi_nic);
    bool found = look(p, message, status);
    while (!found && nic_step(mpi_nic))     /* all that has arrived, not just the next packet */
        found = look(p, message, status);
    nic_leave(mpi_nic);
    return found;
}

bool mpi_probe_once(const struct mpi_probe *p, struct fw_unexpected **message, MPI_Status *status)
{
    bool found = mpi_probe_now(p, message, status);
    if (!found)
        mpi_poll_pause();
    return found;
}

int mpi_probe_check(struct mpi_probe *p, MPI_Comm comm)
{
    const struct mpi_type *t;
    return mpi_check_recv(p->call, p, 0, MPI_BYTE, p->source, p->tag, comm, &p->c, &t);
}

int PMPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    struct mpi_probe p = { .call = "MPI_Probe", .source = source, .tag = tag };
    MPI_ENTER(p.call);
    int rc = mpi_probe_check(&p, comm);
    if (rc)
        return rc;
    if (source != MPI_PROC_NULL)
        return mpi_probe_wait(&p, NULL, status);
    mpi_status_set_proc_null(status);
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Probe);

int PMPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    struct mpi_probe p = { .call = "MPI_Iprobe", .source = source, .tag = tag };
    MPI_ENTER(p.call);
    int rc = mpi_probe_check(&p, comm);
    if (!rc && !flag)
        rc = mpi_no_place(p.call);
    if (rc)
        return rc;
    *flag = source == MPI_PROC_NULL || mpi_probe_once(&p, NULL, status);
    if (source == MPI_PROC_NULL)
        mpi_status_set_proc_null(status);
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Iprobe);
