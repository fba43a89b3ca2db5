/* What info objects ask of memory. */
#ifndef MPI_MEM_HINTS_H
#define MPI_MEM_HINTS_H

#include <mpi.h>
#include <stddef.h>

/* The alignment that mpi_minimum_memory_alignment asks for, 64 at least; one that makes no sense
 * counts as none. */
size_t mpi_mem_align(MPI_Info info);

#endif
