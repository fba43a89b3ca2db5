/* Seats: the hardware threads that ranks take.  Inside of placement. */
#ifndef LAUNCH_SEATS_H
#define LAUNCH_SEATS_H

#include "launch/where/plan.h"

static inline const struct hwthread *thread_of(const struct plan *p, unsigned i)
{
    return &p->machine->thread[i];
}

static inline bool same(const struct plan *p, unsigned i, unsigned k, enum level level)
{
    return thread_of(p, i)->in[level] == thread_of(p, k)->in[level];
}

static inline bool same_cache(const struct plan *p, unsigned i, unsigned k)
{
    return thread_of(p, i)->cache == thread_of(p, k)->cache;
}

/* Nobody has it. */
static inline bool thread_free(const struct plan *p, unsigned i)
{
    return thread_of(p, i)->allowed && !p->ranks_on[i] && !p->owner[i] && !p->nic_owner[i];
}

/* Sets plan->turn. */
void seats_count_turns(struct plan *plan);

/* Seats all ranks, from an empty machine; `busy`: each with a unit of its own for its NIC's thread.
 * Returns how many found a place. */
unsigned seats_take(struct plan *plan, bool busy);

/* Numbers the ranks anew, object by object; what a rank has goes with it. */
void seats_renumber(struct plan *plan);

#endif
