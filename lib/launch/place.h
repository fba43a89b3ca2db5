/* Placement: which processors a rank and its NIC's thread run on. */
#ifndef LAUNCH_PLACE_H
#define LAUNCH_PLACE_H

#include "launch/machine.h"
#include "nicemu.h"

/* What is wanted, as far as it was said. */
struct policy {
    enum { BIND_AUTO, BIND_NONE, BIND_LEVEL } bind;
    enum level bind_level;          /* of BIND_LEVEL */
    bool map_said;
    enum level map_level;           /* ranks go round the objects of this level; LEVEL_MACHINE: core after core */
    unsigned cores_each;            /* cores (hardware threads, if these are mapped or bound) of a rank; 0: not said, one */
    unsigned per_object;            /* so many ranks on an object before the next one; 0: round and round */
    bool fill;                      /* number the ranks object by object, once they are placed */
    enum nic_progress progress;     /* NIC_PROGRESS_THREAD: the NIC's thread wants a core of its own */
};

/* Whether ranks are to be bound.  Left to itself a job binds its ranks only if it fills more than half of the
 * `cores` that it may use and does not overfill them: several small jobs on one machine must not all sit on core 0.
 * One whose NICs have busy threads fills two cores with each rank, where it can. */
bool place_wanted(const struct policy *policy, unsigned ranks, unsigned cores);

/* A plan of all ranks.  Ranks take distinct cores while there are free ones, then second threads, and go round again only when all threads are
 * taken.  The machine must outlive it. */
struct plan {
    const struct machine *machine;
    struct policy policy;
    enum level unit, bind;          /* what ranks take; what they are bound to */
    bool bound, crowded;            /* crowded: busy NIC threads find no units of their own */
    unsigned ranks, *seat;          /* index of each rank's first thread */
    unsigned *ranks_on;             /* per thread: ranks whose seat it is */
    unsigned *ranks_near;           /* per core: ranks whose seat is there */
    unsigned *owner, *nic_owner;    /* per thread: 1 + the rank that has it besides its seat; that has it for its NIC's thread */
    unsigned *turn;                 /* per thread: how many allowed threads of its core come before it */
};

/* Returns 0; or the number of ranks, plus 1, that can be placed if the policy does not hold for all, which happens only if it sets cores_each or
 * per_object.  The caller frees the plan in either case.  `bound` is the answer of place_wanted. */
unsigned plan_make(struct plan *plan, const struct machine *machine, const struct policy *policy, unsigned ranks, bool bound);
void plan_free(struct plan *plan);

struct place {
    struct cores host, nic;         /* where the rank and its NIC's thread may run; nic: empty if there is no such thread */
    int node;                       /* memory node of all of host; -1: there is no single one */
};

/* All sets are of allowed processors; host is never empty. */
void plan_rank(const struct plan *plan, unsigned rank, struct place *place);

#endif
