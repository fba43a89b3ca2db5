/* Which ranks are where, told as other launchers tell it. */
#ifndef LAUNCH_SEATING_H
#define LAUNCH_SEATING_H

struct layout;
struct options;

/* --print-rank-map and --display-allocation.  0, or an exit code. */
int seating_tell(const struct layout *layout, const struct options *options);

#endif
