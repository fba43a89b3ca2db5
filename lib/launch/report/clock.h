/* What the model clock has to say at the end of a job. */
#ifndef LAUNCH_CLOCK_H
#define LAUNCH_CLOCK_H

#include <stdbool.h>

struct job;

/* The logs are merged, the hash is printed, messages are explained.
 *  False: a file could not be written. */
bool clock_report(const struct job *job);

#endif
