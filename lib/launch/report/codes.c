/* How each rank ended, ranks that ended alike together. */
#include "launch/report/codes.h"
#include "launch/base/ranklist.h"
#include "launch/base/say.h"
#include "launch/ranks/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

static bool alike(const struct rank *a, const struct rank *b)
{
    return a->status == b->status && !a->pid == !b->pid && !a->start_error == !b->start_error;
}

static void print_end(FILE *out, const struct rank *r)
{
    if (!r->pid || r->start_error)
        fputs("not started", out);
    else if (WIFSIGNALED(r->status))
        fprintf(out, "signal %d", WTERMSIG(r->status));
    else
        fprintf(out, "%d", WEXITSTATUS(r->status));
}

/* Those that end as this rank does, which is the first of them; false: it is not. */
static bool gather(const struct job *job, unsigned first, bool *same)
{
    for (unsigned i = 0; i < job->options->ranks; i++) {
        same[i] = alike(&job->rank[i], &job->rank[first]);
        if (same[i] && i < first)
            return false;
    }
    return true;
}

void codes_print(const struct job *job)
{
    unsigned ranks = job->options->ranks;
    bool *same = need(calloc(ranks, sizeof *same));
    char *text = NULL;
    size_t size;
    FILE *out = need(open_memstream(&text, &size));

    for (unsigned i = 0; i < ranks; i++) {
        if (!gather(job, i, same))
            continue;
        fputs(i ? ", " : "", out);
        print_end(out, &job->rank[i]);
        fputs(" (", out);
        ranklist_print(out, same, ranks);
        fputc(')', out);
    }
    fclose(out);
    say("exit codes: %s", text);
    free(text);
    free(same);
}
