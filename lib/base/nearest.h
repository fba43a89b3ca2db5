/* The name that somebody may have meant. */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stddef.h>

/* Of the names that `at` has from 0 up to a NULL, the one that takes the fewest characters put in,
 * taken out or replaced, and fewer than `far` of them; but if that is more than one, the shortest
 * that begins with a name of four characters or more; NULL: none is near. */
const char *mpi_nearest_name(const char *(*at)(unsigned i), const char *name, size_t bytes,
                             unsigned far);

#endif
