/* Why a job failed, in one line where that is possible. */
#include "launch/report/last_word.h"
#include "launch/base/calls.h"
#include "launch/ranks/job.h"
#include "launch/report/crash.h"
#include "launch/base/ranklist.h"
#include "launch/base/say.h"
#include "launch/io/loss.h"
#include "base/note_mark.h"
#include "nicemu/job.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* Whether a rank failed in the same way as the one that is the cause, and by itself. */
static bool failed_alike(const struct job *job, unsigned rank)
{
    const struct rank *r = &job->rank[rank], *first = &job->rank[job->cause.rank];

    if (rank == job->cause.rank)
        return true;
    if (!r->pid || r->running || r->ended_by_us)
        return false;
    if (job->cause.kind == CAUSE_UNFINISHED)
        return false;
    return r->status == first->status && r->start_error == first->start_error;
}

/* "rank 3 (pid 4711) was", "4 ranks (0-3) were": the ranks that failed alike. */
static void print_subject(FILE *out, const struct job *job, const char *one, const char *many)
{
    unsigned ranks = job->options->ranks, count = 0;
    bool *alike = need(calloc(ranks, sizeof *alike));

    for (unsigned i = 0; i < ranks; i++)
        count += alike[i] = failed_alike(job, i);
    if (count == 1) {
        fprintf(out, "rank %u (pid %ld)%s", job->cause.rank, (long)job->rank[job->cause.rank].pid,
                one);
    } else {
        fprintf(out, "%u ranks (", count);
        ranklist_print(out, alike, ranks);
        fprintf(out, ")%s", many);
    }
    free(alike);
}

static const char *step_name(char step, int error)
{
    if (step == 'x')
        return error == EPERM || error == ENOSYS ? "execve: " : "";
    return step == 'd' ? "working directory: " : "dup2: ";
}

static void print_not_started(FILE *out, const struct job *job)
{
    char step = job->rank[job->cause.rank].start_step;

    print_subject(out, job, "", "");
    fprintf(out, " could not be started: %s%s", step_name(step, job->cause.code),
            strerror(job->cause.code));
    if (step == 'x' && job->cause.code == ENOENT)
        fputs(" (the interpreter that its first line names)", out);
    if (step == 'x' && job->cause.code == ENOEXEC)
        fputs(" (a program for another kind of machine, or a damaged one)", out);
}

static void print_killed(FILE *out, const struct job *job)
{
    bool core = WCOREDUMP(job->rank[job->cause.rank].status);

    print_subject(out, job, " was", " were");
    fprintf(out, " killed by signal %d (%s)%s", job->cause.code, strsignal(job->cause.code),
            core ? ", core dumped" : "");
}

static void print_unfinished(FILE *out, const struct job *job)
{
    char note[NIC_NOTE_BYTES];
    unsigned rank = job->cause.rank;

    nic_job_rank_note(job->nic, rank, note, sizeof note);
    fprintf(out, "rank %u exited with code 0 without calling %s", rank,
            strcmp(note, NOTE_SESSIONS_OPEN) ? "MPI_Finalize"
            : "MPI_Session_finalize for each of its sessions");
}

/* With the error that the program was told of by MPI before, which may be why. */
static void print_exit(FILE *out, const struct job *job)
{
    char remark[NIC_REMARK_BYTES];

    print_subject(out, job, "", "");
    fprintf(out, " exited with code %d", job->cause.code);
    nic_job_rank_remark(job->nic, job->cause.rank, remark, sizeof remark);
    if (remark[0])
        fprintf(out, "\n  rank %u: %s", job->cause.rank, remark);
}

static void print_cause(FILE *out, const struct job *job)
{
    const struct cause *cause = &job->cause;

    switch (cause->kind) {
    case CAUSE_NONE:
    case CAUSE_OUTPUT:
        break;
    case CAUSE_EXIT:
        print_exit(out, job);
        break;
    case CAUSE_KILLED:
        print_killed(out, job);
        break;
    case CAUSE_UNFINISHED:
        print_unfinished(out, job);
        break;
    case CAUSE_NOT_STARTED:
        print_not_started(out, job);
        break;
    case CAUSE_ABORTED:
        fprintf(out, "rank %u aborted the job with code %d", cause->rank, cause->code);
        break;
    case CAUSE_STANDSTILL:
        fprintf(out, "the job cannot go on: every rank%s waits and no message is in flight%s",
                cause->code ? " that has not ended" : "",
                debugging_is_synchronous(&job->options->debugging)
                ? "\n  (--check=sync: a send that waits works only while it is buffered)" : "");
        break;
    case CAUSE_TIMEOUT:
        fprintf(out, "the job was ended after %g s (--timeout)",
                (double)job->options->timeout_ns / 1e9);
        break;
    case CAUSE_REFUSED:
        fprintf(out, "the job was ended, as the system refuses what it takes: %s: %s",
                call_noted(), strerror(cause->code));
        break;
    case CAUSE_INTERRUPTED:
        fprintf(out, "the job was ended by signal %d (%s)", cause->code, strsignal(cause->code));
        break;
    }
    if (cause->text)
        fprintf(out, "\n%s", cause->text);
    crash_print(out, &job->crashes, job->options->ranks);
}

/* Failures of a rank are the program's affair, and quiet means quiet; what the launcher itself
 * decides is always said.  A rank that died because nobody reads the output any more is not worth a
 * word. */
static bool worth_saying(const struct job *job)
{
    const struct cause *cause = &job->cause;

    if (cause->kind == CAUSE_NONE || cause->kind == CAUSE_OUTPUT)
        return false;
    if (cause->kind == CAUSE_KILLED && cause->code == SIGPIPE
        && output_error(&job->output) == EPIPE)
        return false;
    return !job->options->quiet || cause->kind == CAUSE_STANDSTILL
           || cause->kind == CAUSE_TIMEOUT ||
           cause->kind == CAUSE_NOT_STARTED || cause->kind == CAUSE_REFUSED || cause->text;
}

void report_print(const struct job *job)
{
    char *text = NULL;
    size_t size;

    output_say_lost(&job->output);
    if (!worth_saying(job))
        return;
    FILE *out = need(open_memstream(&text, &size));
    print_cause(out, job);
    fclose(out);
    if (size && text[size - 1] == '\n')
        text[size - 1] = 0;
    say("%s", text);
    free(text);
}
