/* What this process is in its job.  Set by MPI_Init, read only until MPI_Finalize. */
#ifndef MPI_WORLD_H
#define MPI_WORLD_H

#include "fw/fw.h"

extern struct nic *mpi_nic;
extern struct fw *mpi_fw;
extern struct nic_job *mpi_job;
extern size_t mpi_eager_max;    /* longest message that travels with its envelope */
extern bool mpi_modelled;       /* the model clock; stays as it is after MPI_Finalize */
extern bool mpi_threaded;       /* MPI_THREAD_MULTIPLE */

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#endif
