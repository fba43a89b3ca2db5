/* Where ranks have crashed. */
#ifndef LAUNCH_REPORT_CRASH_H
#define LAUNCH_REPORT_CRASH_H

#include <stdio.h>

struct crashes;

/* Lines for the report, each behind a newline; ranks that crashed alike share theirs:
 *   ranks 0-2: SIGSEGV (nothing is mapped there) at address 0x10
 *     #0 solve at solver.c:42 (prog+0x11e9)
 * Nothing, if nothing was reported. */
void crash_print(FILE *out, const struct crashes *crashes, unsigned ranks);

#endif
