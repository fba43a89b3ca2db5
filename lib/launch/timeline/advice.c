/* Sentences from sums. */
#include "launch/timeline/advice.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "launch/timeline/chrome.h"

struct list { FILE *out; unsigned count; };

__attribute__((format(printf, 2, 3))) static void add(struct list *l, const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fputs(l->count++ ? "," : "", l->out);
    json_string(l->out, text);
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* Calls of several threads at once can be longer than the job. */
static uint64_t outside(const struct rank_sums *r)
{
    return r->there > r->mpi ? r->there - r->mpi : 0;
}

/* The rank with the most of what it does outside MPI. */
static unsigned busiest(const struct view *v, const struct sums *s)
{
    unsigned best = 0;

    for (unsigned r = 1; r < v->ranks; r++)
        if (outside(&s->rank[r]) > outside(&s->rank[best]))
            best = r;
    return best;
}

static unsigned last_comer(const struct view *v, const struct sums *s)
{
    unsigned best = 0;

    for (unsigned r = 1; r < v->ranks; r++)
        if (s->rank[r].last > s->rank[best].last)
            best = r;
    return best;
}

static void advise_waiting(struct list *l, const struct view *v, const struct sums *s)
{
    const uint64_t *w = s->all.waited, all = s->all.there;

    if (percent(w[CAUSE_SENDER], all) >= 5)
        add(l, "%.0f %% of all time receives waited for messages that had not been sent yet: send "
            "earlier, or receive with MPI_Irecv and compute meanwhile. Rank %u computes longest.",
            percent(w[CAUSE_SENDER], all), busiest(v, s));
    if (percent(w[CAUSE_RANKS], all) >= 5)
        add(l, "%.0f %% of all time ranks waited in collectives for others to come; rank %u came "
            "last most often: give it less to do, or use a non-blocking collective.",
            percent(w[CAUSE_RANKS], all), last_comer(v, s));
    if (percent(w[CAUSE_RECEIVER], all) >= 5)
        add(l, "%.0f %% of all time long sends waited for their receives: post these earlier, with "
            "MPI_Irecv.", percent(w[CAUSE_RECEIVER], all));
}

static uint64_t calls_of(const struct view *v, unsigned call)
{
    uint64_t count = 0;

    for (unsigned r = 0; r < v->ranks; r++)
        count += view_rank(v, r)->call[call].calls;
    return count;
}

static void advise_messages(struct list *l, const struct view *v, const struct sums *s)
{
    uint64_t small = 0, all = 0, polls = calls_of(v, TRACE_MPI_Test) + calls_of(v,
            TRACE_MPI_Iprobe);

    for (unsigned r = 0; r < v->ranks; r++)
        for (unsigned i = 0; i < TRACE_SIZES; i++) {
            all += view_rank(v, r)->sizes[i];
            small += i <= 10 ? view_rank(v, r)->sizes[i] : 0;
        }
    if (all > 1000 && percent(small, all) > 80 && percent(s->all.waited[0], s->all.there) > 10)
        add(l, "%.0f %% of %" PRIu64 " messages are shorter than 1 KiB, and MPI works for %.0f %% "
            "of all time: fewer, longer messages cost less.", percent(small, all), all,
            percent(s->all.waited[0], s->all.there));
    if (s->messages > 100 && percent(s->all.early, s->messages) > 50)
        add(l, "%.0f %% of the messages came before their receive was posted, and were kept and "
            "copied: post receives earlier.", percent(s->all.early, s->messages));
    if (polls > 1000 && polls > 10 * all)
        add(l, "There are %" PRIu64 " calls of MPI_Test and MPI_Iprobe for %" PRIu64 " messages: "
            "MPI_Wait, MPI_Waitany or MPI_Probe wait without taking a core from others.", polls,
            all);
}

void advice_write(FILE *out, const struct view *v, const struct sums *s)
{
    struct list l = { .out = out };

    advise_waiting(&l, v, s);
    advise_messages(&l, v, s);
    if (!l.count)
        add(&l, "Nothing stands out: ranks are in MPI for %.1f %% of their time%s.",
            percent(s->all.mpi, s->all.there),
            percent(s->all.mpi, s->all.there) < 20 ? ", so it is the computation that counts"
            : ", and work there rather than wait");
    if (v->modelled)
        add(&l, "mpirun --explain says of the slowest messages which part of the hardware took the "
            "time; nicsweep tries other hardware.");
    else
        add(&l, "mpirun --trace FILE writes the same time line for Perfetto (ui.perfetto.dev), "
            "where each call can be looked at.");
}
