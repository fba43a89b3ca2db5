/* The governor: which rank may handle its next event on the model clock.
 *
 * Each rank has two times in the job's segment.  `next`: what it does next, the least of its host's
 * time (unless the host waits for an event) and of the times of its events.  `promise`: no packet
 * that it has not sent yet arrives before; the rank reckons it from its events and what must pass
 * before they reach anybody (model/promise.h), a link's latency at least.  What is in its inbox
 * counts: whoever sends a packet lowers both times of the receiver while it puts it into the ring,
 * the promise to the arrival and what the receiver has said it needs to answer (`reaction`).
 *
 * A rank may handle an event at time t if t < promise[j] for every other rank j.  Nothing that
 * comes later can then have a lesser key: what others send now comes no sooner than they promise,
 * and what they send because of somebody else's packet comes later than that packet.  The event
 * with the least time of all is always safe, since promises are later than what their rank does
 * next; so there is always somebody who may go on.
 *
 * All of it, and the inbox rings of a modelled job, is touched with `lock` held only, so nobody
 * ever sees half a packet.  A rank that may not go on sleeps on its bell; whoever raises the least
 * promise wakes those that have become safe.  Where there are more ranks than cores no more are
 * woken than there are cores, whose promise is the least first: a rank that runs later has more to
 * do when it runs.  Where there are several times as many, each core has a group of them, which
 * keep to it, and one of each group is awake: to wake somebody on the own core costs a small part
 * of what it does on another one.  The last of a group to fall asleep watches its bell for a while,
 * and is woken in place of whichever of them is safe.  The rest wait for somebody to fall asleep;
 * should nobody do so, since those awake do something else outside their calls (wait for a file,
 * say), those who are safe wake up by themselves (`patience`), and those outside no longer count as
 * awake until they call again.
 *
 * Ranks that share a NIC take turns besides (time/nodes.h): none goes on before those of its node
 * that do something sooner.
 *
 * Two trees of minima over the ranks, one of all promises, one of the turns of those asleep,
 * make each step O(log n).
 *
 * Serial mode (the oracle): only the rank with the least (next, rank) runs, its program included.
 * Its tree of promises holds the next times. */
#ifndef NIC_TIME_GOVERNOR_H
#define NIC_TIME_GOVERNOR_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/time.h"
#include "time/clock.h"
#include "time/minima.h"
#include "time/nodes.h"
#include "nicemu/model.h"
#include "nicemu/profile.h"

enum { NIC_LOG_NAME = 512 };

/* In the segment, written by nic_job_create before any other process sees it; each process has a
 * copy. */
struct nic_governor_settings {
    uint32_t modelled;              /* 0: the live clock; all else is 0 then */
    uint32_t serial, compute;       /* compute: enum nic_compute */
    uint32_t scale;                 /* of measured time, in thousandths */
    uint64_t lookahead;             /* ps: in less nothing comes from one rank to another */
    uint64_t least_latency;         /* ps: of link.latency, which may differ between ranks */
    uint32_t cores;                 /* so many ranks are awake at once; 0: all */
    uint32_t groups;                /* of ranks that share a core; 0: all share all */
    uint32_t patience_us;           /* of one that sleeps */
    struct nic_profile profile;
    char log[NIC_LOG_NAME];         /* where the ranks write their logs, "": nowhere */
};

enum { NIC_GROUPS = 64 };       /* of ranks that share a core */

/* In the segment: what moves, followed by the ranks, the trees and the proxy copies. */
struct nic_governor_state {
    /* 0 free, 1 taken, 2 taken and somebody may wait; not robust: a rank that dies takes the job
     * with it */
    _Alignas(64) _Atomic uint32_t lock;
    _Atomic uint32_t standstill;    /* NIC_STANDS: every rank waits, and nothing is under way */
    _Atomic uint64_t idle;          /* bit g: one more of group g may be awake */
    uint32_t awake[NIC_GROUPS];     /* ranks that count as awake; lock held */
    /* rank + 1 of the one that was the last to fall asleep and still looks at its bell: to wake it
     * takes no system call; 0: none */
    _Atomic uint32_t watcher[NIC_GROUPS];
};
#define NIC_STANDS UINT32_C(0x53544e44)

enum { NIC_BELLS = 16 };

/* A process' own: how many ranks there are and where things lie is nowhere that another one could
 * write to. */
struct nic_governor {
    struct nic_governor_settings set;
    uint32_t ranks, leaves;         /* leaves of the tree of promises, a power of two */
    struct nic_governor_state *shared;
    struct nic_governed_rank *rank;
    _Atomic uint64_t *nodes;        /* of both trees */
    _Atomic uint64_t *next;         /* what each rank that sleeps does next */
    struct nic_nodes node;          /* those who share a NIC */
    /* Lock held: whose bells are rung when it is given back, so that who wakes up finds it free. */
    struct nic_governed_rank *rung[NIC_BELLS];
    unsigned bells;
};

enum nic_governed { NIC_GOVERNED_ABSENT, NIC_GOVERNED_AWAKE, NIC_GOVERNED_ASLEEP,
                    NIC_GOVERNED_GONE };

