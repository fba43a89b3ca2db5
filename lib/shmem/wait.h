/* Waiting for variables of this PE that others change. */
#ifndef MPI_SHMEM_WAIT_H
#define MPI_SHMEM_WAIT_H

#include "shmem/state.h"

/* Waits until `ready` is true; `note` as in struct nic_wait.  Both get the argument.  rung: whoever
 * makes it true wakes this PE. */
void mpi_shmem_wait(bool (*ready)(void *argument),
                    const char *(*note)(void *argument, char *text, size_t size), void *argument,
                    bool rung);

/* A look that found nothing: lets others go on, who shall change what is looked at. */
void mpi_shmem_look(void);

/* Before this PE reads memory of its own for the program, which may do so again and again until
 * somebody has changed it: that may have to wait for a call of ours, and on the model clock for
 * time to go on. */
static inline void mpi_shmem_reads(int pe)
{
    if (unlikely(!mpi_shmem.local) && pe == mpi_shmem.me)
        mpi_shmem_look();
}

#endif
