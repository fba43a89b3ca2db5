/* The data of two layouts side by side, without a packed stream of them in between. */
#ifndef MPI_PAIRS_H
#define MPI_PAIRS_H

#include "type/pack.h"

/* Both have as many bytes, and may have the same bytes only where nothing is written.  Bytes that
 * follow each other on both sides come as one piece, in order, until `pair` returns false. */
typedef bool mpi_pair_fn(void *context, char *to, const char *from, size_t bytes);
void mpi_data_pairs(const struct mpi_data *to, const struct mpi_data *from, mpi_pair_fn *pair,
                    void *context);

/* Whether a call for each piece is little beside what is to be done with its bytes. */
bool mpi_data_pairs_well(const struct mpi_data *a, const struct mpi_data *b);

/* Copies, in any order.  False, and nothing is done: packing and unpacking takes less. */
bool mpi_data_copy(const struct mpi_data *to, const struct mpi_data *from);

#endif
