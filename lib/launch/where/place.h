/* Placement: which processors a rank and its NIC's thread run on. */
#ifndef LAUNCH_PLACE_H
#define LAUNCH_PLACE_H

#include "launch/where/plan.h"

/* Whether ranks are to be bound.  Left to itself a job binds its ranks only if it fills more than
 * half of the `cores` that it may use and does not overfill them: several small jobs on one machine
 * must not all sit on core 0. One whose NICs have busy threads fills two cores with each rank,
 * where it can. */
bool place_wanted(const struct policy *policy, unsigned ranks, unsigned cores);

/* Returns 0; or the number of ranks, plus 1, that can be placed if the policy does not hold for
 * all, which happens only if it sets cores_each or per_object.  The caller frees the plan in either
 * case.  `bound` is the answer of place_wanted. */
unsigned plan_make(struct plan *plan, const struct machine *machine, const struct policy *policy,
                   unsigned ranks, bool bound);
/* The same where each rank's processors are given, all of which are allowed; the plan takes them
 * over. */
void plan_take(struct plan *plan, const struct machine *machine, const struct policy *policy,
               unsigned ranks, struct cores *given);
void plan_free(struct plan *plan);

struct place {
    /* where the rank and its NIC's thread may run; nic: empty if there is no such thread */
    struct cores host, nic;
    int node;                       /* memory node of all of host; -1: there is no single one */
};

/* All sets are of allowed processors; host is never empty. */
void plan_rank(const struct plan *plan, unsigned rank, struct place *place);

#endif
