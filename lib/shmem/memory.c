/* Allocation of symmetric memory: calls of all PEs. */
#include <pthread.h>
#include <string.h>

#include "shmem/blocks.h"
#include "shmem/context.h"
#include "shmem/error.h"
#include "shmem/symmetric.h"
#include "shmem/sync.h"

enum { LEAST_ALIGN = 64 };

static char *heap(void) { return (char *)mpi_shmem.region[MPI_SHMEM_HEAP].base; }

/* Memory behind the last block is not symmetric: an address there is a mistake. */
static void note_end(void)
{
    mpi_shmem.region[MPI_SHMEM_HEAP].bytes = mpi_shmem_block_end();
}

/* All PEs must ask for the same: who asked for something else has its blocks elsewhere. */
static void check_same(const char *call, size_t bytes)
{
    uint64_t both[2] = { bytes, ~(uint64_t)bytes };
    mpi_door.allreduce(call, MPI_IN_PLACE, both, 2, MPI_UINT64_T, MPI_MAX, mpi_shmem_world());
    if (both[0] != bytes || ~both[1] != bytes)
        mpi_shmem_die(call, "PEs ask for different sizes, of %llu to %llu bytes, this one for %zu",
                      (unsigned long long)~both[1], (unsigned long long)both[0], bytes);
}

/* NULL at all PEs: there is no room, or the heap of one of them is not aligned so well.  Who asks
 * for nothing waits for nobody. */
static void *take(const char *call, size_t bytes, size_t align)
{
    SHMEM_ENTER(call);
    if (!bytes)
        return NULL;
    mpi_shmem_quiet_all(call);      /* the barrier that is in it is one of the default context's */
    check_same(call, bytes);
    if (align > mpi_shmem_heap_align())
        return NULL;
    size_t at = mpi_shmem_block_take(mpi_shmem_heap_bytes(), bytes, align);
    note_end();
    return at == MPI_SHMEM_NO_BLOCK ? NULL : heap() + at;
}

void *pshmem_malloc(size_t size) { return take("shmem_malloc", size, LEAST_ALIGN); }
SHMEM_ALIAS(malloc);

/* All of the heap is as fast as any of it. */
void *pshmem_malloc_with_hints(size_t size, long hints)
{
    (void)hints;
    return take("shmem_malloc_with_hints", size, LEAST_ALIGN);
}
SHMEM_ALIAS(malloc_with_hints);

void *pshmem_calloc(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        bytes = SIZE_MAX;
    void *block = take("shmem_calloc", bytes, LEAST_ALIGN);
    if (block)
        memset(block, 0, bytes);
    if (mpi_shmem.up && bytes)
        mpi_door.barrier("shmem_calloc", mpi_shmem_world());
    return block;
}
SHMEM_ALIAS(calloc);

void *pshmem_align(size_t alignment, size_t size)
{
    if (alignment < sizeof(void *) || (alignment & (alignment - 1)))
        return NULL;
    return take("shmem_align", size, alignment < LEAST_ALIGN ? LEAST_ALIGN : alignment);
}
SHMEM_ALIAS(align);

/* Nobody uses it any more once all PEs have come. */
static void give(const char *call, void *ptr)
{
    if (!mpi_shmem_block_give((size_t)((char *)ptr - heap())))
        mpi_shmem_die(call, "no block of the symmetric heap begins at %p (freed before?)", ptr);
    note_end();
}

void pshmem_free(void *ptr)
{
    SHMEM_ENTER("shmem_free");
    if (!ptr)
        return;
    mpi_shmem_quiet_all("shmem_free");
    mpi_door.barrier("shmem_free", mpi_shmem_world());
    give("shmem_free", ptr);
}
SHMEM_ALIAS(free);

void *pshmem_realloc(void *ptr, size_t size)
{
    const char *call = "shmem_realloc";
    SHMEM_ENTER(call);
    if (!ptr)
        return take(call, size, LEAST_ALIGN);
    mpi_shmem_quiet_all(call);
    check_same(call, size);
    size_t at = (size_t)((char *)ptr - heap()), old = mpi_shmem_block_bytes(at);
    if (!old)
        mpi_shmem_die(call, "no block of the symmetric heap begins at %p (freed before?)", ptr);
    if (!size) {
        give(call, ptr);
        return NULL;
    }
    if (mpi_shmem_block_resize(mpi_shmem_heap_bytes(), at, size)) {
        note_end();
        return ptr;
    }
    void *block = take(call, size, LEAST_ALIGN);
    if (!block)
        return NULL;
    memcpy(block, ptr, old < size ? old : size);
    give(call, ptr);
    mpi_door.barrier(call, mpi_shmem_world());
    return block;
}
SHMEM_ALIAS(realloc);

void *shmalloc(size_t size) { return pshmem_malloc(size); }
void *shmemalign(size_t alignment, size_t size) { return pshmem_align(alignment, size); }
void *shrealloc(void *ptr, size_t size) { return pshmem_realloc(ptr, size); }
void shfree(void *ptr) { pshmem_free(ptr); }

/* -- questions */

void *pshmem_ptr(const void *dest, int pe)
{
    mpi_shmem_check_pe("shmem_ptr", pe);
    return mpi_shmem_reach(dest, 1, pe);
}
SHMEM_ALIAS(ptr);

int pshmem_pe_accessible(int pe)
{
    SHMEM_ENTER("shmem_pe_accessible");
    return (unsigned)pe < (unsigned)mpi_shmem.n;
}
SHMEM_ALIAS(pe_accessible);

int pshmem_addr_accessible(const void *address, int pe)
{
    SHMEM_ENTER("shmem_addr_accessible");
    for (int i = 0; i < MPI_SHMEM_REGIONS; i++)
        if ((uintptr_t)address - mpi_shmem.region[i].base < mpi_shmem.region[i].bytes)
            return (unsigned)pe < (unsigned)mpi_shmem.n;
    return 0;
}
SHMEM_ALIAS(addr_accessible);
