/* Where each rank stands, in words. */
#include "launch/report/standing.h"
#include "launch/ranks/job.h"
#include "nicemu/job.h"
#include "launch/base/ranklist.h"
#include "launch/base/say.h"
#include "launch/report/source.h"
#include "launch/report/stacks.h"
#include "base/note_mark.h"
#include "base/tasks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lines of the table, and bytes of what is said in one of them: a rank's note, what its other
 * threads do, and what it has remarked. */
enum { LINES = 32, WIRE_LINES = 8, LINE_SIZE = NIC_NOTE_BYTES + 128 + NIC_REMARK_BYTES };

/* Of a rank with several threads: those that are not in the note. */
static void print_others(FILE *out, const struct nic_rank_threads *t, pid_t process)
{
    unsigned waiting = t->waiting ? t->waiting : 1;
    size_t count = mpi_tasks_count(t, process), others = count > waiting ? count - waiting : 0;

    if (t->waiting > 1)
        fprintf(out, "; %u threads wait in MPI, this one came last", t->waiting);
    if (others && t->one)
        fprintf(out, "; its other thread%s must not call MPI", others == 1 ? "" : "s");
    else if (others)
        fprintf(out, "; %zu other thread%s outside MPI", others, others == 1 ? " is" : "s are");
}

/* still: the rank is known to wait, even if it has just woken to look around. */
static void print_open(FILE *out, const struct job *job, unsigned rank, bool still,
                       const struct nic_rank_threads *t)
{
    char note[NIC_NOTE_BYTES];
    pid_t process = mpi_tasks_process(t, job->rank[rank].pid);

    if (!t->waiting && !still) {
        mpi_tasks_print(out, t, process);
        return;
    }
    nic_job_rank_note(job->nic, rank, note, sizeof note);
    note_mark_take(note, &(struct note_mark){ 0 });
    fputs(note[0] ? note : "waits", out);
    print_others(out, t, process);
}

static void print_rank(FILE *out, const struct job *job, unsigned rank, bool still)
{
    struct nic_rank_threads t;

    if (!job->rank[rank].running)
        fputs(job->rank[rank].pid ? "has ended" : "was not started", out);
    else if (nic_job_rank_threads(job->nic, rank, &t))
        print_open(out, job, rank, still, &t);
    else if (nic_job_rank_state(job->nic, rank) == NIC_RANK_CLOSED)
        fputs("has left MPI_Finalize", out);
    else
        fputs("has not called MPI_Init", out);
}

static void print_remark(FILE *out, const struct job *job, unsigned rank)
{
    char remark[NIC_REMARK_BYTES];

    nic_job_rank_remark(job->nic, rank, remark, sizeof remark);
    if (remark[0])
        fprintf(out, "; %s", remark);
}

static void write_rank(char *text, const struct job *job, unsigned rank, bool still)
{
    FILE *out = need(fmemopen(text, LINE_SIZE, "w"));

    print_rank(out, job, rank, still);
    print_remark(out, job, rank);
    fclose(out);
    text[LINE_SIZE - 1] = 0;
}

/* Marks all ranks from `first` on of which the same is said, and takes them out of `left`. */
static void choose_same(char (*text)[LINE_SIZE], unsigned ranks, unsigned first, bool *left,
                        bool *chosen)
{
    for (unsigned i = 0; i < ranks; i++) {
        chosen[i] = i >= first && left[i] && strcmp(text[i], text[first]) == 0;
        left[i] &= !chosen[i];
    }
}

static void print_line(FILE *out, const bool *chosen, unsigned ranks, const char *text,
                       pid_t process, int64_t *left_ns)
{
    static const char has[] = "has ";
    unsigned count = 0;

    for (unsigned i = 0; i < ranks; i++)
        count += chosen[i];
    fputs(count > 1 ? "  ranks " : "  rank ", out);
    ranklist_print(out, chosen, ranks);
    bool several = count > 1 && !strncmp(text, has, sizeof has - 1);
    fputs(several ? ": have " : ": ", out);
    source_print(out, several ? text + sizeof has - 1 : text, process, left_ns);
    fputs("\n", out);
}

/* 0: it has none. */
static pid_t process_of(const struct job *job, unsigned rank)
{
    struct nic_rank_threads t;

    if (!job->rank[rank].running || !nic_job_rank_threads(job->nic, rank, &t))
        return 0;
    return mpi_tasks_process(&t, job->rank[rank].pid);
}

struct limits { unsigned lines; int64_t source_ns; bool stacks; };

