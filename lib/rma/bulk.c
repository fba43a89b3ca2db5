/* Elements in bulk, and those who meet that. */
#include "rma/bulk.h"

#include <stdio.h>

#include "core/label.h"
#include "nicemu/threads.h"
#include "rma/lock.h"

enum {
    OWED = 256,     /* elements changed one by one, by calls that have many: what a bulk costs */
    FEW = 64,       /* calls under the word in a row, none of which has many: then no more bulk */
    SPINS = 200     /* looks at a rank that is inside before giving way */
};

/* -- few */

/* Under the word. */
static void came_with_few(struct mpi_rma_control *there)
{
    const uint32_t few = there->few + 1;
    there->few = few;
    if (few >= FEW)     /* release: behind what was done in bulk */
        __atomic_store_n(&there->bulk, 0, __ATOMIC_RELEASE);
}

int mpi_rma_change_busy(struct mpi_win *w, int target, void *at, size_t count,
                        const struct mpi_rma_change *change, const void *origin, void *result)
{
    int class = mpi_rma_busy(w, target);
    if (class)
        return class;
    mpi_rma_change(at, count, change, origin, result);
    came_with_few(w->part[target].control);
    return mpi_rma_idle(w, target);
}

int mpi_rma_exchange_busy(struct mpi_win *w, int target, void *at, size_t bytes,
                          const void *value, const void *compare, void *result, bool *done)
{
    int class = mpi_rma_busy(w, target);
    if (class)
        return class;
    *done = mpi_rma_exchange_if(at, bytes, value, compare, result);
    came_with_few(w->part[target].control);
    return mpi_rma_idle(w, target);
}

/* -- many */

struct inside { const struct mpi_win *w; int target, rank; };

static const char *inside_note(void *argument, char *text, size_t size)
{
    const struct inside *g = argument;
    char label[MPI_LABEL_LONG];
    snprintf(text, size, "an accumulate to rank %d, %s: it waits for rank %d", g->target,
             mpi_label_long(g->w->comm, label, sizeof label), g->rank);
    return text;
}

/* Until it has been outside once.  Mostly it is: inside is where a few instructions are. */
static void wait_outside(const struct inside *g)
{
    const uint64_t *inside = &g->w->part[g->rank].control->inside;
    struct nic_wait wait = { .note = inside_note, .argument = (void *)(uintptr_t)g,
                             .polled = true };
    /* acquire: what was done inside is seen */
    for (unsigned i = 0; __atomic_load_n(inside, __ATOMIC_SEQ_CST); i++) {
        if (i < SPINS)
            continue;
        nic_enter(mpi_nic);
        nic_wait_turn(mpi_nic, &wait);
        nic_leave(mpi_nic);
    }
}

static bool fence(const struct mpi_win *w)
{
    for (int i = 0; i < w->comm->size; i++)
        if (w->part[i].control->lightly)
            return nic_fence_ranks();
    return true;
}

/* Under the word: nobody is, or comes, inside. */
static bool shut(const struct mpi_win *w, int target)
{
    struct mpi_rma_control *there = w->part[target].control;
    __atomic_store_n(&there->bulk, 1, __ATOMIC_SEQ_CST);
    if (!fence(w)) {
        __atomic_store_n(&there->bulk, 0, __ATOMIC_RELEASE);
        return false;
    }
    for (int i = 0; i < w->comm->size; i++)
        wait_outside(&(struct inside){ w, target, i });
    return true;
}

static bool is_shut(const struct mpi_rma_part *p)
{
    return __atomic_load_n(&p->control->bulk, __ATOMIC_RELAXED);
}

/* Whether so many elements, with those before, have cost as much as shutting does. */
static bool pays(struct mpi_rma_part *p, size_t elements)
{
    const uint32_t few = elements < OWED ? (uint32_t)elements : OWED;
    if (__atomic_add_fetch(&p->owed, few, __ATOMIC_RELAXED) < OWED)
        return false;
    __atomic_store_n(&p->owed, 0, __ATOMIC_RELAXED);
    return true;
}

bool mpi_rma_bulk_begin(struct mpi_win *w, int target, size_t elements)
{
    struct mpi_rma_part *p = &w->part[target];
    if (elements < MPI_RMA_MANY || (!is_shut(p) && !pays(p, elements)) || mpi_rma_busy(w, target))
        return false;
    if (!is_shut(p) && !shut(w, target)) {
        mpi_rma_idle(w, target);
        return false;
    }
    p->control->few = 0;
    return true;
}

void mpi_rma_bulk_end(struct mpi_win *w, int target)
{
    mpi_rma_idle(w, target);        /* succeeds: the word is mapped */
}
