/* What a request keeps in Fortran: copies of array sections, and arrays that the operation may read
 * until it ends.  The wrappers of Start, Wait, Test and their like tell here what becomes of
 * requests; that costs one look while nothing is kept, which is nearly always.
 *
 * Any thread may call these; a lock is taken inside. */
#ifndef MPIF_LATER_H
#define MPIF_LATER_H

#include <stdatomic.h>
#include <stdbool.h>
#include "mpi.h"

struct mpif_section;

/* How much is kept. */
extern _Atomic unsigned mpif_kept;

static inline bool mpif_any_kept(void)
{
    /* relaxed: a thread that completes a request learned of it after it was started */
    return __builtin_expect(atomic_load_explicit(&mpif_kept, memory_order_relaxed) != 0, 0);
}

/* A request begins: what an earlier one of this number left, which C completed, is forgotten. */
void mpif_later_new(int request);

/* With the request goes a copy, or memory.  A persistent one keeps them until it is freed. */
void mpif_later_section(int request, bool persistent, struct mpif_section *section);
void mpif_later_free(int request, bool persistent, void *memory);

/* It is started: copies are made anew.  Its data has arrived: copies go back.  It has ended, or is
 * freed: nothing is kept but for a persistent one that ended, or for one that is under way. */
void mpif_started(int request);
void mpif_arrived(int request);
void mpif_ended(int request);
void mpif_freed(int request);

/* Whether MPI_Waitall, whose result is `code`, has ended all, some perhaps with an error; it stops
 * where one is no request. */
static inline bool mpif_waited(int code)
{
    return code != MPI_ERR_REQUEST && code != MPI_ERR_COUNT && code != MPI_ERR_NO_MEM;
}

/* Of n requests, `now` as C left them: those that became null have ended, all if `all`. */
void mpif_ended_of(MPI_Count n, const int *requests, const MPI_Request *now, bool all);
/* The same with the names that arguments of MPI_Waitall and MPI_Testall have in what is made. */
#define mpif_all_ended(all) mpif_ended_of(*count, array_of_requests, array_of_requests_c, all)
/* Those of the indices. */
void mpif_ended_some(int n, const int *requests, const int *indices);
void mpif_arrived_some(int n, const int *requests, const int *indices);
/* All of n. */
void mpif_started_all(MPI_Count n, const int *requests);
void mpif_arrived_all(MPI_Count n, const int *requests);

#endif
