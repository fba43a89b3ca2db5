/* Exit codes of all ranks. */
#ifndef LAUNCH_CODES_H
#define LAUNCH_CODES_H

struct job;

/* --print-all-exitcodes: a line on standard error. */
void codes_print(const struct job *job);

#endif
