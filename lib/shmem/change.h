/* What an atomic operation does to a word. */
#ifndef MPI_SHMEM_CHANGE_H
#define MPI_SHMEM_CHANGE_H

#include "nicemu/atomic.h"

struct mpi_shmem_atomic {
    enum nic_atomic_op op;
    size_t bytes;               /* 4 or 8 */
    uint64_t operand, compare;
    void *result;               /* NULL: nobody wants the old value */
};

#endif
