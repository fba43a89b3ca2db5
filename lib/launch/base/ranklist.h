/* Naming many ranks in few words. */
#ifndef LAUNCH_RANKLIST_H
#define LAUNCH_RANKLIST_H

#include <stdbool.h>
#include <stdio.h>

/* Writes the chosen ones of `ranks` ranks, "0-3,7"; past some twelve ranges it ends with "...".
 * Returns their number. */
unsigned ranklist_print(FILE *out, const bool *chosen, unsigned ranks);

#endif
