/* Children of this process, by fork: memory that has been moved into the heap is private to them,
 * as it would be without windows. */
#ifndef MPI_RMA_CHILDREN_H
#define MPI_RMA_CHILDREN_H

#include <stdbool.h>

/* Of all that is moved: no child is made meanwhile. */
void mpi_rma_children_lock(void);
void mpi_rma_children_unlock(void);

/* From now on.  False: it cannot be. */
bool mpi_rma_children_minded(void);

#endif
