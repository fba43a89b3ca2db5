/* Where a job is to run: the machine, the processors of it that the job may use, and the plan. */
#ifndef LAUNCH_LAYOUT_H
#define LAUNCH_LAYOUT_H

#include "launch/command/options.h"

struct layout {
    struct machine machine;     /* count 0: not looked at, nothing is to be bound or shown */
    struct plan plan;           /* valid if the machine has been looked at */
    struct cores allowed;
    /* how many of them the job may use at a time: fewer, if there is a CPU quota */
    unsigned cores;
    unsigned slots;             /* as the host list says, else as many */
    bool bound;
    /* What ranks are told to sit on, where that is not what they are bound to (MPILITE_SEATS). */
    struct machine told_machine;
    struct plan told;
};

/* The plan of where ranks sit, as they are told; NULL: they are told nothing. */
static inline const struct plan *layout_seats(const struct layout *l, const struct options *o)
{
    if (l->told.machine)
        return &l->told;
    return l->bound && !o->model.profile ? &l->plan : NULL;
}

/* Finds what the job may use, and gives a single program without a number of ranks one.  Restricts
 * this process, and so all that it starts, to --cpu-set.  0, or an exit code. */
int layout_look(struct layout *layout, struct options *options);

/* Makes the plan, when the number of ranks is known, and draws it if wanted.  Reads the topology
 * only if that matters.  0, or an exit code. */
int layout_make(struct layout *layout, const struct options *options);

void layout_free(struct layout *layout);

#endif
