/* Placement: which processors a rank runs on. */
#ifndef LAUNCH_PLACE_H
#define LAUNCH_PLACE_H

#include "cores.h"

enum bind_policy { BIND_AUTO, BIND_NONE, BIND_CORE };

/* A hardware thread: the kernel's number, and the physical core that it is part of. */
struct place_thread {
    unsigned cpu, core;
};

/* Whether ranks are to be bound.  Left to itself a job binds its ranks only if it fills more than half of the
 * `cores` that it may use and does not overfill them: several small jobs on one machine must not all sit on core 0. */
bool place_wanted(enum bind_policy policy, unsigned ranks, unsigned cores);

/* Gives each of `ranks` its processors, out[rank].  `threads` are the `count` allowed hardware threads, those of one
 * core beside each other; distinct cores come first, then second threads.  A rank that has a core to itself gets
 * all threads of it, else one.  With more ranks than threads they go round. */
void place_ranks(const struct place_thread *threads, unsigned count, unsigned ranks, struct cores *out);

#endif
