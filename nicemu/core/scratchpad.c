/* The scratchpad: who has how much of it. */
#include "core/scratchpad.h"

#include <stdlib.h>

#include "base/range.h"
#include "core/nic.h"

/* Owner: baton. */
struct nic_spad { struct nic_areas *areas; struct nic_spad_usage usage[NIC_SPAD_USE_COUNT]; };

#define USE_NAME(name, text) text,
static const char *const names[] = { NIC_SPAD_USES(USE_NAME) };

const char *nic_spad_use_name(enum nic_spad_use use)
{
    return use < NIC_SPAD_USE_COUNT ? names[use] : "?";
}

struct nic_spad *nic_spad_new(size_t bytes)
{
    struct nic_spad *s = calloc(1, sizeof *s);
    if (s && !(s->areas = nic_areas_new(bytes))) {
        free(s);
        return NULL;
    }
    return s;
}

void nic_spad_delete(struct nic_spad *s)
{
    if (s)
        nic_areas_delete(s->areas);
    free(s);
}

uint64_t nic_spad_alloc(struct nic *n, enum nic_spad_use use, size_t bytes, size_t align)
{
    if (use >= NIC_SPAD_USE_COUNT || !align || (align & (align - 1)))
        return NIC_SPAD_NONE;
    struct nic_spad_usage *u = &n->spad->usage[use];
    uint64_t at = nic_areas_take(n->spad->areas, bytes, align, use);
    if (at == NIC_AREA_NONE) {
        u->refusals++;
        return NIC_SPAD_NONE;
    }
    u->bytes += bytes + !bytes;
    u->pieces++;
    u->high = u->bytes > u->high ? u->bytes : u->high;
    return at;
}

uint64_t nic_spad_take(struct nic *n, size_t bytes, size_t align)
{
    return nic_spad_alloc(n, NIC_SPAD_USER, bytes, align);
}

void nic_spad_free(struct nic *n, uint64_t offset)
{
    uint64_t bytes;
    unsigned use;
    if (!nic_areas_give(n->spad->areas, offset, &bytes, &use))
        return;
    n->spad->usage[use].bytes -= bytes;
    n->spad->usage[use].pieces--;
}

bool nic_spad_holds(const struct nic *n, unsigned rank, uint64_t offset, size_t bytes)
{
    uint64_t size = n->job->layout.scratchpad;
    return rank < n->ranks && offset <= size && bytes <= size - offset;
}

void *nic_spad_at(struct nic *n, unsigned rank, uint64_t offset, size_t bytes)
{
    return nic_spad_holds(n, rank, offset, bytes) && nic_job_here(n->job, rank)
           ? nic_job_scratchpad(n->job, rank) + offset : NULL;
}

size_t nic_spad_size(const struct nic *n) { return n->job->layout.scratchpad; }

size_t nic_spad_largest(const struct nic *n, size_t align)
{
    return nic_areas_largest(n->spad->areas, align);
}

void nic_spad_used(const struct nic *n, enum nic_spad_use use, struct nic_spad_usage *usage)
{
    *usage = use < NIC_SPAD_USE_COUNT ? n->spad->usage[use] : (struct nic_spad_usage){ 0 };
}
