/* Waiting, from the times of both ends. */
#include "launch/timeline/cause.h"

#include <stdlib.h>
#include <string.h>

#include "launch/base/say.h"

const char *cause_text(enum wait_cause cause)
{
    static const char *const text[CAUSES] = { "working", "the sender came late",
                                              "the receiver came late", "other ranks came late" };

    return (unsigned)cause < CAUSES ? text[cause] : "?";
}

/* The call could not be over before `until`. */
static void wait_until(struct entry *e, uint64_t until, enum wait_cause cause)
{
    uint64_t end = until < e->r.end ? until : e->r.end;

    if (end > e->r.begin && end - e->r.begin > e->waited) {
        e->waited = end - e->r.begin;
        e->cause = cause;
    }
}

/* -- messages */

static void look_at_message(struct view *v, struct entry *e)
{
    const struct entry *other = e->partner == NO_PARTNER ? NULL : &v->entry[e->partner];

    if (!other)
        return;
    if (e->r.kind == TRACE_RECV)
        wait_until(e, other->r.begin, CAUSE_SENDER);
    else if (e->r.kind == TRACE_SEND && other->r.begin < e->r.end)
        wait_until(e, other->r.begin, CAUSE_RECEIVER);
}

/* -- calls for several messages: those whose end was seen when the call ended */

static int by_end(const void *one, const void *two)
{
    const struct entry *a = *(struct entry *const *)one, *b = *(struct entry *const *)two;

    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->r.end != b->r.end)
        return a->r.end < b->r.end ? -1 : 1;
    if (a->r.lane != b->r.lane)
        return a->r.lane < b->r.lane ? -1 : 1;
    return entry_is_call(b) - entry_is_call(a);
}

static bool waits(const struct entry *e)
{
    return e->r.kind == TRACE_CAME || e->r.kind == TRACE_WENT;
}

/* Behind a call come the messages that ended with it. */
static void look_at_waits(struct view *v)
{
    struct entry **order = need(calloc(v->count + 1, sizeof(struct entry *))), *call = NULL;
    size_t count = 0;

    for (size_t i = 0; i < v->count; i++)
        if (entry_is_call(&v->entry[i]) || waits(&v->entry[i]))
            order[count++] = &v->entry[i];
    qsort(order, count, sizeof *order, by_end);
    for (size_t i = 0; i < count; i++) {
        struct entry *e = order[i];
        if (entry_is_call(e))
            call = e;
        else if (call && call->rank == e->rank && call->r.end == e->r.end)
            e->seen_from = call->r.begin;
        if (e->seen_from && e->partner != NO_PARTNER && e != call)
            wait_until(call, v->entry[e->partner].r.begin,
                       e->r.kind == TRACE_CAME ? CAUSE_SENDER : CAUSE_RECEIVER);
    }
    free(order);
}

/* -- collectives */

static int by_collective(const void *one, const void *two)
{
    const struct entry *a = *(struct entry *const *)one, *b = *(struct entry *const *)two;
    const uint64_t x[] = { a->r.comm, a->r.number, a->r.what, a->r.begin, a->rank };
    const uint64_t y[] = { b->r.comm, b->r.number, b->r.what, b->r.begin, b->rank };

    for (unsigned i = 0; i < sizeof x / sizeof *x; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

static bool together(const struct entry *a, const struct entry *b)
{
    return a->r.comm == b->r.comm && a->r.number == b->r.number && a->r.what == b->r.what;
}

/* How many of them, which stand in the order in which they came, had come by then. */
static size_t came_until(struct entry **first, size_t count, uint64_t end)
{
    size_t low = 0;

    while (low < count) {
        size_t middle = low + (count - low) / 2;
        if (first[middle]->r.begin <= end)
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

/* Data go up from rank to rank: who is done before others come has not waited for these. */
static void look_at_scan(struct entry **first, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t came = came_until(first, count, first[i]->r.end);
        if (came)
            wait_until(first[i], first[came - 1]->r.begin, CAUSE_RANKS);
    }
}

/* Data go from the root, or to it, or everywhere. */
static void look_at_collective(struct entry **first, size_t count)
{
    uint64_t last = first[count - 1]->r.begin, root = last;
    const char *name = call_name(first[0]->r.what);
    bool from_root = strstr(name, "cast") || strstr(name, "scatter") == name + 5
        || strstr(name, "Scatter");
    bool to_root = !from_root && first[0]->r.peer >= 0;

    for (size_t i = 0; i < count; i++)
        if ((int)first[i]->rank == first[i]->r.peer)
            root = first[i]->r.begin;
    if (name[4] == 'I')
        return;
    for (size_t i = 0; i < count; i++)
        first[i]->last = first[i]->r.begin == last;
    if (!strcmp(name, "MPI_Scan") || !strcmp(name, "MPI_Exscan")) {
        look_at_scan(first, count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        bool is_root = (int)first[i]->rank == first[i]->r.peer;
        if (from_root && first[i]->r.peer >= 0 ? !is_root : !to_root || is_root)
            wait_until(first[i], from_root && first[i]->r.peer >= 0 ? root : last, CAUSE_RANKS);
    }
}

static void look_at_collectives(struct view *v)
{
    struct entry **order = need(calloc(v->count + 1, sizeof(struct entry *)));
    size_t count = 0;

    for (size_t i = 0; i < v->count; i++)
        if (v->entry[i].r.kind == TRACE_COLL)
            order[count++] = &v->entry[i];
    qsort(order, count, sizeof *order, by_collective);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && together(order[i], order[next]); next++)
            ;
        if (next - i > 1)
            look_at_collective(&order[i], next - i);
    }
    free(order);
}

void cause_find(struct view *v)
{
    for (size_t i = 0; i < v->count; i++)
        look_at_message(v, &v->entry[i]);
    look_at_waits(v);
    look_at_collectives(v);
}
