/* Elements in bulk, and those who meet that. */
#include "rma/bulk.h"

#include "nicemu/threads.h"
#include "rma/lock.h"
#include "rma/waiter.h"

enum {
    OWED = 256,     /* elements changed one by one, by calls that have many: what a bulk costs, */
    OWED_RANK = 16, /* and with each rank of the window */
    FEW = 64,       /* calls under the word in a row, none of which has many: then no more bulk */
    SPINS = 200,    /* looks at a rank that is inside before giving way */
    THREADS = 1 << 20   /* a rank has fewer */
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

/* Until it has been outside once.  Mostly it is: inside is where a few instructions are.  False: it
 * has ended there, or its word says what cannot be. */
static bool wait_outside(struct mpi_rma_waiter *g)
{
    const uint64_t *inside = &g->w->part[g->before].control->inside;
    struct nic_wait wait = { .note = mpi_rma_busy_note, .argument = g, .polled = true };
    uint64_t threads;
    /* acquire: what was done inside is seen */
    for (unsigned i = 0; (threads = __atomic_load_n(inside, __ATOMIC_SEQ_CST)); i++) {
        if (threads > THREADS || (i && i % SPINS == 0 && mpi_rma_has_ended(g->w, g->before)))
            return false;
        if (i < SPINS)
            continue;
        nic_enter(mpi_nic);
        nic_wait_turn(mpi_nic, &wait);
        nic_leave(mpi_nic);
    }
    return true;
}

static bool all_outside(struct mpi_win *w, int target)
{
    struct mpi_rma_waiter g = { .w = w, .target = target };
    for (; g.before < w->comm->size; g.before++)
        if (!wait_outside(&g))
            return false;
    return true;
}

/* Under the word: nobody is, or comes, inside. */
static bool shut(struct mpi_win *w, int target)
{
    struct mpi_rma_control *there = w->part[target].control;
    __atomic_store_n(&there->bulk, 1, __ATOMIC_SEQ_CST);
    if ((!w->fences || nic_fence_ranks()) && all_outside(w, target))
        return true;
    __atomic_store_n(&there->bulk, 0, __ATOMIC_RELEASE);
    return false;
}

static bool is_shut(const struct mpi_rma_part *p)
{
    return __atomic_load_n(&p->control->bulk, __ATOMIC_RELAXED);
}

/* Whether so many elements, with those before, have cost as much as shutting does, for which a line
 * of each rank is read. */
static bool pays(const struct mpi_win *w, struct mpi_rma_part *p, size_t elements)
{
    const uint32_t cost = OWED + OWED_RANK * (uint32_t)w->comm->size;
    const uint32_t few = elements < cost ? (uint32_t)elements : cost;
    if (__atomic_add_fetch(&p->owed, few, __ATOMIC_RELAXED) < cost)
        return false;
    __atomic_store_n(&p->owed, 0, __ATOMIC_RELAXED);
    return true;
}

/* That all were outside may be known from another rank, and who comes behind a bulk may learn from
 * one that it is over: the thread sanitizer does not see what other processes do, and would miss
 * the edges from and to this rank's other threads. */
static void tell_sanitizer(struct mpi_win *w)
{
#ifdef __SANITIZE_THREAD__
    __atomic_fetch_add(&mpi_win_control(w)->inside, 0, __ATOMIC_ACQ_REL);
#endif
    (void)w;
}

bool mpi_rma_bulk_begin(struct mpi_win *w, int target, size_t elements)
{
    struct mpi_rma_part *p = &w->part[target];
    if (elements < MPI_RMA_MANY || (!is_shut(p) && !pays(w, p, elements)))
        return false;
    if (mpi_rma_busy(w, target))
        return false;
    if (!is_shut(p) && !shut(w, target)) {
        mpi_rma_idle(w, target);
        return false;
    }
    p->control->few = 0;
    tell_sanitizer(w);
    return true;
}

void mpi_rma_bulk_end(struct mpi_win *w, int target)
{
    tell_sanitizer(w);
    mpi_rma_idle(w, target);        /* succeeds: the word is mapped */
}
