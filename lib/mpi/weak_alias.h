/* Every MPI function is defined under its profiling name, PMPI_X.  MPI_WEAK_ALIAS(X) right behind
 * the definition gives it the weak name MPI_X as well, which a profiling library may take over
 * (MPI standard, chapter "Tool Support"). */
#ifndef MPI_WEAK_ALIAS_H
#define MPI_WEAK_ALIAS_H

#include "mpi.h"

#define MPI_WEAK_ALIAS(name) \
    extern __typeof__(PMPI_##name) MPI_##name __attribute__((weak, alias("PMPI_" #name)))

#endif
