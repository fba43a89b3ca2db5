/* Finding a program the way execvp does, but before anything is started. */
#ifndef LAUNCH_PROGRAM_H
#define LAUNCH_PROGRAM_H

#include <stdbool.h>

/* Looks for `name` as seen from the folder `dir` (NULL: this one): a name with a slash is a path,
 * others are sought in `path` (the value of PATH, or NULL) and then in `dir` itself.  Returns 0 and
 * the path in *found, to be freed; or says what is wrong and returns an exit code. */
int program_find(const char *name, const char *dir, const char *path, char **found);

/* Whether a file that the system does not know how to start may be one for the shell, as POSIX has
 * it: text up to the end of its first line. */
bool program_may_be_script(const char *path, const char *dir);

#endif