/* Of each rank. */
struct nic_governed_rank {
    _Alignas(64) _Atomic uint32_t bell;     /* futex word */
    uint8_t state;                  /* enum nic_governed */
    uint8_t counted;                /* among those awake */
    _Atomic uint8_t outside;        /* its host is in no call; written without the lock */
    _Atomic uint8_t excused;        /* not counted while outside: it says when it is back */
    /* it has given up looking at its bell: whoever rings must wake it */
    _Atomic uint32_t in_kernel;
    /* rank + 1 of the newest one that has asked it for a copy (job/proxy_box.h), 0: none */
    _Atomic uint32_t proxy_copies;
    uint64_t hash, events, time;    /* of its log, when it has gone; time: of its host */
    uint32_t broken_off;            /* it has gone without closing its NIC */
    /* errno of the first record of its log that could not be written, or 0 */
    _Atomic int32_t log_error;
    uint64_t check;                 /* of its hash, events and time: nic_governed_check */
    /* ps from the arrival of a packet, or of a word or notice that needs no processor, to that of a
     * packet sent because of it */
    uint32_t reaction[2];
};
static_assert(sizeof(struct nic_governed_rank) == 64, "shared layout");

/* A multiple of 64. */
uint64_t nic_governor_bytes(unsigned ranks);
/* Points into the segment, where nic_governor_bytes are at `at`. */
void nic_governor_point(struct nic_governor *governor, void *at, unsigned ranks);
/* The segment's part, which is all zeros, as it is before any rank has opened. */
void nic_governor_init(struct nic_governor *governor);

void nic_governor_lock(struct nic_governor *governor);
void nic_governor_unlock(struct nic_governor *governor);

struct nic_governed_rank *nic_governor_rank(struct nic_governor *governor, unsigned rank);

/* -- lock held */

uint64_t nic_governor_promise(struct nic_governor *governor, unsigned rank);
/* Sets it; wakes nobody. */
void nic_governor_set_promise(struct nic_governor *governor, unsigned rank, uint64_t promise);
/* Where it shares a NIC: it does nothing before this time. */
void nic_governor_set_at(struct nic_governor *governor, unsigned rank, uint64_t time);
/* A packet for it arrives then; carried: that has not come through the engines. */
void nic_governor_expect(struct nic_governor *governor, unsigned rank, uint64_t time,
                         bool carried);
/* The rank has opened, or is back from where it did not count. */
void nic_governor_mark_awake(struct nic_governor *governor, unsigned rank);
/* It has left for good. */
void nic_governor_mark_gone(struct nic_governor *governor, unsigned rank);
/* The rank may handle what it has before this time. */
uint64_t nic_governor_horizon(struct nic_governor *governor, unsigned rank);
/* The same after a packet of its own that arrives at `peer` then. */
uint64_t nic_governor_horizon_after_send(const struct nic_governor *governor, unsigned rank,
                                         unsigned peer, uint64_t arrival, bool carried,
                                         uint64_t horizon);
uint64_t nic_governed_check(const struct nic_governed_rank *rank, unsigned number);
/* Wakes those that have become safe, as many as there are cores; notes a standstill. */
void nic_governor_wake_safe(struct nic_governor *governor);
/* Wakes a rank, whatever it does next: its inbox is full. */
void nic_governor_wake(struct nic_governor *governor, unsigned rank);
/* Marks the rank asleep, which will go on at `next`.  Returns what to give to nic_governor_sleep,
 * which is called without the lock. */
uint32_t nic_governor_mark_asleep(struct nic_governor *governor, unsigned rank, uint64_t next);

/* Lock held, behind nic_governor_wake_safe: true if the rank, which is marked asleep, had better
 * look at its bell for a while, since its core has nothing else to do. */
bool nic_governor_watch(struct nic_governor *governor, unsigned rank);

/* Sleeps until woken; `looks` at the bell come first, for ranks that have a core each or watch. */
void nic_governor_sleep(struct nic_governor *governor, unsigned rank, uint32_t bell,
                        unsigned looks);

/* Without the lock.  True if somebody sleeps who may be safe, and would be woken, once the caller's
 * promise is `promise`. */
bool nic_governor_awaited(const struct nic_governor *governor, uint64_t promise);

/* -- groups: ranks in a row share a core, and one of each is awake; without groups all are one.
 *
 * In the tree of promises `leaves` + r is the leaf of rank r.  That of those asleep has twice as
 * many leaves, so that each group's lie under a node of their own, whatever the number of groups:
 * there are 2 * leaves / p of them, p the power of two next to the number of groups; p is less than
 * twice that number, so they are more than ranks / groups, and being whole at least as many as the
 * largest group has ranks. */
static inline uint32_t nic_groups(const struct nic_governor *g)
{
    return g->set.groups ? g->set.groups : 1;
}

static inline uint32_t nic_group_of(const struct nic_governor *g, unsigned rank)
{
    return g->set.groups ? (uint32_t)((uint64_t)rank * g->set.groups / g->ranks) : 0;
}

/* The least r with r * groups >= group * ranks. */
static inline uint32_t nic_group_first(const struct nic_governor *g, uint32_t group)
{
    uint32_t groups = nic_groups(g);
    return (uint32_t)(((uint64_t)group * g->ranks + groups - 1) / groups);
}

/* The node of those asleep that stands for a group. */
static inline uint32_t nic_group_node(const struct nic_governor *g, uint32_t group)
{
    return nic_minima_leaves(nic_groups(g)) + group;
}

/* The first leaf below that. */
static inline uint32_t nic_group_leaf(const struct nic_governor *g, uint32_t group)
{
    return 2 * g->leaves / nic_minima_leaves(nic_groups(g)) * nic_group_node(g, group);
}

#endif
