/* Ends of messages: sorted by what they have in common, each beside its other. */
#include "launch/timeline/pair.h"

#include <stdlib.h>

#include "launch/base/say.h"

/* Of both ends the same. */
struct name { uint32_t comm, from, to, tag, number, index; bool second; };

static int compare(const void *one, const void *two)
{
    const struct name *a = one, *b = two;
    const uint32_t x[] = { a->comm, a->from, a->to, a->tag, a->number, a->second, a->index };
    const uint32_t y[] = { b->comm, b->from, b->to, b->tag, b->number, b->second, b->index };

    for (unsigned i = 0; i < sizeof x / sizeof *x; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

static bool same(const struct name *a, const struct name *b)
{
    return a->comm == b->comm && a->from == b->from && a->to == b->to && a->tag == b->tag
        && a->number == b->number && !a->second && b->second;
}

static bool name_message(const struct entry *e, struct name *n)
{
    bool sent = e->r.kind == TRACE_SEND, came = e->r.kind == TRACE_RECV
                                                || e->r.kind == TRACE_CAME;
    uint32_t peer = (uint32_t)e->r.peer;

    *n = (struct name){ .comm = e->r.comm, .from = sent ? e->rank : peer,
                        .to = sent ? peer : e->rank, .tag = (uint32_t)e->r.tag,
                        .number = e->r.number, .second = came };
    return (sent || came) && e->r.number && e->r.peer >= 0;
}

static bool name_packet(const struct entry *e, struct name *n)
{
    *n = (struct name){ .comm = e->r.comm, .number = e->r.number,
                        .second = e->r.kind == TRACE_EVENT };
    return e->r.kind == TRACE_PACKET || e->r.kind == TRACE_EVENT;
}

/* What ends before it begins belongs to another one. */
static void join(struct view *v, uint32_t first, uint32_t second)
{
    struct entry *a = &v->entry[first], *b = &v->entry[second];

    if (b->r.end < a->r.begin)
        return;
    a->partner = second;
    b->partner = first;
    if (b->r.kind == TRACE_RECV || b->r.kind == TRACE_CAME)
        b->r.bytes = a->r.bytes;
}

static void pair(struct view *v, struct name *name,
                 bool (*name_of)(const struct entry *e, struct name *n))
{
    size_t count = 0;

    for (size_t i = 0; i < v->count; i++)
        if (name_of(&v->entry[i], &name[count]))
            name[count++].index = (uint32_t)i;
    qsort(name, count, sizeof *name, compare);
    for (size_t i = 1; i < count; i++)
        if (same(&name[i - 1], &name[i]))
            join(v, name[i - 1].index, name[i].index);
}

/* The end of a send that was waited for has the other end of the send itself. */
static bool name_went(const struct entry *e, struct name *n)
{
    *n = (struct name){ .comm = e->r.comm, .from = e->rank, .to = (uint32_t)e->r.peer,
                        .tag = (uint32_t)e->r.tag, .number = e->r.begin % UINT32_MAX,
                        .second = e->r.kind == TRACE_WENT };
    return (e->r.kind == TRACE_SEND || e->r.kind == TRACE_WENT) && e->r.peer >= 0;
}

static void pair_ends(struct view *v, struct name *name)
{
    size_t count = 0;

    for (size_t i = 0; i < v->count; i++)
        if (name_went(&v->entry[i], &name[count]))
            name[count++].index = (uint32_t)i;
    qsort(name, count, sizeof *name, compare);
    for (size_t i = 1; i < count; i++)
        if (same(&name[i - 1], &name[i]))
            v->entry[name[i].index].partner = v->entry[name[i - 1].index].partner;
}

void pair_messages(struct view *v)
{
    struct name *name = need(calloc(v->count + 1, sizeof *name));

    pair(v, name, name_message);
    pair(v, name, name_packet);
    pair_ends(v, name);
    free(name);
}
