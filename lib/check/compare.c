/* Each rank sends its peers what it has sent them, by the logs, and compares what it gets with what
 * it has received. */
#include "check/compare.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "check/comms.h"
#include "check/exchange.h"
#include "check/report.h"

static_assert(offsetof(struct check_sent, peer) == offsetof(struct check_addressed, peer), "same");

/* Of one rank: sorted by communicator and tag, `peer` has the place in the order of sending.
 * taken: of the messages that begin there with one communicator and tag, how many are received. */
struct arrived { struct check_sent *list; size_t count; size_t *taken; };

static int by_kind(const void *one, const void *other)
{
    const struct check_sent *a = one, *b = other;

    if (a->comm != b->comm)
        return a->comm < b->comm ? -1 : 1;
    if (a->tag != b->tag)
        return a->tag < b->tag ? -1 : 1;
    return a->peer < b->peer ? -1 : a->peer > b->peer;
}

static struct arrived *sort_all(const struct check_dealt *d)
{
    struct arrived *all = calloc((size_t)d->ranks, sizeof *all);

    for (int r = 0; all && r < d->ranks; r++) {
        all[r] = (struct arrived){ (void *)d->list[r], d->count[r],
                                   calloc(d->count[r] + 1, sizeof *all[r].taken) };
        if (!all[r].taken)
            abort();
        for (size_t i = 0; i < d->count[r]; i++)
            all[r].list[i].peer = (int)i;
        qsort(all[r].list, all[r].count, sizeof *all[r].list, by_kind);
    }
    return all;
}

/* -- reports */

static void report_mismatch(const struct check_log *log, const struct check_received *r,
                            const struct check_sent *s)
{
    char place[CHECK_PLACE_BYTES], sent[64], expected[64];

    check_report("%s at %s takes the message of rank %d of %s with tag %d for %s, but it was sent "
                 "as %s", r->call, check_place(r->caller, place, sizeof place), r->source,
                 check_log_name(log), s->tag, check_signature_name(&r->one, false, expected),
                 check_signature_name(&s->what, false, sent));
}

static void report_late(const struct check_log *log, const struct check_received *r, int tag)
{
    char place[CHECK_PLACE_BYTES];

    check_report("%s at %s was posted when the message of rank %d of %s with tag %d had come, but "
                 "that was sent as ready (MPI_Rsend)", r->call,
                 check_place(r->caller, place, sizeof place), r->source, check_log_name(log), tag);
}

static void report_left(const struct check_log *log, int source, size_t count,
                        const struct check_sent *first)
{
    const char *name = check_log_name(log);
    char kind[64];

    if (count > 1)
        check_report("%zu messages of rank %d of %s were never received, the first with tag %d",
                     count, source, name, first->tag);
    else if (first->what.unknown || !first->what.count)
        check_report("a message of rank %d of %s with tag %d was never received", source, name,
                     first->tag);
    else
        check_report("a message of rank %d of %s with tag %d was never received (%llu %s)", source,
                     name, first->tag, (unsigned long long)first->what.count,
                     check_signature_name(&first->what, first->what.count == 1, kind));
}

/* -- messages */

static bool is_alike(const struct arrived *a, size_t i, uint64_t comm, int tag)
{
    return i < a->count && a->list[i].comm == comm && a->list[i].tag == tag;
}

/* The first of a communicator, and a tag; or where it would be. */
static size_t find(const struct arrived *a, uint64_t comm, int tag)
{
    size_t low = 0, high = a->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct check_sent *s = &a->list[middle];
        if (s->comm < comm || (s->comm == comm && s->tag < tag))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The next message of that source and tag that no receive before has taken; NULL: it is not
 * known. */
static struct check_sent *take(const struct arrived *a, uint64_t comm, int tag)
{
    size_t begin = find(a, comm, tag), next = begin + a->taken[begin];

    if (!is_alike(a, next, comm, tag))
        return NULL;
    a->taken[begin]++;
    return &a->list[next];
}

/* False: there is a receive of which it is not known what it has got or may still get, so that
 * those behind it are not known either. */
static bool match(const struct check_log *log, const struct arrived *all)
{
    for (size_t i = 0; i < log->receiveds; i++) {
        const struct check_received *r = &log->received[i];
        if (!r->done)
            return false;
        if (r->source < 0 || r->source >= log->peers)
            continue;
        struct check_sent *s = take(&all[check_log_world(log, r->source)], log->number, r->tag);
        if (s && !check_signature_fits(&s->what, &r->one))
            report_mismatch(log, r, s);
        if (s && s->ready && r->late)
            report_late(log, r, r->tag);
    }
    return !log->receives_end;
}

/* Of one rank, on one communicator. */
static void look_for_left(const struct check_log *log, int source, const struct arrived *a)
{
    const struct check_sent *first = NULL;
    size_t count = 0, i = find(a, log->number, INT_MIN), begin = i;

    for (; i < a->count && a->list[i].comm == log->number; i++) {
        if (a->list[i].tag != a->list[begin].tag)
            begin = i;
        if (i - begin < a->taken[begin])
            continue;
        if (!first || a->list[i].peer < first->peer)
            first = &a->list[i];
        count++;
    }
    if (count)
        report_left(log, source, count, first);
}

/* -- all */

static struct check_sent *gather(size_t *count)
{
    size_t used = 0;

    *count = 0;
    for (const struct check_log *l = check_log_first(); l; l = l->later)
        *count += l->sents;
    struct check_sent *list = malloc(*count * sizeof *list + 1);
    if (!list)
        abort();
    for (const struct check_log *l = check_log_first(); l; l = l->later) {
        if (l->sents)
            memcpy(list + used, l->sent, l->sents * sizeof *list);
        used += l->sents;
    }
    return list;
}

void check_messages_compare(const char *call)
{
    struct check_dealt d;
    size_t count;
    struct check_sent *list = gather(&count);

    bool dealt = check_deal(&d, list, count, sizeof *list, call, MPI_COMM_WORLD);
    struct arrived *all = dealt ? sort_all(&d) : NULL;
    for (const struct check_log *l = check_log_first(); all && l; l = l->later)
        if (match(l, all))
            for (int i = 0; i < l->peers; i++)
                look_for_left(l, i, &all[check_log_world(l, i)]);
    for (int i = 0; all && i < d.ranks; i++)
        free(all[i].taken);
    free(all);
    check_dealt_free(&d);
    free(list);
}
