/* Collectives whose arguments must be alike in all ranks. */
#ifndef CHECK_COLLECTIVES_H
#define CHECK_COLLECTIVES_H

/* Collective on MPI_COMM_WORLD, at the end: reports, for each communicator, the first call of which
 * this rank and the communicator's rank 0 do not say the same. */
void check_collectives_compare(const char *call);

#endif
