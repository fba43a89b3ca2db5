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
    bool bound;
};

/* Finds what the job may use, and gives a single program without a number of ranks one.  Restricts
 * this process, and so all that it starts, to --cpu-set.  0, or an exit code. */
int layout_look(struct layout *layout, struct options *options);

/* Makes the plan, when the number of ranks is known, and draws it if wanted.  Reads the topology
 * only if that matters.  0, or an exit code. */
int layout_make(struct layout *layout, const struct options *options);

void layout_free(struct layout *layout);

#endif
