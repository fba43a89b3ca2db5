/* What an operation of the NIC on a window's memory ended with, as an error class. */
#ifndef MPI_RMA_OUTCOME_H
#define MPI_RMA_OUTCOME_H

#include <errno.h>

#include "mpi.h"

/* Of 0 or a negative error of nicemu. */
static inline int mpi_rma_class_of(int status)
{
    switch (status) {
    case 0:
        return MPI_SUCCESS;
    case -ENOMEM: case -ENOSPC:
        return MPI_ERR_NO_MEM;
    case -EHOSTDOWN:
        return MPI_ERR_PROC_ABORTED;
    case -ERANGE: case -ENOKEY: case -EACCES:
        return MPI_ERR_RMA_RANGE;
    case -EFAULT:               /* within the window, but not to be read, or written */
        return MPI_ERR_BUFFER;
    default:
        return MPI_ERR_OTHER;
    }
}

#endif
