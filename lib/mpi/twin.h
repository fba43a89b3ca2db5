/* Every MPI function is defined under its profiling name, PMPI_X; TWIN(X) right
 * behind the definition gives it the weak name MPI_X that a profiling library may
 * take over (MPI standard, chapter "Tool Support"). */
#ifndef MPI_TWIN_H
#define MPI_TWIN_H

#include "mpi.h"

#define TWIN(name) extern __typeof__(PMPI_##name) MPI_##name __attribute__((weak, alias("PMPI_" #name)))

#endif
