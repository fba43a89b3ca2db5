/* Time that passes for a job. */
#ifndef LAUNCH_TICK_H
#define LAUNCH_TICK_H

#include <stdint.h>

struct job;

/* Of two times, or lengths of it, of which a negative one is never. */
int64_t tick_earlier(int64_t a, int64_t b);

/* When --timeout ends the job; 0: never. */
void job_set_deadline(struct job *job, int64_t ns);

/* What time brings: a stronger signal, the time-out, a look for a standstill. */
void job_tick(struct job *job, int64_t now);

/* When job_tick is due next; -1: never. */
int64_t job_due(const struct job *job);

#endif
