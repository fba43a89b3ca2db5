/* MPILITE_STATS: the figures of all ranks' NICs at the end of the job. */
#ifndef MPI_STATS_H
#define MPI_STATS_H

#include "coll/coll.h"

/* A barrier of all ranks in MPI_Finalize, inside a collective on MPI_COMM_WORLD.  last: for this
 * rank it is the last thing that it does with others.  False: for no rank it was.  Else, before it
 * is over, rank 0 has shown the figures if any rank's environment asks for them.  `drain` waits
 * until all that this rank has sent is away. */
bool mpi_stats_barrier(struct mpi_coll *x, bool last, void (*drain)(void));

#endif
