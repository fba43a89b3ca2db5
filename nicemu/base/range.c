#include "base/range.h"

#include <stdlib.h>

struct area { struct area *next; uint64_t offset, bytes; unsigned use; bool used; };

struct nic_areas { struct area *first; };

static struct area *area_new(uint64_t offset, uint64_t bytes, struct area *next)
{
    struct area *a = malloc(sizeof *a);
    if (a)
        *a = (struct area){ .next = next, .offset = offset, .bytes = bytes };
    return a;
}

struct nic_areas *nic_areas_new(uint64_t bytes)
{
    struct nic_areas *s = malloc(sizeof *s);
    if (s && !(s->first = area_new(0, bytes, NULL))) {
        free(s);
        return NULL;
    }
    return s;
}

void nic_areas_delete(struct nic_areas *s)
{
    while (s && s->first) {
        struct area *a = s->first;
        s->first = a->next;
        free(a);
    }
    free(s);
}

static uint64_t end_of(const struct area *a) { return a->offset + a->bytes; }

/* The first multiple of `align` in a free area. */
static uint64_t aligned(const struct area *a, uint64_t align)
{
    return (a->offset + align - 1) & ~(align - 1);
}

/* Takes [at, at + bytes) out of the free area `a`.  What is left before it stays in `a`, what is
 * left behind becomes an area of its own: both new areas are there before anything changes. */
static uint64_t carve(struct area *a, uint64_t at, uint64_t bytes, unsigned use)
{
    uint64_t end = at + bytes;
    struct area *behind = end < end_of(a) ? area_new(end, end_of(a) - end, a->next) : NULL;
    struct area *taken = at > a->offset ? area_new(at, bytes, behind ? behind : a->next) : a;
    if ((end < end_of(a) && !behind) || !taken) {
        free(behind);
        if (taken != a)
            free(taken);
        return NIC_AREA_NONE;
    }
    if (taken == a) {
        if (behind)
            a->next = behind;
        a->bytes = bytes;
    } else {
        a->bytes = at - a->offset;
        a->next = taken;
    }
    taken->used = true;
    taken->use = use;
    return at;
}

uint64_t nic_areas_take(struct nic_areas *s, uint64_t bytes, uint64_t align, unsigned use)
{
    if (!align || (align & (align - 1)))
        return NIC_AREA_NONE;
    bytes += !bytes;
    for (struct area *a = s->first; a; a = a->next) {
        uint64_t before = aligned(a, align) - a->offset;
        if (!a->used && before <= a->bytes && a->bytes - before >= bytes)
            return carve(a, a->offset + before, bytes, use);
    }
    return NIC_AREA_NONE;
}

static void join_next(struct area *a)
{
    struct area *b = a->next;
    if (!b || a->used || b->used)
        return;
    a->bytes += b->bytes;
    a->next = b->next;
    free(b);
}

bool nic_areas_give(struct nic_areas *s, uint64_t offset, uint64_t *bytes, unsigned *use)
{
    struct area *before = NULL, *a = s->first;
    for (; a && a->offset < offset; a = a->next)
        before = a;
    if (!a || a->offset != offset || !a->used)
        return false;
    *bytes = a->bytes;
    *use = a->use;
    a->used = false;
    join_next(a);
    if (before)
        join_next(before);
    return true;
}

uint64_t nic_areas_largest(const struct nic_areas *s, uint64_t align)
{
    uint64_t largest = 0;
    if (!align || (align & (align - 1)))
        return 0;
    for (const struct area *a = s->first; a; a = a->next) {
        uint64_t before = aligned(a, align) - a->offset;
        uint64_t room = !a->used && before < a->bytes ? (a->bytes - before) & ~(align - 1) : 0;
        largest = room > largest ? room : largest;
    }
    return largest;
}
