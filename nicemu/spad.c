/* The scratchpad's allocator: a list of areas in address order, first fit, neighbours joined.  The list lives in the owner's own memory, so no peer can damage it. */
#include "spad.h"

#include <stdlib.h>

#include "engine.h"

struct area { struct area *next; uint64_t offset, bytes; bool used; };

struct nic_spad { struct area *first; };

static struct area *area_new(uint64_t offset, uint64_t bytes, struct area *next)
{
    struct area *a = malloc(sizeof *a);
    if (a)
        *a = (struct area){ .next = next, .offset = offset, .bytes = bytes };
    return a;
}

struct nic_spad *nic_spad_new(size_t bytes)
{
    struct nic_spad *s = malloc(sizeof *s);
    if (s && !(s->first = area_new(0, bytes, NULL))) {
        free(s);
        return NULL;
    }
    return s;
}

void nic_spad_delete(struct nic_spad *s)
{
    while (s && s->first) {
        struct area *a = s->first;
        s->first = a->next;
        free(a);
    }
    free(s);
}

/* Cuts `a` so that it begins at offset `at` (inside it) and what was before stays free.  NULL: no memory. */
static struct area *cut_front(struct area *a, uint64_t at)
{
    if (at == a->offset)
        return a;
    struct area *rest = area_new(at, a->offset + a->bytes - at, a->next);
    if (rest) {
        a->bytes = at - a->offset;
        a->next = rest;
    }
    return rest;
}

static uint64_t take(struct area *a, uint64_t at, uint64_t bytes)
{
    if (!(a = cut_front(a, at)) || (a->bytes > bytes && !cut_front(a, at + bytes)))
        return NIC_SPAD_NONE;
    a->used = true;
    return a->offset;
}

uint64_t nic_spad_alloc(struct nic *n, size_t bytes, size_t align)
{
    if (!align || (align & (align - 1)))
        return NIC_SPAD_NONE;
    bytes += !bytes;
    for (struct area *a = n->spad->first; a; a = a->next) {
        uint64_t at = (a->offset + align - 1) & ~(uint64_t)(align - 1);
        if (!a->used && at - a->offset <= a->bytes && a->bytes - (at - a->offset) >= bytes)
            return take(a, at, bytes);
    }
    return NIC_SPAD_NONE;
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

void nic_spad_free(struct nic *n, uint64_t offset)
{
    struct area *before = NULL;
    for (struct area *a = n->spad->first; a; before = a, a = a->next)
        if (a->used && a->offset == offset) {
            a->used = false;
            join_next(a);
            if (before)
                join_next(before);
            return;
        }
}

void *nic_spad_at(struct nic *n, unsigned rank, uint64_t offset, size_t bytes)
{
    uint64_t size = n->job->header->scratchpad;
    if (rank >= n->ranks || offset > size || bytes > size - offset)
        return NULL;
    return nic_job_scratchpad(n->job, rank) + offset;
}
