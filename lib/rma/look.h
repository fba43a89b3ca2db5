/* Programs that wait by asking again for a word that another rank is to change. */
#ifndef MPI_RMA_LOOK_H
#define MPI_RMA_LOOK_H

#include <stddef.h>

#include "core/world.h"
#include "nicemu/threads.h"

/* What a call has found that changed nothing: MPI_NO_OP, a comparison that failed, MPI_Win_sync
 * (value NULL).  Who finds the same at the same place again and again, where ranks outnumber the
 * cores, lets others run: one of them is to change it.  At most 8 bytes are looked at.  Without the
 * baton; what was found before is the thread's own. */
void mpi_rma_looked_again(const void *window, int target, ptrdiff_t place, const void *value,
                          size_t bytes);

static inline void mpi_rma_looked(const void *window, int target, ptrdiff_t place,
                                  const void *value, size_t bytes)
{
    if (unlikely(nic_oversubscribed(mpi_nic)))
        mpi_rma_looked_again(window, target, place, value, bytes);
}

#endif
