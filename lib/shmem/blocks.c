/* The list of blocks: by offset, the first gap that is large enough is taken. */
#include "shmem/blocks.h"

#include <stdlib.h>

struct block { struct block *next; size_t offset, bytes; };

static struct block *first;

enum { GRAIN = 64 };        /* blocks share no cache line */

/* 0: more than there can be. */
static size_t rounded(size_t bytes) { return (bytes + !bytes + GRAIN - 1) & ~(size_t)(GRAIN - 1); }

/* Where the gap behind `b` ends. */
static size_t gap_end(const struct block *next, size_t heap) { return next ? next->offset : heap; }

size_t mpi_shmem_block_take(size_t heap, size_t bytes, size_t align)
{
    const size_t want = rounded(bytes);
    struct block **link = &first, *made;
    size_t at = 0;
    if (!want || align > heap)
        return MPI_SHMEM_NO_BLOCK;
    for (;; link = &(*link)->next) {
        at = (at + align - 1) & ~(align - 1);
        const size_t end = gap_end(*link, heap);
        if (at <= end && want <= end - at)
            break;
        if (!*link)
            return MPI_SHMEM_NO_BLOCK;
        at = (*link)->offset + (*link)->bytes;
    }
    if (!(made = malloc(sizeof *made)))
        return MPI_SHMEM_NO_BLOCK;
    *made = (struct block){ *link, at, want };
    *link = made;
    return at;
}

static struct block **find(size_t offset)
{
    struct block **link = &first;
    while (*link && (*link)->offset != offset)
        link = &(*link)->next;
    return link;
}

bool mpi_shmem_block_give(size_t offset)
{
    struct block **link = find(offset), *b = *link;
    if (!b)
        return false;
    *link = b->next;
    free(b);
    return true;
}

size_t mpi_shmem_block_bytes(size_t offset)
{
    const struct block *b = *find(offset);
    return b ? b->bytes : 0;
}

bool mpi_shmem_block_resize(size_t heap, size_t offset, size_t bytes)
{
    struct block *b = *find(offset);
    const size_t want = rounded(bytes);
    if (!b || !want || want > gap_end(b->next, heap) - offset)
        return false;
    b->bytes = want;
    return true;
}

size_t mpi_shmem_block_end(void)
{
    size_t end = 0;
    for (const struct block *b = first; b; b = b->next)
        end = b->offset + b->bytes;
    return end;
}

void mpi_shmem_block_clear(void)
{
    while (first)
        mpi_shmem_block_give(first->offset);
}
