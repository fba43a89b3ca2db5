/* What is wanted of placement, and what came of it: who sits where. */
#ifndef LAUNCH_PLAN_H
#define LAUNCH_PLAN_H

#include "launch/where/machine.h"
#include "nicemu/place.h"

/* What is wanted, as far as it was said. */
struct policy {
    enum { BIND_AUTO, BIND_NONE, BIND_LEVEL } bind;
    enum level bind_level;          /* of BIND_LEVEL */
    bool map_said;
    /* ranks go round the objects of this level; LEVEL_MACHINE: core after core */
    enum level map_level;
    /* cores (hardware threads, if these are mapped or bound) of a rank; 0: not said, one */
    unsigned cores_each;
    /* so many ranks on an object before the next one; 0: round and round */
    unsigned per_object;
    bool no_oversubscribe;          /* no more ranks than places */
    /* how ranks are numbered once they are placed: not anew, object by object of map_level, in
     * turns on the objects of order_level */
    enum { ORDER_PLACED, ORDER_FILL, ORDER_ROUND } order;
    enum level order_level;
    /* NIC_PROGRESS_THREAD: the NIC's thread wants a core of its own */
    enum nic_progress progress;
};

/* A plan of all ranks.  Ranks take distinct cores while there are free ones, then second threads,
 * and go round again only when all threads are taken.  The machine must outlive it. */
struct plan {
    const struct machine *machine;
    struct policy policy;
    enum level unit, bind;          /* what ranks take; what they are bound to */
    bool bound, crowded;            /* crowded: busy NIC threads find no units of their own */
    unsigned ranks, *seat;          /* index of each rank's first thread */
    struct cores *given;            /* each rank's processors; NULL: they follow from the seats */
    unsigned *ranks_on;             /* per thread: ranks whose seat it is */
    unsigned *ranks_near;           /* per core: ranks whose seat is there */
    /* per thread: 1 + the rank that has it besides its seat; that has it for its NIC's thread */
    unsigned *owner, *nic_owner;
    /* per thread: how many allowed threads of its core come before it */
    unsigned *turn;
};

#endif
