/* Lines of source for places in programs, from addr2line where that is installed. */
#ifndef LAUNCH_SOURCE_H
#define LAUNCH_SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* How long all questions of a report may take together: one takes a few ms, and seconds where the
 * machine is busy or the program large. */
#define SOURCE_NS (INT64_C(30) * 1000 * 1000 * 1000)

/* Prints what a rank's process says of itself, with "made at solver.c:42 (prog+0x11e9)" in place of
 * "made at prog+0x11e9", as long as there is time left, and the process, which has to run, has such
 * a file mapped.  Nothing of the text is trusted. */
void source_print(FILE *out, const char *text, pid_t process, int64_t *left_ns);

/* Whether a file has the names of all its functions.  Where it is stripped addr2line gives those of
 * whatever is nearest. */
bool source_has_names(const char *path);

/* What `addr2line -a -f -C -i` says of these addresses in a file, to be freed; NULL: it could not
 * be asked. */
char *source_frames(const char *path, char *const *addresses, unsigned count, int64_t *left_ns);

#endif
