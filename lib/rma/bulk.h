/* Elements that all ranks have mapped and accumulate into: one by one, by the processor's atomic
 * instructions, or in bulk, by plain loops.
 *
 * While a target's word `bulk` is 0, ranks change its elements by instructions, each with its own
 * word `inside` set meanwhile.  Whoever has many elements to change takes `busy`, sets `bulk`, and
 * waits until it has seen 0 in each rank's `inside`.  From then on all who come see `bulk`, and
 * everything happens under `busy`: many elements by loops, few by instructions as before.  When
 * enough of these have come in a row one of them, under `busy`, sets `bulk` to 0 again.
 *
 * A rank stores `inside` and loads `bulk`, the other stores `bulk` and loads `inside`: each has to
 * see the other's store, or its own has been seen.  In a rank that calls from one thread at a time
 * a fence for the compiler does for that, as the other side fences all (nic_fence_ranks); else
 * `inside` is counted by atomic operations.  (tests/model/bulk.pml) */
#ifndef MPI_RMA_BULK_H
#define MPI_RMA_BULK_H

#include "rma/element.h"
#include "rma/window.h"

/* `count` elements side by side, as mpi_rma_change; MPI_SUCCESS, or an error class of mpi_rma_busy,
 * and nothing is changed.  Without the baton. */
int mpi_rma_change_busy(struct mpi_win *w, int target, void *at, size_t count,
                        const struct mpi_rma_change *change, const void *origin, void *result);
/* As mpi_rma_exchange_if, whose answer goes to *done. */
int mpi_rma_exchange_busy(struct mpi_win *w, int target, void *at, size_t bytes,
                          const void *value, const void *compare, void *result, bool *done);

/* From here to the end elements of the target are this thread's alone, to be changed by loops.
 * False: not worth it for so many, or not possible.  Without the baton. */
enum { MPI_RMA_MANY = 8 };
bool mpi_rma_bulk_begin(struct mpi_win *w, int target, size_t elements);
void mpi_rma_bulk_end(struct mpi_win *w, int target);

/* -- by instructions */

static inline void mpi_rma_go_outside(struct mpi_rma_control *own)
{
    /* release: behind what was done inside */
    if (likely(own->lightly))
        __atomic_store_n(&own->inside, 0, __ATOMIC_RELEASE);
    else
        __atomic_fetch_sub(&own->inside, 1, __ATOMIC_RELEASE);
}

/* Whether elements there may be changed by instructions now; then mpi_rma_go_outside is called
 * soon.  False: under `busy`. */
static inline bool mpi_rma_go_inside(struct mpi_rma_control *own,
                                     const struct mpi_rma_control *there)
{
    if (likely(own->lightly)) {
        __atomic_store_n(&own->inside, 1, __ATOMIC_RELAXED);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
    } else {
        __atomic_fetch_add(&own->inside, 1, __ATOMIC_SEQ_CST);
    }
    /* acquire: what was done in bulk is seen */
    if (likely(!__atomic_load_n(&there->bulk, __ATOMIC_SEQ_CST)))
        return true;
    mpi_rma_go_outside(own);
    return false;
}

static inline int mpi_rma_change_elements(struct mpi_win *w, int target, void *at, size_t count,
                                          const struct mpi_rma_change *change,
                                          const void *origin, void *result)
{
    struct mpi_rma_control *own = mpi_win_control(w);
    if (unlikely(!mpi_rma_go_inside(own, w->part[target].control)))
        return mpi_rma_change_busy(w, target, at, count, change, origin, result);
    mpi_rma_change(at, count, change, origin, result);
    mpi_rma_go_outside(own);
    return MPI_SUCCESS;
}

static inline int mpi_rma_exchange_element(struct mpi_win *w, int target, void *at, size_t bytes,
                                           const void *value, const void *compare, void *result,
                                           bool *done)
{
    struct mpi_rma_control *own = mpi_win_control(w);
    if (unlikely(!mpi_rma_go_inside(own, w->part[target].control)))
        return mpi_rma_exchange_busy(w, target, at, bytes, value, compare, result, done);
    *done = mpi_rma_exchange_if(at, bytes, value, compare, result);
    mpi_rma_go_outside(own);
    return MPI_SUCCESS;
}

#endif
