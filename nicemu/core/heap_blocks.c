/* The heap: blocks of this rank's part of the job's memory. */
#define _GNU_SOURCE
#include "core/heap_blocks.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/range.h"
#include "core/nic.h"

enum { PAGE = 4096 };
static_assert(NIC_HEAP_LARGE % PAGE == 0, "large blocks are whole pages");

struct nic_heap {
    pthread_mutex_t lock;
    struct nic_areas *areas;        /* offsets; under lock.  use: pages in front of the block */
    struct nic_heap_usage usage;    /* under lock */
};

struct nic_heap *nic_heap_new(size_t bytes)
{
    struct nic_heap *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    h->areas = nic_areas_new(bytes);
    if (!h->areas) {
        free(h);
        return NULL;
    }
    pthread_mutex_init(&h->lock, NULL);
    return h;
}

void nic_heap_delete(struct nic_heap *h)
{
    if (!h)
        return;
    pthread_mutex_destroy(&h->lock);
    nic_areas_delete(h->areas);
    free(h);
}

static void count(struct nic_heap_usage *u, bool got, uint64_t bytes)
{
    if (!got) {
        u->refusals++;
        return;
    }
    u->bytes += bytes;
    u->blocks++;
    u->high = u->bytes > u->high ? u->bytes : u->high;
}

/* Bytes up to the first multiple of align, counted in pages. */
static unsigned pages_before(const void *at, size_t align)
{
    return (unsigned)((-(uintptr_t)at & (align - 1)) / PAGE);
}

/* A block aligned beyond pages takes as much as it would where it fits worst: so whether there is
 * room, and where the others lie, does not hang on where the heap is mapped, which differs from run
 * to run. */
uint64_t nic_heap_alloc(struct nic *n, size_t bytes, size_t align)
{
    struct nic_heap *h = n->heap;
    if (!align || (align & (align - 1)))
        return NIC_HEAP_NONE;
    const uint64_t more = align > PAGE ? align - PAGE : 0,
        unit = bytes >= NIC_HEAP_LARGE || more ? PAGE : NIC_HEAP_ALIGN,
        rounded = bytes ? (bytes + unit - 1) & ~(unit - 1) : unit, most = n->job->heap;
    uint64_t at = NIC_AREA_NONE;
    unsigned before = 0;
    pthread_mutex_lock(&h->lock);
    if (rounded >= bytes && rounded <= most && more <= most - rounded)
        at = nic_areas_take(h->areas, rounded + more, more || align < unit ? unit : align, 0);
    if (at != NIC_AREA_NONE && more) {
        before = pages_before(nic_job_heap(n->job, n->rank) + at, align);
        nic_areas_set_use(h->areas, at, before);
    }
    count(&h->usage, at != NIC_AREA_NONE, rounded + more);
    pthread_mutex_unlock(&h->lock);
    return at == NIC_AREA_NONE ? NIC_HEAP_NONE : at + (uint64_t)before * PAGE;
}

/* The area of the block that begins there; under lock. */
static bool give_area(struct nic_heap *h, uint64_t offset, uint64_t *begin, uint64_t *bytes)
{
    unsigned before;
    return nic_areas_find(h->areas, offset, begin, &before)
           && *begin + (uint64_t)before * PAGE == offset
           && nic_areas_give(h->areas, *begin, bytes, &before);
}

/* The pages go back to the machine while the block is still nobody else's; where that is not
 * possible they simply stay. */
bool nic_heap_free(struct nic *n, uint64_t offset)
{
    struct nic_heap *h = n->heap;
    uint64_t begin, bytes;
    pthread_mutex_lock(&h->lock);
    const bool found = give_area(h, offset, &begin, &bytes);
    if (found) {
        h->usage.bytes -= bytes;
        h->usage.blocks--;
        if (bytes >= NIC_HEAP_LARGE)
            madvise(nic_job_heap(n->job, n->rank) + begin, bytes, MADV_REMOVE);
    }
    pthread_mutex_unlock(&h->lock);
    return found;
}

void *nic_heap_at(struct nic *n, unsigned rank, uint64_t offset, size_t bytes)
{
    uint64_t size = n->job->heap;
    if (!size || !nic_job_is_here(n->job, rank) || offset > size || bytes > size - offset)
        return NULL;
    return nic_job_heap(n->job, rank) + offset;
}

uint64_t nic_heap_offset(struct nic *n, const void *address)
{
    uint64_t offset = (uint64_t)(uintptr_t)address - (uint64_t)(uintptr_t)nic_job_heap(n->job,
                                                                                       n->rank);
    return offset < n->job->heap ? offset : NIC_HEAP_NONE;
}

/* In the job's file. */
static off_t place_of(const struct nic *n, uint64_t offset)
{
    return (off_t)((uint64_t)(nic_job_heap(n->job, n->rank) - n->job->base) + offset);
}

int nic_heap_map(struct nic *n, uint64_t offset, size_t bytes, void *at)
{
    if (!bytes || (offset | bytes | (uintptr_t)at) % PAGE
        || !nic_heap_at(n, n->rank, offset, bytes))
        return -EINVAL;
    void *made = mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, n->job->fd,
                      place_of(n, offset));
    return made == MAP_FAILED ? -errno : 0;
}

/* Where files do not tell, all counts as touched. */
bool nic_heap_touched(struct nic *n, uint64_t *offset, uint64_t end, size_t *bytes)
{
    if (*offset >= end || !nic_heap_at(n, n->rank, *offset, end - *offset))
        return false;
    const off_t from = place_of(n, *offset), limit = place_of(n, end);
    const off_t data = lseek(n->job->fd, from, SEEK_DATA);
    if (data >= limit || (data < 0 && errno == ENXIO))
        return false;
    const off_t hole = data < 0 ? limit : lseek(n->job->fd, data, SEEK_HOLE);
    const uint64_t until = hole < 0 || hole > limit ? end : *offset + (uint64_t)(hole - from);
    *offset += data < 0 ? 0 : (uint64_t)(data - from) / PAGE * PAGE;
    *bytes = (until - *offset + PAGE - 1) / PAGE * PAGE;
    return true;
}

bool nic_heap_clear(struct nic *n, uint64_t offset, size_t bytes)
{
    char *at = bytes ? nic_heap_at(n, n->rank, offset, bytes) : NULL;
    return at && !((offset | bytes) % PAGE) && !madvise(at, bytes, MADV_REMOVE);
}

size_t nic_heap_size(const struct nic *n) { return n->job->heap; }

bool nic_heap_mapped_by(struct nic *n, unsigned rank)
{
    _Atomic uint64_t *address = rank < n->ranks ? &n->publics[rank].heap_address : NULL;
    return address && atomic_load_explicit(address, memory_order_relaxed);
}

void nic_heap_used(struct nic *n, struct nic_heap_usage *usage)
{
    pthread_mutex_lock(&n->heap->lock);
    *usage = n->heap->usage;
    pthread_mutex_unlock(&n->heap->lock);
}
