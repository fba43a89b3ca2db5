/* What .TRUE. and .FALSE. are in memory: 1 and 0, as C has it, until a program has said otherwise
 * for its kind of LOGICAL. */
#ifndef MPI_FORTRAN_TRUTH_H
#define MPI_FORTRAN_TRUTH_H

#include <stdbool.h>
#include <stddef.h>

enum { MPI_LOGICAL_BYTES_MAX = 16, MPI_LOGICAL_SIZES = 5 };

/* By log2 of the size.  Written once, before logical values of that size are reduced. */
struct mpi_fortran_truth { unsigned __int128 no, yes; };
extern struct mpi_fortran_truth mpi_fortran_truth[MPI_LOGICAL_SIZES];

/* The index of a size, -1: no LOGICAL has it. */
int mpi_logical_size_index(size_t bytes);

/* False: they have been set before. */
bool mpi_fortran_truth_set(int index, const void *yes, const void *no);
/* False: they have not been set for that size. */
bool mpi_fortran_truth_get(int index, void *yes, void *no);

#endif
