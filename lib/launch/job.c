/* Life and end of a job. */
#include "launch/job.h"
#include "launch/calls.h"
#include "nicemu.h"
#include "launch/say.h"
#include "launch/spawn.h"
#include "launch/standing.h"
#include "launch/standstill.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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
        say("cannot signal the ranks, which are killed with mpirun: %s: %s", call_noted(), strerror(errno));
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

/* Takes the reports of ranks that could not be started. */
static void read_failures(struct job *job)
{
    struct spawn_failure failure;

    while (job->failures >= 0 && read(job->failures, &failure, sizeof failure) == sizeof failure) {
        job->rank[failure.rank].start_error = failure.error;
        job->rank[failure.rank].start_step = failure.step;
    }
}

/* Whether a rank ended as it should not; a rank that aborted the job may end in any way. */
static struct cause cause_of(const struct job *job, unsigned rank)
{
    const struct rank *r = &job->rank[rank];
    struct cause cause = { .rank = rank };

    if (r->start_error) {
        cause.kind = CAUSE_NOT_STARTED;
        cause.code = r->start_error;
    } else if (WIFSIGNALED(r->status)) {
        cause.kind = CAUSE_KILLED;
        cause.code = WTERMSIG(r->status);
    } else if (WEXITSTATUS(r->status)) {
        cause.kind = CAUSE_EXIT;
        cause.code = WEXITSTATUS(r->status);
    } else if (job->options->check_finalize && nic_job_rank_state(job->nic, rank) == NIC_RANK_OPEN) {
        cause.kind = CAUSE_UNFINISHED;
    }
    return cause;
}

static void rank_ended(struct job *job, unsigned rank, int status)
{
    struct rank *r = &job->rank[rank];

    r->running = false;
    r->status = status;
    r->ended_by_us = job->sent && WIFSIGNALED(status);
    job->running--;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        read_failures(job);
    struct cause cause = cause_of(job, rank);
    if (cause.kind == CAUSE_NONE && nic_job_aborted(job->nic, NULL, NULL))
        cause.kind = CAUSE_ABORTED;
    if (cause.kind != CAUSE_NONE && job->cause.kind == CAUSE_NONE)
        job_fail(job, cause, SIGTERM);
    if (cause.kind != CAUSE_NONE)
        return;
    r->without_nic = nic_job_rank_state(job->nic, rank) == NIC_RANK_ABSENT;
    nic_job_rank_ended(job->nic, rank);
}

/* Children that are no ranks are orphans which came back to us; there is nothing to note about them. */
void job_reap(struct job *job)
{
    int status;
    pid_t pid;

    while ((pid = call_wait(-1, &status)) > 0) {
        if (pid == job->family.guard)
            job->family.guard = 0;
        for (unsigned i = 0; i < job->options->ranks; i++)
            if (job->rank[i].running && job->rank[i].pid == pid) {
                rank_ended(job, i, status);
                break;
            }
    }
    if (pid < 0 && call_refused(errno))
        job_give_up(job, errno);
}

static void escalate(struct job *job)
{
    send_end(job, job->sent == SIGTERM || job->sent == SIGKILL ? SIGKILL : SIGTERM);
}

void job_tick(struct job *job, int64_t now)
{
    if (!job->running)
        return;
    if (job->sent) {
        if (now >= job->escalate_ns)
            escalate(job);
        return;
    }
    if (job->deadline_ns && now >= job->deadline_ns)
        job_fail(job, (struct cause){ .kind = CAUSE_TIMEOUT, .text = standing_describe(job, false) },
                 SIGTERM);
    else if (job->options->watch_standstill && now >= job->look_ns)
        standstill_look(job, now);
}

int64_t job_due(const struct job *job)
{
    int64_t due = -1;

    if (!job->running)
        return -1;
    if (job->sent)
        return job->escalate_ns;
    if (job->options->watch_standstill)
        due = job->look_ns;
    if (job->deadline_ns && (due < 0 || job->deadline_ns < due))
        due = job->deadline_ns;
    return due;
}

/* An exit code has 8 bits: a failure must not become 0 for want of them. */
static int low_byte(int code)
{
    return code && !(code & 255) ? 1 : code & 255;
}

static int start_code(int error)
{
    return error == ENOENT || error == ENOTDIR ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

void job_look_at_output(struct job *job)
{
    int error = output_error(&job->output);

    if (error && error != EPIPE && job->running)
        job_fail(job, (struct cause){ .kind = CAUSE_OUTPUT }, SIGTERM);
}

int exit_code_of_loss(int error)
{
    return error == EPIPE ? EXIT_SIGNAL + SIGPIPE : error ? 1 : 0;
}

/* A rank has said what it could not write, and why. */
static bool rank_lost(const struct job *job)
{
    for (unsigned i = 0; i < job->options->ranks; i++)
        if (nic_job_lost(job->nic, i))
            return true;
    return false;
}

int job_exit_code(const struct job *job)
{
    int lost = exit_code_of_loss(output_error(&job->output));

    switch (job->cause.kind) {
    case CAUSE_NONE:
        return lost ? lost : rank_lost(job);
    case CAUSE_KILLED:
    case CAUSE_INTERRUPTED:
        return EXIT_SIGNAL + job->cause.code;
    case CAUSE_EXIT:
    case CAUSE_ABORTED:
        return low_byte(job->cause.code);
    case CAUSE_NOT_STARTED:
        return start_code(job->cause.code);
    case CAUSE_TIMEOUT:
        return EXIT_TIMEOUT;
    case CAUSE_UNFINISHED:
    case CAUSE_STANDSTILL:
    case CAUSE_OUTPUT:
    case CAUSE_REFUSED:
        break;
    }
    return 1;
}
