/* Programs of another MPI, of which mpirun can only start ranks that do not know of each other. */
#ifndef LAUNCH_FOREIGN_H
#define LAUNCH_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>

struct job;
struct options;

/* Whose library a file of this name is, if another MPI's; else NULL. */
const char *foreign_name(const char *file);

/* Looks into a program for the library of another MPI that it is linked with; `dir`: where a
 * relative path begins, or NULL. Returns the name in `name`, or NULL: there is none, or it cannot
 * be found out. */
const char *foreign_library(const char *dir, const char *path, char *name, size_t size);

/* Before the job begins: a warning, if one of its programs is such a one, and how to mend that.
 * True: it was told. */
bool foreign_tell(const struct options *options);

/* A warning, if ranks of the job ended by themselves without ever having come to us, and that is
 * why. */
void foreign_warn(const struct job *job);

#endif
