/* Memory of the program that is moved into the heap while a window has it, or SHMEM, so that all
 * ranks of the machine reach it as they reach memory of MPI_Win_allocate.  Whole pages are: what
 * else is there comes with it, and all stays at its addresses. */
#ifndef MPI_RMA_MOVE_H
#define MPI_RMA_MOVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether this process may work on the heaps of others by itself. */
bool mpi_rma_reaches(void);

/* Of memory that is not in the heap by itself.  True: it is there now, from *offset on, until
 * mpi_rma_move_back of the same.  False: it has stayed where it is.  Without the baton. */
bool mpi_rma_move(void *base, size_t bytes, uint64_t *offset);
void mpi_rma_move_back(void *base, size_t bytes);

/* The same of pages that are all of the program's variables, whatever it costs and whoever else is
 * in the job: for SHMEM, whose variables they are. */
bool mpi_rma_move_variables(void *base, size_t bytes, uint64_t *offset);

/* All that is there still.  Before the NIC is closed. */
void mpi_rma_moves_end(void);

#endif
