/* Loops around MPI_Test, MPI_Iprobe and their like that cannot end: the thread has done nothing
 * else for a second, and repeats itself (repeat.h).  It then waits in place of it, as long as
 * nothing moves, so that the deadlock watch sees this rank stand. */
#ifndef CHECK_LOOPS_H
#define CHECK_LOOPS_H

#include <mpi.h>
#include <stdbool.h>

/* A call ends, and had looked for what has not happened. */
void check_loops_leave(bool fruitless);

/* In a call that has found nothing: of these requests, or of such a message. */
void check_loops_requests(int count, const MPI_Request *requests, bool any);
void check_loops_probe(int source, int tag, MPI_Comm comm);

/* The program has looked at a clock: it may know when to stop. */
void check_loops_clock(void);

#endif
