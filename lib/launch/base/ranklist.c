/* Lists of ranks. */
#include "launch/base/ranklist.h"

enum { RANGES = 12 };

unsigned ranklist_print(FILE *out, const bool *chosen, unsigned ranks)
{
    unsigned count = 0, ranges = 0;

    for (unsigned first = 0; first < ranks; first++) {
        unsigned last = first;
        if (!chosen[first])
            continue;
        while (last + 1 < ranks && chosen[last + 1])
            last++;
        count += last - first + 1;
        if (++ranges <= RANGES)
            fprintf(out, last > first ? "%s%u-%u" : "%s%u", ranges > 1 ? "," : "", first, last);
        first = last;
    }
    if (ranges > RANGES)
        fputs(",...", out);
    return count;
}
