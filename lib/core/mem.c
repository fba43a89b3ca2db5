/* Blocks of memory for programs: the table of them, and the places that they come from.
 *
 * Thread rules: the table has a lock of its own, and so has the heap; the scratchpad is the
 * baton's. */
#include "core/mem.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/tuning.h"
#include "core/world.h"

enum { BUCKETS = 1024, GRAIN = 64 /* blocks are rarely closer together */ };

/* Of the scratchpad's own address. */
enum { SCRATCHPAD_ALIGN = 4096 };

struct block { struct block *next; void *base; enum mpi_mem_place place; uint64_t offset; };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct block *blocks[BUCKETS];       /* under lock */

/* -- table */

static struct block **bucket(const void *base)
{
    return &blocks[((uintptr_t)base / GRAIN * UINT64_C(0x9e3779b97f4a7c15)) >> 54];
}
_Static_assert(BUCKETS == 1 << (64 - 54), "the bits that bucket() leaves");

static void keep(struct block *b)
{
    pthread_mutex_lock(&lock);
    struct block **first = bucket(b->base);
    b->next = *first;
    *first = b;
    pthread_mutex_unlock(&lock);
}

/* Takes it out; NULL: no block begins there. */
static struct block *find(const void *base)
{
    pthread_mutex_lock(&lock);
    struct block **link = bucket(base), *b;
    while (*link && (*link)->base != base)
        link = &(*link)->next;
    if ((b = *link))
        *link = b->next;
    pthread_mutex_unlock(&lock);
    return b;
}

bool mpi_mem_in_job(void)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < BUCKETS; i++)
        for (const struct block *b = blocks[i]; b; b = b->next)
            found |= b->place != MPI_MEM_PRIVATE;
    pthread_mutex_unlock(&lock);
    return found;
}

/* -- places: each sets base and offset, or leaves base NULL */

#define PLACE_NAME(name, text) text,
static const char *const place_names[] = { MPI_MEM_PLACES(PLACE_NAME) };

enum mpi_mem_place mpi_mem_place_by_name(const char *name)
{
    unsigned i = 0;
    while (i < MPI_MEM_PLACE_COUNT && strcmp(place_names[i], name))
        i++;
    return (enum mpi_mem_place)i;
}

static void from_heap(struct block *b, size_t bytes, size_t align)
{
    b->offset = nic_heap_alloc(mpi_nic, bytes, align);
    if (b->offset != NIC_HEAP_NONE)
        b->base = nic_heap_at(mpi_nic, nic_rank(mpi_nic), b->offset, bytes);
}

/* The program's blocks leave three quarters to the library. */
static void from_scratchpad(struct block *b, size_t bytes, size_t align)
{
    struct nic_spad_usage mine;
    nic_enter(mpi_nic);
    nic_spad_used(mpi_nic, NIC_SPAD_USER, &mine);
    size_t share = nic_spad_size(mpi_nic) / MPI_MEM_SCRATCHPAD_SHARE;
    b->offset = NIC_SPAD_NONE;
    if (align <= SCRATCHPAD_ALIGN && bytes <= share && mine.bytes <= share - bytes)
        b->offset = nic_spad_alloc(mpi_nic, NIC_SPAD_USER, bytes, align);
    if (b->offset != NIC_SPAD_NONE)
        b->base = nic_spad_at(mpi_nic, nic_rank(mpi_nic), b->offset, bytes);
    nic_leave(mpi_nic);
}

static void from_own_memory(struct block *b, size_t bytes, size_t align)
{
    if (posix_memalign(&b->base, align, bytes + !bytes))
        b->base = NULL;
}

static void (*const from[])(struct block *, size_t, size_t) = {
    [MPI_MEM_HEAP] = from_heap,
    [MPI_MEM_SCRATCHPAD] = from_scratchpad,
    [MPI_MEM_PRIVATE] = from_own_memory,
};

static void take_from(struct block *b, enum mpi_mem_place place, size_t bytes, size_t align)
{
    b->place = place;
    from[place](b, bytes, align);
}

/* The place that was asked for comes first. */
static void take(struct block *b, enum mpi_mem_place wish, size_t bytes, size_t align)
{
    if (wish != MPI_MEM_PLACE_COUNT)
        take_from(b, wish, bytes, align);
    if (!b->base && wish != MPI_MEM_HEAP)
        take_from(b, MPI_MEM_HEAP, bytes, align);
    if (!b->base && bytes <= MPI_MEM_SMALL && wish != MPI_MEM_SCRATCHPAD)
        take_from(b, MPI_MEM_SCRATCHPAD, bytes, align);
    if (!b->base && wish != MPI_MEM_PRIVATE)
        take_from(b, MPI_MEM_PRIVATE, bytes, align);
}

static void release(const struct block *b)
{
    switch (b->place) {
    case MPI_MEM_HEAP:
        nic_heap_free(mpi_nic, b->offset);
        break;
    case MPI_MEM_SCRATCHPAD:
        nic_enter(mpi_nic);
        nic_spad_free(mpi_nic, b->offset);
        nic_leave(mpi_nic);
        break;
    default:
        free(b->base);
    }
}

void *mpi_mem_new(size_t bytes, size_t align, enum mpi_mem_place wish)
{
    struct block *b = calloc(1, sizeof *b);
    if (b)
        take(b, wish, bytes, align);
    if (!b || !b->base) {
        free(b);
        return NULL;
    }
    keep(b);
    return b->base;
}

bool mpi_mem_free(void *base)
{
    struct block *b = find(base);
    if (!b)
        return false;
    release(b);
    free(b);
    return true;
}
