/* Ending a job: signals that become stronger. */
#include "launch/ranks/end.h"
#include "launch/base/calls.h"
#include "launch/ranks/job.h"
#include "nicemu/job.h"
#include "launch/base/say.h"
#include "launch/io/loss.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* To the rank alone where it has no group, or the system lets nobody signal groups. */
static bool rank_signal(const struct rank *r, int signal)
{
    if (kill(-r->pid, signal) == 0 || call_signal(r->pid, signal) == 0)
        return true;
    return errno == ESRCH;
}

bool job_signal(const struct job *job, int signal)
{
    bool sent = true;

    for (unsigned i = 0; i < job->options->ranks; i++)
        if (job->rank[i].running)
            sent &= rank_signal(&job->rank[i], signal);
    return sent;
}

void job_give_up(struct job *job, int error)
{
    if (job->cause.kind == CAUSE_NONE)
        job->cause = (struct cause){ .kind = CAUSE_REFUSED, .code = error };
    job_signal(job, SIGKILL);
    job->helpless = true;
}

/* A stopped process acts on nothing but SIGKILL until it goes on. */
static void send_end(struct job *job, int signal)
{
    job->sent = signal;
    job->escalate_ns = now_ns() + job->options->grace_ns;
    if (!job_signal(job, signal)) {
        say("cannot signal the ranks, which are killed with mpirun: %s: %s", call_noted(),
            strerror(errno));
        job->helpless = true;
    }
    if (signal != SIGKILL)
        job_signal(job, SIGCONT);
}

void job_fail(struct job *job, struct cause cause, int signal)
{
    int code;
    unsigned rank;

    if (job->cause.kind != CAUSE_NONE) {
        free(cause.text);
        return;
    }
    if (cause.kind < CAUSE_ABORTED && nic_job_aborted(job->nic, &rank, &code)) {
        cause.kind = CAUSE_ABORTED;
        cause.rank = rank;
        cause.code = code;
    }
    job->cause = cause;
    send_end(job, signal);
}

void job_escalate(struct job *job)
{
    send_end(job, job->sent == SIGTERM || job->sent == SIGKILL ? SIGKILL : SIGTERM);
}

void job_look_at_output(struct job *job)
{
    int error = output_error(&job->output);

    if (error && error != EPIPE && job->running)
        job_fail(job, (struct cause){ .kind = CAUSE_OUTPUT }, SIGTERM);
}
