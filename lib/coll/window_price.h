/* What goes through a window is copied twice, by the processor; a message past the cores once, by
 * the kernel (fw/copies.h).  An all-to-all of long blocks does little else, and which takes less
 * time hangs on the processor: us for 128 KiB within one core, once and twice, and time of messages
 * over that through windows, 64 KiB to 1 MiB from each of 4 ranks to each: Intel Xeon 6.6, 7.4, 0.5
 * to 0.9; AMD EPYC 9005 8, 4, up to 1.6.  So rank 0 of the call looks once, and offers no window if
 * they do not pay; the others remember that. */
#ifndef MPI_WINDOW_PRICE_H
#define MPI_WINDOW_PRICE_H

#include <stdbool.h>
#include <stdint.h>

#include "coll/window.h"

/* Of so many nanoseconds each, for the same bytes.  Ranks that read by themselves do not wait for
 * each other between the pieces, so that windows must take a good deal less. */
static inline bool mpi_window_is_dear(uint64_t once, uint64_t twice)
{
    return once < twice + twice / 2;
}

/* This rank has no window for the call.  Baton held. */
bool mpi_window_refuses(const struct mpi_coll *x, const struct mpi_coll_plan *p);
/* Some rank had none: this one remembers it if that was for the price. */
void mpi_window_was_refused(const struct mpi_window_op *o);

#endif
