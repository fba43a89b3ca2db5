/* Stacks of a rank that runs, from gdb where that is installed. */
#ifndef LAUNCH_STACKS_H
#define LAUNCH_STACKS_H

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* How long all of a report may take together: on a busy machine gdb needs ten seconds to read what
 * a debugging build has to say of itself. */
#define STACKS_NS (INT64_C(60) * 1000 * 1000 * 1000)

/* Prints who has called whom in each thread of the process, which is stopped meanwhile, or why that
 * is not known; process 0: of the one that was started. */
void stacks_print(FILE *out, pid_t process, pid_t started, int64_t *left_ns);

#endif
