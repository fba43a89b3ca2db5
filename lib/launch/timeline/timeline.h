/* mpirun --trace and --report: what the ranks of a job did, and when. */
#ifndef LAUNCH_TIMELINE_H
#define LAUNCH_TIMELINE_H

#include <stdbool.h>

struct job;

/* Whatever is asked for; false: it could not be written. */
bool timeline_write(const struct job *job);

#endif
