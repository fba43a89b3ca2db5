/* Which pages of this process have been moved into the heap.  An area is a range of addresses with
 * a heap block of its own, in which every page has its place, so that what lies side by side in one
 * lies so in the other; only pages that belong to windows are there.
 *
 * All of this is under the lock of move.c. */
#ifndef MPI_RMA_MOVED_H
#define MPI_RMA_MOVED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rma/maps.h"

struct mpi_rma_area {
    struct mpi_rma_area *next;
    uintptr_t begin, end;
    uint64_t offset;                /* of the block */
    size_t moved, idle;             /* pages; of those, that no window has */
    struct mpi_rma_moved { uint16_t moved : 1, uses : 15; } page[];
};
enum { MPI_RMA_USES_MOST = (1 << 15) - 1 };

extern struct mpi_rma_area *mpi_rma_areas;

static inline size_t mpi_rma_page_of(const struct mpi_rma_area *a, uintptr_t at)
{
    return (at - a->begin) / MPI_RMA_PAGE;
}
static inline uint64_t mpi_rma_area_offset(const struct mpi_rma_area *a, uintptr_t at)
{
    return a->offset + (at - a->begin);
}

/* The area that has all of [begin, end), whole pages.  NULL: none; *bars: one that has some of it
 * has moved pages there, so that no other can have them all. */
struct mpi_rma_area *mpi_rma_area_find(uintptr_t begin, uintptr_t end, bool *bars);

/* One with a block of zeros.  NULL: no room, or no memory. */
struct mpi_rma_area *mpi_rma_area_new(uintptr_t begin, uintptr_t end);

/* Goes, if nothing is moved any more. */
void mpi_rma_area_drop(struct mpi_rma_area *area);

/* The end of the row of pages from `at` on, below `end`, that are moved, or are not, as the one at
 * `at`, and of which windows use all or none. */
uintptr_t mpi_rma_area_row(const struct mpi_rma_area *a, uintptr_t at, uintptr_t end);

/* Marks pages of [begin, end). */
void mpi_rma_area_mark(struct mpi_rma_area *a, uintptr_t begin, uintptr_t end, bool moved);
/* A window more, or less, has these pages, which are moved.  False: too many have one of them, and
 * nothing is changed. */
bool mpi_rma_area_use(struct mpi_rma_area *a, uintptr_t begin, uintptr_t end, int change);
/* No window has any of its pages. */
void mpi_rma_area_use_none(struct mpi_rma_area *a);

#endif
