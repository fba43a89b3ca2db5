/* Patterns of names and of what lines begin with, as Hydra has them. */
#ifndef LAUNCH_PATTERN_H
#define LAUNCH_PATTERN_H

#include <stddef.h>

#define PATTERN_VALUES "%r (rank), %h (host), %t (time), %g and %p (0), %%"

enum { PATTERN_ROOM = 4096 };

/* The first "%" of a pattern that means nothing; NULL: there is none. */
const char *pattern_fault(const char *pattern);

/* What the pattern is for this rank, now; bytes written, without the 0 behind them. */
size_t pattern_expand(char *text, size_t room, const char *pattern, unsigned rank);

#endif
