/* Hydra's -bind-to user:0+2,1+3 and -bind-to rr: each rank's processors by the kernel's numbers. */
#ifndef LAUNCH_CPULISTS_H
#define LAUNCH_CPULISTS_H

#include <stdbool.h>

#include "launch/where/cores.h"

struct cpulists {
    struct cores *list;         /* of rank 0, of rank 1, ..., and again from the first on */
    unsigned count;
    bool round;                 /* instead: each rank one of those that may be used */
};

/* False: it is no such value, but perhaps another one of --bind-to.  What was read before is
 * dropped. */
bool cpulists_read(struct cpulists *lists, const char *text);
static inline bool cpulists_said(const struct cpulists *lists)
{
    return lists->round || lists->count;
}

/* What each rank of a job has, in *cores, which the caller frees.  0, or an exit code. */
int cpulists_cores(const struct cpulists *lists, const struct cores *allowed, unsigned ranks,
                   struct cores **cores);

void cpulists_free(struct cpulists *lists);

#endif
