/* Put, get and atomic operations where the memory is not mapped here: by the NIC, which lets the
 * kernel copy, or sends packets. */
#ifndef MPI_SHMEM_ACCESS_H
#define MPI_SHMEM_ACCESS_H

#include "shmem/change.h"
#include "shmem/context.h"

/* What is done to a word behind a put; op 0: nothing. */
struct mpi_shmem_signal { uint64_t *at; uint64_t value; int op; };

/* Checks all arguments.  nbi: the caller leaves source (of a get: dest) alone until the context is
 * quiet. */
void mpi_shmem_put_far(const char *call, struct shmem_context *c, void *dest, const void *source,
                       size_t bytes, const struct mpi_shmem_signal *signal, bool nbi, int pe);
void mpi_shmem_get_far(const char *call, struct shmem_context *c, void *dest, const void *source,
                       size_t bytes, bool nbi, int pe);

/* wait: the result is there when it returns. */
void mpi_shmem_atomic_far(const char *call, struct shmem_context *c, void *dest,
                          const struct mpi_shmem_atomic *a, bool wait, int pe);

#endif
