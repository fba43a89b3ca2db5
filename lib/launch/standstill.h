/* A job in which every rank waits and nothing is under way. */
#ifndef LAUNCH_STANDSTILL_H
#define LAUNCH_STANDSTILL_H

#include <stdint.h>

struct job;

/* Looks at the job; when it has stood still for three looks, fails it with a text of who waits for
 * what.  Sets when to look next. */
void standstill_look(struct job *job, int64_t now);

#endif
