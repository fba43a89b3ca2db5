/* Finding a program the way execvp does, but before anything is started. */
#ifndef LAUNCH_PROGRAM_H
#define LAUNCH_PROGRAM_H

/* Looks for `name` as seen from the folder `dir` (NULL: this one): a name with a slash is a path,
 * others are sought in `path` (the value of PATH, or NULL) and then in `dir` itself.  Returns 0 and
 * the path in *found, to be freed; or says what is wrong and returns an exit code. */
int program_find(const char *name, const char *dir, const char *path, char **found);

#endif
