/* Datatypes that are a part of an array: a box of it, or what one of several processes has. */
#ifndef MPI_DERIVED_ARRAY_H
#define MPI_DERIVED_ARRAY_H

#include "core/derived.h"

/* What is taken of one dimension of `size` indices: blocks of `block` from index `first` on, one
 * every `step`, each as far as it is inside of `first`..`end`-1. */
struct mpi_dimension { size_t size, first, end, block, step; };

/* Of an array of `old`; dimension[0] is that in which neighbours are next to each other. */
int mpi_derive_part(const struct mpi_type *old, const struct mpi_dimension *dimension,
                    size_t dimensions, struct mpi_derived **made);

#endif
