/* Short operations on the model clock: by the NIC's command queue, into which the host writes a
 * command with its data by plain stores, in place of a call of the NIC for each. */
#ifndef MPI_SHMEM_QUEUE_H
#define MPI_SHMEM_QUEUE_H

#include <stdbool.h>

#include "shmem/change.h"

void mpi_shmem_queue_begin(void);
void mpi_shmem_queue_end(void);

/* Both start it, and the source may be changed.  False: the queue has no such command, or there is
 * no queue. */
bool mpi_shmem_queue_put(struct nic_address to, const void *source, size_t bytes);
/* The result, if any is wanted, is there. */
bool mpi_shmem_queue_atomic(const char *call, struct nic_address at,
                            const struct mpi_shmem_atomic *a);

/* All that was written is complete. */
void mpi_shmem_queue_quiet(const char *call);

#endif
