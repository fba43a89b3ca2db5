/* What to try next, in sentences. */
#ifndef LAUNCH_ADVICE_H
#define LAUNCH_ADVICE_H

#include <stdio.h>

#include "launch/timeline/sums.h"

/* As elements of an array of strings. */
void advice_write(FILE *out, const struct view *view, const struct sums *sums);

#endif
