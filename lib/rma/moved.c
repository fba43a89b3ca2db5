/* The list of moved pages. */
#include "rma/moved.h"

#include <stdlib.h>

#include "core/world.h"
#include "nicemu/heap.h"

struct mpi_rma_area *mpi_rma_areas;

/* -- areas */

static bool has_moved(const struct mpi_rma_area *a, uintptr_t begin, uintptr_t end)
{
    const uintptr_t from = begin > a->begin ? begin : a->begin, to = end < a->end ? end : a->end;
    for (uintptr_t at = from; at < to; at += MPI_RMA_PAGE)
        if (a->page[mpi_rma_page_of(a, at)].moved)
            return true;
    return false;
}

struct mpi_rma_area *mpi_rma_area_find(uintptr_t begin, uintptr_t end, bool *bars)
{
    struct mpi_rma_area *found = NULL;
    *bars = false;
    for (struct mpi_rma_area *a = mpi_rma_areas; a; a = a->next)
        if (a->begin <= begin && end <= a->end && (!found || has_moved(a, begin, end)))
            found = a;
    for (struct mpi_rma_area *a = mpi_rma_areas; a; a = a->next)
        *bars |= a != found && has_moved(a, begin, end);
    return *bars ? NULL : found;
}

/* What a block had in it before is taken away. */
struct mpi_rma_area *mpi_rma_area_new(uintptr_t begin, uintptr_t end)
{
    const size_t bytes = end - begin, pages = bytes / MPI_RMA_PAGE;
    struct mpi_rma_area *a = calloc(1, sizeof *a + pages * sizeof a->page[0]);
    if (!a)
        return NULL;
    a->begin = begin;
    a->end = end;
    a->offset = nic_heap_alloc(mpi_nic, bytes, MPI_RMA_PAGE);
    if (a->offset == NIC_HEAP_NONE || !nic_heap_clear(mpi_nic, a->offset, bytes)) {
        if (a->offset != NIC_HEAP_NONE)
            nic_heap_free(mpi_nic, a->offset);
        free(a);
        return NULL;
    }
    a->next = mpi_rma_areas;
    mpi_rma_areas = a;
    return a;
}

void mpi_rma_area_drop(struct mpi_rma_area *a)
{
    struct mpi_rma_area **link = &mpi_rma_areas;
    if (a->moved)
        return;
    while (*link != a)
        link = &(*link)->next;
    *link = a->next;
    nic_heap_free(mpi_nic, a->offset);
    free(a);
}

/* -- pages */

static bool alike(struct mpi_rma_moved a, struct mpi_rma_moved b)
{
    return a.moved == b.moved && !a.uses == !b.uses;
}

uintptr_t mpi_rma_area_row(const struct mpi_rma_area *a, uintptr_t at, uintptr_t end)
{
    const struct mpi_rma_moved first = a->page[mpi_rma_page_of(a, at)];
    while (at < end && alike(a->page[mpi_rma_page_of(a, at)], first))
        at += MPI_RMA_PAGE;
    return at;
}

void mpi_rma_area_mark(struct mpi_rma_area *a, uintptr_t begin, uintptr_t end, bool moved)
{
    for (uintptr_t at = begin; at < end; at += MPI_RMA_PAGE) {
        struct mpi_rma_moved *p = &a->page[mpi_rma_page_of(a, at)];
        if (p->moved == moved)
            continue;
        p->moved = moved;
        a->moved += moved ? 1 : (size_t)-1;
        if (!p->uses)
            a->idle += moved ? 1 : (size_t)-1;
    }
}

bool mpi_rma_area_use(struct mpi_rma_area *a, uintptr_t begin, uintptr_t end, int change)
{
    for (uintptr_t at = begin; change > 0 && at < end; at += MPI_RMA_PAGE)
        if (a->page[mpi_rma_page_of(a, at)].uses == MPI_RMA_USES_MOST)
            return false;
    for (uintptr_t at = begin; at < end; at += MPI_RMA_PAGE) {
        struct mpi_rma_moved *p = &a->page[mpi_rma_page_of(a, at)];
        a->idle -= p->moved && !p->uses;
        p->uses = (uint16_t)((p->uses + (p->uses || change > 0 ? change : 0)) & MPI_RMA_USES_MOST);
        a->idle += p->moved && !p->uses;
    }
    return true;
}

void mpi_rma_area_use_none(struct mpi_rma_area *a)
{
    for (uintptr_t at = a->begin; at < a->end; at += MPI_RMA_PAGE)
        a->page[mpi_rma_page_of(a, at)].uses = 0;
    a->idle = a->moved;
}
