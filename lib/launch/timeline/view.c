/* Reading what ranks have left, of which nothing is believed. */
#include "launch/timeline/view.h"

#include <stdlib.h>
#include <string.h>

#include "launch/base/say.h"
#include "launch/ranks/job.h"

#define NAME(name) #name,
static const char *const names[] = { TRACE_CALLS(NAME) };

const char *call_name(unsigned call) { return call < TRACE_CALL_COUNT ? names[call] : "?"; }

const struct trace_region *view_rank(const struct view *v, unsigned rank)
{
    return traced_rank(&v->job->traced, rank);
}

uint64_t view_time(const struct view *v, uint64_t ticks)
{
    const struct traced *t = &v->job->traced;

    if (t->clock == TRACE_PS)
        return ticks;
    if (t->clock == TRACE_NS || t->tick[1] <= t->tick[0])
        return ticks * 1000;
    return (uint64_t)((long double)ticks * (long double)(t->ns[1] - t->ns[0]) * 1000
                      / (long double)(t->tick[1] - t->tick[0]));
}

/* -- what all have in common */

static uint64_t beginning(struct view *v)
{
    uint64_t first = UINT64_MAX;

    for (unsigned rank = 0; rank < v->ranks; rank++) {
        const struct trace_region *r = view_rank(v, rank);
        v->silent += !r->programs;
        v->lost += r->lost;
        v->unnumbered += r->unnumbered;
        if (!v->hidden && r->hidden <= TRACE_CALL_COUNT)
            v->hidden = r->hidden;
        if (r->shift > v->shift && r->shift < 64)
            v->shift = r->shift;
        if (r->programs && r->begin < first)
            first = r->begin;
    }
    return v->modelled || first == UINT64_MAX ? 0 : first;
}

static bool is_sane(const struct view *v, const struct trace_record *r, uint64_t zero)
{
    bool mpi = r->kind <= TRACE_WENT;

    return r->kind < TRACE_KINDS && r->begin >= zero && r->end >= r->begin
        && r->peer >= -1 && r->peer < (int)v->ranks && (!mpi || r->what < TRACE_CALL_COUNT);
}

static bool is_kept(const struct view *v, const struct trace_record *r)
{
    uint32_t bits = v->job->traced.slice_bits;

    return !(r->begin >> bits & ((UINT64_C(1) << v->shift) - 1)) || (r->end - r->begin) >> bits;
}

static void add_rank(struct view *v, unsigned rank, uint64_t zero)
{
    uint32_t count;
    const struct trace_record *all = traced_records(&v->job->traced, rank, &count);

    v->entry = need(realloc(v->entry, (v->count + count + 1) * sizeof *v->entry));
    for (uint32_t i = 0; i < count; i++) {
        struct trace_record r = all[i];
        if (!is_sane(v, &r, zero) || !is_kept(v, &r))
            continue;
        struct entry *e = &v->entry[v->count++];
        *e = (struct entry){ .r = r, .rank = rank, .partner = NO_PARTNER };
        e->r.begin = view_time(v, r.begin - zero);
        e->r.end = view_time(v, r.end - zero);
        if (e->r.end > v->end)
            v->end = e->r.end;
    }
}

/* The same order in each run: no two that differ are alike. */
static int compare(const void *one, const void *two)
{
    const struct entry *a = one, *b = two;

    if (a->r.begin != b->r.begin)
        return a->r.begin < b->r.begin ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->r.end != b->r.end)
        return a->r.end > b->r.end ? -1 : 1;
    return memcmp(&a->r, &b->r, sizeof a->r);
}

void view_open(struct view *v, const struct job *job)
{
    *v = (struct view){ .job = job, .ranks = job->options->ranks,
                        .modelled = job->options->model.profile != NULL };
    uint64_t zero = beginning(v);
    v->slice = view_time(v, UINT64_C(1) << job->traced.slice_bits);
    for (unsigned rank = 0; rank < v->ranks; rank++)
        add_rank(v, rank, zero);
    qsort(v->entry, v->count, sizeof *v->entry, compare);
}

void view_close(struct view *v) { free(v->entry); }
