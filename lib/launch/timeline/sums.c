/* What is known of all calls is taken from the ranks' own sums; what only records tell (waiting) is
 * taken to be the same part of what is not there. */
#include "launch/timeline/sums.h"

#include <stdlib.h>

#include "launch/base/say.h"
#include "launch/ranks/job.h"

static bool is_setup(unsigned call)
{
    return call == TRACE_MPI_Init || call == TRACE_MPI_Init_thread || call == TRACE_MPI_Finalize
        || call == TRACE_MPI_Session_init || call == TRACE_MPI_Session_finalize
        || call == TRACE_shmem_init || call == TRACE_shmem_init_thread
        || call == TRACE_shmem_finalize;
}

/* Of a rank that has not come to MPI_Finalize: when the last call that it told of was over. */
static uint64_t end_of(const struct view *v, unsigned rank)
{
    const struct trace_region *r = view_rank(v, rank);
    uint64_t end = r->end;
    uint32_t count;
    const struct trace_record *all = traced_records(&v->job->traced, rank, &count);

    for (uint32_t i = 0; i < count; i++)
        if (all[i].kind <= TRACE_WENT && all[i].end > end)
            end = all[i].end;
    return end;
}

static void add_calls(const struct view *v, unsigned rank, struct rank_sums *s)
{
    const struct trace_region *r = view_rank(v, rank);
    uint64_t end = end_of(v, rank);

    s->there = end > r->begin ? view_time(v, end - r->begin) : 0;
    for (unsigned c = 0; c < TRACE_CALL_COUNT; c++)
        *(is_setup(c) ? &s->setup : &s->mpi) += view_time(v, r->call[c].ticks);
}

/* -- waiting */

static void add_waiting(struct sums *s, const struct view *v)
{
    uint64_t *seen = need(calloc(v->ranks, sizeof *seen));

    for (size_t i = 0; i < v->count; i++) {
        const struct entry *e = &v->entry[i];
        if (!entry_is_call(e) || is_setup(e->r.what))
            continue;
        seen[e->rank] += e->r.end - e->r.begin;
        s->rank[e->rank].waited[e->cause] += e->waited;
    }
    for (unsigned rank = 0; rank < v->ranks; rank++) {
        struct rank_sums *r = &s->rank[rank];
        uint64_t waited = 0;
        for (unsigned c = CAUSE_NOBODY + 1; c < CAUSES; c++) {
            r->waited[c] = seen[rank] ? (uint64_t)((double)r->waited[c] * (double)r->mpi
                                                   / (double)seen[rank]) : 0;
            waited += r->waited[c];
        }
        r->waited[CAUSE_NOBODY] = r->mpi > waited ? r->mpi - waited : 0;
    }
    free(seen);
}

/* -- queues: what is in them from one end of a message to its other */

struct change { uint64_t time; uint32_t rank; int8_t posted, unexpected; };

static int compare(const void *one, const void *two)
{
    const struct change *a = one, *b = two;

    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return (a->posted + a->unexpected) - (b->posted + b->unexpected);
}

static void add_queues(struct sums *s, const struct view *v)
{
    struct change *change = need(calloc(2 * s->messages + 1, sizeof *change));
    size_t count = 0;

    for (size_t i = 0; i < v->count; i++) {
        const struct entry *e = &v->entry[i], *to;
        if (!is_message(v, e))
            continue;
        to = &v->entry[e->partner];
        bool early = e->r.begin < to->r.begin;
        uint64_t from = early ? e->r.begin : to->r.begin, until = early ? to->r.begin : to->r.end;
        s->rank[to->rank].early += early;
        change[count++] = (struct change){ from, to->rank, !early, early };
        change[count++] = (struct change){ until, to->rank, (int8_t)-!early, (int8_t)-early };
    }
    qsort(change, count, sizeof *change, compare);
    int posted = 0, unexpected = 0;
    for (size_t i = 0; i < count; i++) {
        struct rank_sums *r = &s->rank[change[i].rank];
        posted += change[i].posted;
        unexpected += change[i].unexpected;
        r->posted = posted > (int)r->posted ? (unsigned)posted : r->posted;
        r->unexpected = unexpected > (int)r->unexpected ? (unsigned)unexpected : r->unexpected;
    }
    free(change);
}

/* -- messages and collectives */

uint64_t latency_of(const struct view *v, const struct entry *e)
{
    return v->entry[e->partner].r.end - e->r.begin;
}

static void add_messages(struct sums *s, const struct view *v)
{
    for (size_t i = 0; i < v->count; i++) {
        const struct entry *e = &v->entry[i];
        if (!is_message(v, e))
            continue;
        uint64_t ns = latency_of(v, e) / 1000;
        unsigned bin = ns ? 64 - (unsigned)__builtin_clzll(ns) : 0;
        s->latency[bin < LATENCIES ? bin : LATENCIES - 1]++;
        s->messages++;
    }
}

static void add_last(struct sums *s, const struct view *v)
{
    for (size_t i = 0; i < v->count; i++)
        s->rank[v->entry[i].rank].last += v->entry[i].last;
}

static void add_up(struct sums *s, unsigned ranks)
{
    for (unsigned rank = 0; rank < ranks; rank++) {
        const struct rank_sums *r = &s->rank[rank];
        s->all.there += r->there;
        s->all.mpi += r->mpi;
        s->all.setup += r->setup;
        s->all.early += r->early;
        for (unsigned c = 0; c < CAUSES; c++)
            s->all.waited[c] += r->waited[c];
    }
}

void sums_make(struct sums *s, const struct view *v)
{
    *s = (struct sums){ .rank = need(calloc(v->ranks, sizeof *s->rank)) };
    for (unsigned rank = 0; rank < v->ranks; rank++)
        add_calls(v, rank, &s->rank[rank]);
    add_messages(s, v);
    add_waiting(s, v);
    add_queues(s, v);
    add_last(s, v);
    add_up(s, v->ranks);
}

void sums_free(struct sums *s) { free(s->rank); }
