/* Reading a machine's topology. */
#ifndef LAUNCH_TOPOLOGY_H
#define LAUNCH_TOPOLOGY_H

#include "launch/where/machine.h"

/* Reads this machine, with processors that are not in `allowed` too, as far as the kernel shows
 * them.  If it cannot be read, the allowed processors count as a core each, in the kernel's
 * order. */
void topology_read(const struct cores *allowed, struct machine *machine);

/* Reads the machine that `text` describes: hwloc's synthetic description ("numa:2 core:8 pu:2"), or
 * the path of an XML file that lstopo has written.  All processors are allowed.  -1 if it is
 * neither. */
int topology_describe(const char *text, struct machine *machine);

#endif
