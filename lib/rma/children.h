/* Children of this process, by fork: memory that has been moved into the heap is private to them,
 * as it would be without windows and SHMEM. */
#ifndef MPI_RMA_CHILDREN_H
#define MPI_RMA_CHILDREN_H

#include <stdbool.h>

/* Of all that is moved: no child is made meanwhile. */
void mpi_rma_children_lock(void);
void mpi_rma_children_unlock(void);

/* From now on.  False: it cannot be. */
bool mpi_rma_children_minded(void);

/* In a child: what was moved is its own from here on.  It is so in any case when `fork` returns;
 * handlers that write to variables before that call this first. */
void mpi_rma_children_own(void);

#endif
