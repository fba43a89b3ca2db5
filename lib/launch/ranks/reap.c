/* Ranks that have ended, and what that means for their job. */
#include "launch/ranks/reap.h"
#include "launch/base/calls.h"
#include "launch/ranks/end.h"
#include "launch/ranks/job.h"
#include "nicemu/job.h"
#include "launch/ranks/spawn.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

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
    } else if (job->options->check_finalize
               && nic_job_rank_state(job->nic, rank) == NIC_RANK_OPEN) {
        cause.kind = CAUSE_UNFINISHED;
    }
    return cause;
}

/* Nobody sends these to end a rank. */
static bool has_crashed(int status)
{
    int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

    return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL
           || signal == SIGABRT;
}

static void rank_ended(struct job *job, unsigned rank, int status)
{
    struct rank *r = &job->rank[rank];

    r->running = false;
    r->status = status;
    r->without_nic = WIFEXITED(status) && nic_job_rank_state(job->nic, rank) == NIC_RANK_ABSENT;
    r->ended_by_us = job->sent && WIFSIGNALED(status) && !has_crashed(status);
    job->running--;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        read_failures(job);
    struct cause cause = cause_of(job, rank);
    if (cause.kind == CAUSE_NONE && nic_job_aborted(job->nic, &cause.rank, &cause.code))
        cause.kind = CAUSE_ABORTED;
    if (cause.kind != CAUSE_NONE && job->cause.kind == CAUSE_NONE)
        job_fail(job, cause, SIGTERM);
    if (cause.kind == CAUSE_NONE)
        nic_job_rank_ended(job->nic, rank);
}

/* Children that are no ranks are orphans which came back
 * to us; there is nothing to note about them. */
static void child_ended(struct job *job, pid_t pid, int status)
{
    if (pid == job->family.guard)
        job->family.guard = 0;
    for (unsigned i = 0; i < job->options->ranks; i++)
        if (job->rank[i].running && job->rank[i].pid == pid) {
            rank_ended(job, i, status);
            break;
        }
}

/* The other ranks see that one is lost when its process is no more: before that it is noted why the
 * job ends, else the end of one of those would be told. */
void job_reap(struct job *job)
{
    int status;
    pid_t pid;

    while ((pid = call_peek(&status)) > 0) {
        child_ended(job, pid, status);
        call_wait(pid, &status);
    }
    if (pid < 0 && call_refused(errno))
        job_give_up(job, errno);
}