static void print_groups(FILE *out, const struct job *job, char (*text)[LINE_SIZE],
                         const struct limits *limits)
{
    unsigned ranks = job->options->ranks;
    int64_t left_ns = limits->source_ns, stacks_ns = STACKS_NS;
    bool *chosen = need(calloc(ranks, sizeof *chosen)), *left = need(malloc(ranks * sizeof *left));
    unsigned lines = 0;

    memset(left, true, ranks * sizeof *left);
    for (unsigned first = 0; first < ranks; first++) {
        if (!left[first])
            continue;
        choose_same(text, ranks, first, left, chosen);
        if (++lines > limits->lines)
            continue;
        print_line(out, chosen, ranks, text[first], process_of(job, first), &left_ns);
        if (limits->stacks && job->rank[first].running)
            stacks_print(out, process_of(job, first), job->rank[first].pid, &stacks_ns);
    }
    if (lines > limits->lines)
        fprintf(out, "  and %u more lines\n", lines - limits->lines);
    free(left);
    free(chosen);
}

/* What their wires say, where there are any: whether something is lost between machines, or the
 * ranks have sent each other nothing that could end the waits. */
static void print_wires(FILE *out, const struct job *job)
{
    struct nic_rank_wire w;
    unsigned lines = 0;

    for (unsigned i = 0; i < job->options->ranks && lines < WIRE_LINES; i++)
        if (job->rank[i].running && nic_job_rank_wire(job->nic, i, &w)) {
            fprintf(out, "  to other machines, rank %u: %u frames out, %u in, %u under way\n", i,
                    w.sent, w.came, w.under_way);
            lines++;
        }
}

/* -- ranks that wait in one collective, but have not called the same: more than who waits where */

struct called { struct note_mark mark; char note[NIC_NOTE_BYTES]; unsigned rank; };

/* The note of a rank that goes on is of a wait that is over. */
static unsigned find_collectives(const struct job *job, bool still, struct called *called)
{
    struct nic_rank_threads t;
    unsigned found = 0;

    for (unsigned i = 0; i < job->options->ranks; i++) {
        struct called *c = &called[found];
        if (!job->rank[i].running || !nic_job_rank_threads(job->nic, i, &t)
            || (!still && !t.waiting))
            continue;
        nic_job_rank_note(job->nic, i, c->note, sizeof c->note);
        c->rank = i;
        found += note_mark_take(c->note, &c->mark);
    }
    return found;
}

static void print_disagreement(FILE *out, const struct job *job, bool still)
{
    struct called *called = need(calloc(job->options->ranks, sizeof *called));
    unsigned count = find_collectives(job, still, called);
    const char *what = NULL;
    unsigned same = 0;

    while (same < count && note_marks_same(&called[same].mark, &called[0].mark))
        same++;
    for (unsigned i = 0; i < count && !what; i++)
        for (unsigned k = i + 1; k < count && !what; k++) {
            what = note_marks_differ(&called[i].mark, &called[k].mark, called[i].note,
                                     called[k].note);
            if (what)
                fprintf(out, "  the ranks disagree: rank %u and rank %u have called %s\n",
                        called[i].rank, called[k].rank, what);
        }
    if (still && !what && count > 1 && count == job->options->ranks && same == count)
        fputs("  all ranks are in the same collective: they have disagreed on one before\n", out);
    free(called);
}

static bool any_in_mpi(const struct job *job)
{
    for (unsigned i = 0; i < job->options->ranks; i++)
        if (nic_job_rank_state(job->nic, i) != NIC_RANK_ABSENT)
            return true;
    return false;
}

static char *describe(const struct job *job, bool still, const struct limits *limits)
{
    unsigned ranks = job->options->ranks;
    char *result = NULL;
    size_t size;

    if (!any_in_mpi(job))
        return NULL;
    char (*text)[LINE_SIZE] = need(calloc(ranks, sizeof *text));
    FILE *out = need(open_memstream(&result, &size));
    for (unsigned i = 0; i < ranks; i++)
        write_rank(text[i], job, i, still);
    print_disagreement(out, job, still);
    print_groups(out, job, text, limits);
    print_wires(out, job);
    fclose(out);
    free(text);
    return need(result);
}

char *standing_describe(const struct job *job, bool still)
{
    return describe(job, still, &(struct limits){ .lines = LINES, .source_ns = SOURCE_NS,
                                                  .stacks = job->options->debugging.stacks });
}

char *standing_brief(const struct job *job, unsigned lines)
{
    return describe(job, false, &(struct limits){ .lines = lines });
}
