/* Variables of the ranks whose values each rank would refuse by itself: refused once, before any
 * rank has begun. */
#ifndef LAUNCH_REFUSED_H
#define LAUNCH_REFUSED_H

#include "launch/command/asked.h"

/* 0, or an exit code: it is said which, and what is allowed.  The number of ranks is known. */
int refused_variable(const struct options *o);

#endif
