/* Pages of this process, in front of the heap and behind it: their data and who has them.
 *
 * While they go from one to the other nobody else of this process may write there: see move.c. */
#ifndef MPI_RMA_PAGES_H
#define MPI_RMA_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copies pages as they are, also guards of sanitizers between the program's data, and none that has
 * but zeros: of `to`, which has only those, no memory is taken there. */
void mpi_rma_pages_copy(char *to, const char *from, size_t bytes);

/* [at, at + bytes), private, into the heap from `offset` on, where there are but zeros.  Pages that
 * were never touched stay so, unless there is a file behind them that has something there.  How
 * many of the bytes are there now, from the first on. */
size_t mpi_rma_pages_in(uintptr_t at, uint64_t offset, size_t bytes, bool file);

/* A private mapping of so many bytes takes the place of what is at `at`, with these rights
 * (PROT_READ and others).  False: it does not, and is gone. */
bool mpi_rma_pages_replace(uintptr_t at, char *copy, size_t bytes, int rights);

/* The way back, for pages that the program has these rights to; leaves zeros there. */
size_t mpi_rma_pages_out(uintptr_t at, uint64_t offset, size_t bytes, int rights);

#endif
