/* The loops of the predefined reductions. */
#ifndef MPI_OP_TABLE_H
#define MPI_OP_TABLE_H

#include <stddef.h>

#include "core/elem.h"
#include "mpi.h"

/* Handles of predefined operations are from FIRST to FIRST + COUNT - 1. */
#define MPI_OP_FIRST 0x20u
#define MPI_OP_COUNT 0x20u

/* inout[i] = in[i] op inout[i] for n elements. */
typedef void mpi_op_loop(const void *in, void *inout, size_t n);

/* NULL where the operation has no loop on these elements. */
mpi_op_loop *mpi_op_loop_get(MPI_Op h, enum mpi_elem elem);

#endif
