/* The distance of two names. */
#include "base/nearest.h"

#include <string.h>

enum { LONGEST = 32, TELLING = 4 };

static unsigned least(unsigned a, unsigned b, unsigned c)
{
    unsigned n = a < b ? a : b;
    return n < c ? n : c;
}

/* How many characters must be put in, taken out or replaced to make `known` of a name. */
static unsigned distance(const char *name, size_t bytes, const char *known)
{
    unsigned row[LONGEST + 1];
    for (unsigned i = 0; i <= bytes; i++)
        row[i] = i;
    for (unsigned k = 0; known[k]; k++) {
        unsigned diagonal = row[0];
        row[0] = k + 1;
        for (unsigned i = 1; i <= bytes; i++) {
            unsigned above = row[i];
            row[i] = least(above + 1, row[i - 1] + 1, diagonal + (name[i - 1] != known[k]));
            diagonal = above;
        }
    }
    return row[bytes];
}

const char *mpi_nearest_name(const char *(*at)(unsigned i), const char *name, size_t bytes,
                             unsigned far)
{
    const char *known, *best = NULL, *longer = NULL;

    for (unsigned i = 0; bytes <= LONGEST && (known = at(i)); i++) {
        unsigned d = distance(name, bytes, known);
        if (d < far) {
            far = d;
            best = known;
        }
        if (bytes >= TELLING && strncmp(name, known, bytes) == 0
            && (!longer || strlen(known) < strlen(longer)))
            longer = known;
    }
    return longer && far > 1 ? longer : best;
}
