/* The machine's cores, as far as placement needs them. */
#ifndef LAUNCH_TOPOLOGY_H
#define LAUNCH_TOPOLOGY_H

#include "place.h"

/* Lists the allowed hardware threads in hwloc's order into `threads` (room for cores_count(allowed)) and returns
 * their number.  If the topology cannot be read, each thread counts as a core, in the kernel's order. */
unsigned topology_threads(const struct cores *allowed, struct place_thread *threads);

#endif
