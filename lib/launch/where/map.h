/* The map of a plan, as --report-bindings shows it. */
#ifndef LAUNCH_MAP_H
#define LAUNCH_MAP_H

#include <stdio.h>

#include "launch/where/place.h"

/* Draws the machine with one rank in it: a socket in brackets, a bar between caches or memory
 * nodes, a slash between cores, and for each hardware thread B (the rank runs here), n (only its
 * NIC's thread does), . (neither) or - (not allowed): "[BB/nn|../..][--/--|--/--]". */
void map_draw(FILE *out, const struct machine *machine, const struct place *place);

/* Writes the map of all ranks on standard error, one line each
 * below a title that says what was asked for. */
void map_print(const struct plan *plan, const struct policy *asked);

#endif
