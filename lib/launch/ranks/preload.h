/* Tools that ranks load. */
#ifndef LAUNCH_PRELOAD_H
#define LAUNCH_PRELOAD_H

#include <stdbool.h>

#include "launch/base/vars.h"

/* Has the ranks with this environment load the library of that name, for that option.  0, or an
 * exit code, and the reason is said. */
int preload(struct vars *vars, const char *name, const char *option);

#endif
