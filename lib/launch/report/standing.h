/* Where each rank of a job stands: what it waits for in MPI, or that it is elsewhere. */
#ifndef LAUNCH_STANDING_H
#define LAUNCH_STANDING_H

#include <stdbool.h>

struct job;

/* In so many lines at most, and at once: nobody is asked for lines of source. */
char *standing_brief(const struct job *job, unsigned lines);

/* Lines for the report, "  ranks 0-2: MPI_Barrier(MPI_COMM_WORLD)"; ranks of which the same is to
 * be said share one.  Taken now: what ranks say of themselves changes when they are ended.  To be
 * freed; NULL: no rank has called MPI_Init yet.  still: all ranks are known to wait in MPI, and one
 * that is awake at this moment is just looking around. */
char *standing_describe(const struct job *job, bool still);

#endif
