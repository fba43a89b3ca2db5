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

#endif
