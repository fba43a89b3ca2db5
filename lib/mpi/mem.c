/* MPI_Alloc_mem and MPI_Free_mem.  A block comes from the rank's heap, which peers reach without the kernel; where that has no room a small
 * one comes from the scratchpad and any other from the process' own memory, so that this fails only where malloc does.
 *
 * Thread rules: the table of blocks has a lock of its own, and so has the heap; the scratchpad is the baton's. */
#include "mpi/mem.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/err.h"
#include "mpi/info.h"
#include "mpi/init.h"
#include "mpi/twin.h"
#include "mpi/world.h"

enum { ALIGN_MIN = 64, SMALL = 1024, SCRATCHPAD_SHARE = 4, BUCKETS = 1024 };
#define ALIGN_MAX ((size_t)1 << 30)
#define SIZE_LIMIT ((MPI_Aint)1 << 47)      /* no address space is larger: nobody need be asked */

/* Where a block comes from, as the info key below names it. */
#define PLACES(X) X(HEAP, "heap") X(SCRATCHPAD, "scratchpad") X(PRIVATE, "private")
#define PLACE_ENUM(name, text) PLACE_##name,
#define PLACE_NAME(name, text) text,
enum place { PLACES(PLACE_ENUM) PLACE_COUNT };
static const char *const place_names[] = { PLACES(PLACE_NAME) };
static const char place_key[] = "mpilite_memory";

struct block { struct block *next; void *base; enum place place; uint64_t offset; };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct block *blocks[BUCKETS];       /* under lock */

/* -- table */

static struct block **bucket(const void *base) { return &blocks[((uintptr_t)base / ALIGN_MIN * UINT64_C(0x9e3779b97f4a7c15)) >> 54]; }
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
            found |= b->place != PLACE_PRIVATE;
    pthread_mutex_unlock(&lock);
    return found;
}

/* -- places: each sets base and offset, or leaves base NULL */

static void from_heap(struct block *b, size_t bytes, size_t align)
{
    b->offset = nic_heap_alloc(mpi_nic, bytes, align);
    b->base = b->offset == NIC_HEAP_NONE ? NULL : nic_heap_at(mpi_nic, nic_rank(mpi_nic), b->offset, bytes);
}

/* The program's blocks leave three quarters to the library. */
static void from_scratchpad(struct block *b, size_t bytes, size_t align)
{
    struct nic_spad_usage mine;
    nic_enter(mpi_nic);
    nic_spad_used(mpi_nic, NIC_SPAD_USER, &mine);
    size_t share = nic_spad_size(mpi_nic) / SCRATCHPAD_SHARE;
    b->offset = bytes <= share && mine.bytes <= share - bytes ? nic_spad_alloc(mpi_nic, NIC_SPAD_USER, bytes, align) : NIC_SPAD_NONE;
    b->base = b->offset == NIC_SPAD_NONE ? NULL : nic_spad_at(mpi_nic, nic_rank(mpi_nic), b->offset, bytes);
    nic_leave(mpi_nic);
}

static void from_own_memory(struct block *b, size_t bytes, size_t align)
{
    if (posix_memalign(&b->base, align, bytes + !bytes))
        b->base = NULL;
}

static void (*const from[])(struct block *, size_t, size_t) = { from_heap, from_scratchpad, from_own_memory };

static void take_from(struct block *b, enum place place, size_t bytes, size_t align)
{
    b->place = place;
    from[place](b, bytes, align);
}

/* The place that was asked for comes first. */
static void take(struct block *b, enum place wish, size_t bytes, size_t align)
{
    if (wish != PLACE_COUNT)
        take_from(b, wish, bytes, align);
    if (!b->base && wish != PLACE_HEAP)
        take_from(b, PLACE_HEAP, bytes, align);
    if (!b->base && bytes <= SMALL && wish != PLACE_SCRATCHPAD)
        take_from(b, PLACE_SCRATCHPAD, bytes, align);
    if (!b->base && wish != PLACE_PRIVATE)
        take_from(b, PLACE_PRIVATE, bytes, align);
}

static void release(const struct block *b)
{
    switch (b->place) {
    case PLACE_HEAP:
        nic_heap_free(mpi_nic, b->offset);
        break;
    case PLACE_SCRATCHPAD:
        nic_enter(mpi_nic);
        nic_spad_free(mpi_nic, b->offset);
        nic_leave(mpi_nic);
        break;
    default:
        free(b->base);
    }
}

/* -- hints: what makes no sense is as good as not said */

static size_t alignment(MPI_Info info)
{
    char value[MPI_MAX_INFO_VAL];
    uint64_t align;
    if (!mpi_info_find(info, "mpi_minimum_memory_alignment", value, sizeof value) || nic_size_parse(value, &align) || (align & (align - 1)))
        return ALIGN_MIN;
    return align < ALIGN_MIN || align > ALIGN_MAX ? ALIGN_MIN : (size_t)align;
}

static enum place wish(MPI_Info info)
{
    char value[MPI_MAX_INFO_VAL];
    unsigned i = PLACE_COUNT;
    if (mpi_info_find(info, place_key, value, sizeof value))
        for (i = 0; i < PLACE_COUNT && strcmp(place_names[i], value); i++)
            ;
    return (enum place)i;
}

/* -- */

int PMPI_Alloc_mem(MPI_Aint size, MPI_Info info, void *baseptr)
{
    const char *call = "MPI_Alloc_mem";
    MPI_ENTER(call);
    if (size < 0)
        return mpi_err(NULL, call, MPI_ERR_SIZE, "the size is %lld", (long long)size);
    if (!baseptr)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the address for the result is NULL");
    if (!mpi_info_valid(info))
        return mpi_err(NULL, call, MPI_ERR_INFO, "%p is no info object", (void *)info);
    struct block *b = size < SIZE_LIMIT ? calloc(1, sizeof *b) : NULL;
    if (b)
        take(b, wish(info), (size_t)size, alignment(info));
    if (!b || !b->base) {
        free(b);
        return mpi_err(NULL, call, MPI_ERR_NO_MEM, "no memory for %lld bytes", (long long)size);
    }
    memcpy(baseptr, &b->base, sizeof b->base);
    keep(b);
    return MPI_SUCCESS;
}
TWIN(Alloc_mem);

int PMPI_Free_mem(void *base)
{
    MPI_ENTER("MPI_Free_mem");
    if (!base)
        return MPI_SUCCESS;
    struct block *b = find(base);
    if (!b)
        return mpi_err(NULL, "MPI_Free_mem", MPI_ERR_BASE, "%p was not returned by MPI_Alloc_mem, or has been freed", base);
    release(b);
    free(b);
    return MPI_SUCCESS;
}
TWIN(Free_mem);
