/* A job in which every rank waits: mpirun's watch (lib/launch/standstill.c), from inside. */
#include "pmi/deadlock.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/note_mark.h"
#include "base/tasks.h"
#include "nicemu/job.h"

/* Of the table, and bytes of what is said of a rank: its note and its remark. */
enum { LINES = 32, LINE_BYTES = NIC_NOTE_BYTES + NIC_REMARK_BYTES };

/* The last answers of nic_job_standstill. */
static uint64_t still[2];

/* The one who looks does not sleep: it must be the only thread that may call.  The kernel is asked
 * about others only if it numbers them as they do. */
static bool waits(const struct nic_job *job, unsigned rank, unsigned self)
{
    struct nic_rank_threads t;
    if (!nic_job_rank_threads(job, rank, &t) || t.polls)
        return false;
    if (rank == self)
        return t.one == (int)syscall(SYS_gettid) && t.waiting == 1
               && mpi_tasks_nic_sleeps(&t, getpid());
    return nic_job_holder(job, rank) == t.process && mpi_tasks_all_wait(&t, t.process);
}

static bool all_wait(const struct nic_job *job, unsigned self)
{
    for (unsigned r = 0; r < nic_job_ranks(job); r++)
        if (!waits(job, r, self))
            return false;
    return true;
}

/* -- who waits for what: ranks of which the same is to be said share a line */

/* "3" or "0-2,5" of the ranks from `first` on whose note is that of `first`; they are done then. */
static void print_ranks(FILE *out, char (*note)[LINE_BYTES], bool *done, unsigned first,
                        unsigned ranks)
{
    const char *comma = "";
    for (unsigned r = first; r < ranks; r++) {
        unsigned begin = r;
        if (done[r] || strcmp(note[r], note[first]))
            continue;
        for (; r + 1 < ranks && !done[r + 1] && !strcmp(note[r + 1], note[first]); r++)
            done[r + 1] = true;
        fprintf(out, r > begin ? "%s%u-%u" : "%s%u", comma, begin, r);
        done[begin] = true;
        comma = ",";
    }
}

/* The first two ranks that are in one collective, but have not called the same. */
static void print_disagreement(FILE *out, char (*note)[LINE_BYTES],
                               const struct note_mark *mark, unsigned ranks)
{
    for (unsigned i = 0; i < ranks; i++)
        for (unsigned k = i + 1; mark[i].kind && k < ranks; k++) {
            const char *what = NULL;
            if (mark[k].kind)
                what = note_marks_differ(&mark[i], &mark[k], note[i], note[k]);
            if (!what)
                continue;
            fprintf(out, "\n  the ranks disagree: rank %u and rank %u have called %s", i, k, what);
            return;
        }
}

static void add_remark(char *note, const struct nic_job *job, unsigned rank)
{
    char remark[NIC_REMARK_BYTES];
    size_t used = strlen(note);
    nic_job_rank_remark(job, rank, remark, sizeof remark);
    if (remark[0])
        snprintf(note + used, LINE_BYTES - used, "%s; %s", used ? "" : "waits", remark);
}

static char *describe(const struct nic_job *job)
{
    unsigned ranks = nic_job_ranks(job), lines = 0;
    char *text = NULL, (*note)[LINE_BYTES] = calloc(ranks, sizeof *note);
    struct note_mark *mark = calloc(ranks, sizeof *mark);
    bool *done = calloc(ranks, sizeof *done);
    size_t size;
    FILE *out = note && done && mark ? open_memstream(&text, &size) : NULL;
    for (unsigned r = 0; out && r < ranks; r++) {
        nic_job_rank_note(job, r, note[r], NIC_NOTE_BYTES);
        if (!note_mark_take(note[r], &mark[r]))
            mark[r].kind = 0;
    }
    if (out) {
        fputs("the job cannot go on: every rank waits and no message is in flight", out);
        print_disagreement(out, note, mark, ranks);
        for (unsigned r = 0; r < ranks; r++)
            add_remark(note[r], job, r);
    }
    for (unsigned r = 0; out && r < ranks && lines < LINES; r++)
        if (!done[r]) {
            fputs("\n  rank ", out);
            print_ranks(out, note, done, r, ranks);
            fprintf(out, ": %s", note[r][0] ? note[r] : "waits");
            lines++;
        }
    if (out)
        fclose(out);
    free(done);
    free(mark);
    free(note);
    return text;
}

char *mpi_pmi_deadlock(const struct nic_job *job, unsigned rank)
{
    for (unsigned r = 0; r < rank; r++)
        if (nic_job_rank_state(job, r) == NIC_RANK_OPEN)
            return NULL;
    uint64_t answer = nic_job_standstill(job);
    bool stands = answer && answer == still[0] && answer == still[1] && all_wait(job, rank)
                  && nic_job_standstill(job) == answer;
    still[1] = still[0];
    still[0] = answer;
    return stands ? describe(job) : NULL;
}
