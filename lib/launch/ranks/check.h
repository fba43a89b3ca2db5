/* The checks of --check, a tool that ranks load. */
#ifndef LAUNCH_CHECK_H
#define LAUNCH_CHECK_H

#include "launch/base/vars.h"

struct job;

/* Has the ranks with this environment load it, if `wanted` says so, or the environment where that
 * is NULL.  pipe: the descriptor for what they find, which they then inherit.  0, or an exit code,
 * and the reason is said. */
int check_load(struct vars *vars, const char *wanted, int pipe);

/* Says of which ranks that have ended well nothing has come, though they were to be checked. */
void check_warn(const struct job *job);

#endif
