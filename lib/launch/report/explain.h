/* mpirun --explain: where the time of the slowest messages
 * of a modelled job went, and of each rank. */
#ifndef LAUNCH_EXPLAIN_H
#define LAUNCH_EXPLAIN_H

#include <stdbool.h>

struct job;

/* False: the file could not be written. */
bool explain_report(const struct job *job);

#endif
