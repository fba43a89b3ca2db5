/* SHMEM has no codes for errors: what is wrong is said, and the job ends. */
#ifndef MPI_SHMEM_ERROR_H
#define MPI_SHMEM_ERROR_H

#include "shmem/state.h"

/* `call` is what the program called. */
__attribute__((noreturn, cold, format(printf, 2, 3)))
void mpi_shmem_die(const char *call, const char *format, ...);

/* Ends the job unless SHMEM is there. */
void mpi_shmem_check_up(const char *call);

/* Ends the job unless there is such a PE. */
void mpi_shmem_check_pe(const char *call, int pe);

/* The region that has all of it, and how far it is from there; if there is none the job ends. */
const struct mpi_shmem_region *mpi_shmem_find(const char *call, const void *address, size_t bytes,
                                              size_t *offset);

/* First statement of what needs SHMEM. */
#define SHMEM_ENTER(call) \
    do { \
        if (unlikely(!mpi_shmem.up)) \
            mpi_shmem_check_up(call); \
    } while (0)

#endif
