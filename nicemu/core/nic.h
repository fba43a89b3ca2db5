/* The inside of a NIC.  Owner of each part in the comments;
 * "baton" means the holder of the baton. */
#ifndef NIC_CORE_NIC_H
#define NIC_CORE_NIC_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/base.h"
#include "base/cmdq.h"
#include "base/time.h"
#include "core/figures.h"
#include "core/link.h"
#include "core/model_ops.h"
#include "core/units.h"
#include "job/segment.h"
#include "time/clock.h"
#include "nicemu/heap.h"
#include "nicemu/model.h"
#include "nicemu/place.h"
#include "nicemu/gaps.h"
#include "nicemu/rdma.h"
#include "nicemu/remote.h"
#include "nicemu/spad.h"
#include "nicemu/threads.h"
#include "nicemu_fast.h"

/* A packet of several lines that is on its way from the inbox
 * to where the firmware wants it. Owner: baton. */
struct nic_landing {
    uint32_t bytes;             /* still to come; 0: none under way */
    unsigned char *to;          /* next byte goes here */
    size_t room;                /* bytes that may be written there; the rest is dropped */
    void *cookie;
    bool scattered;             /* the program copies; place: of the next byte */
    size_t place;
    /* the end is told to the hardware; NULL: to the firmware */
    void (*landed)(struct nic *nic, void *cookie);
};

struct nic_peer {
    struct nic_ring *ring;      /* its inbox */
    uint64_t head_seen;         /* last view of the head of that */
    uint8_t rdma;               /* NIC_RDMA_*, valid if probed */
    bool probed;
    bool clogged;               /* it had NIC_CLOGGED when we sent last */
    uint16_t refused;           /* looks since it had no room (NIC_RESUME_LINES); 0: it had */
    /* packets of the hardware that wait for room in its inbox; NULL: none */
    struct nic_backlog *hw_backlog;
    struct nic_backlog *posts;      /* the same, of the program (nic_post) */
    /* operations by packet, in both directions; NULL: none so far */
    struct nic_atomic_peer *atomics;
    struct nic_queue_flow *flows;   /* credits with its hardware queues */
    struct nic_wire_peer *wire;     /* on another machine, and talked to; else NULL */
};

/* by: the rank here, + 1, whose inbox had no room, 0: none; lines: so many are to be free there. */
struct nic_refusal { uint32_t by, lines; };

/* Remote operations in figures. */
struct nic_counts {
    uint64_t path_bytes[NIC_PATH_COUNT];    /* by transfers that this rank started */
    uint64_t transfers, transfer_errors;
    /* packets of the hardware; waited: for room; dropped: senseless, late, or refused */
    uint64_t hw_sent, hw_received, hw_waited, hw_dropped;
    /* requests that came again and were answered from the table */
    uint64_t atomic_repeats;
    uint64_t trigger_failures;
};

struct nic_backlog;
struct nic_heap;
struct nic_pgas;
struct nic_spad;
struct nic_remote;
struct nic_counters;
struct nic_model;
struct nic_wires;

/* In the process.  Owner: baton. */
struct nic_callers {
    pthread_t one;                      /* as in nic_one_host */
    bool is_one;
    const struct nic_wait *wait;        /* the newest wait that has begun, and whose it is */
    pthread_t waiter;
    void (*misuse)(enum nic_misuse kind, const char *what);
    void (*waits)(void);                /* NULL: nobody has asked */
};

/* Who sleeps looks after others; see nic_on_long_wait. */
struct nic_long_wait {
    void (*look)(void *argument);       /* NULL: nobody has asked */
    void *argument;
    uint64_t every_ns;
    _Atomic uint64_t looked_ns;         /* when somebody did last */
};

struct nic {
    struct nic_fast_path fast_path;     /* baton: see core/baton.h */
    _Atomic uint32_t host_wants;    /* hosts that wait for the baton: the NIC thread gives way */
    _Atomic uint32_t host_lock;     /* among host threads, used when shared */

    /* engine, owner: baton */
    /* next position to read in the inbox; a host about to sleep looks at it without the baton */
    _Atomic uint64_t head;
    /* Packets that came from `streams`, one behind the other, since this rank last sent one; owner:
     * baton. */
    unsigned in_a_row, streams;
    struct nic_ring *inbox;
    struct nic_peer *peer;
    struct nic_public *publics;

    /* read only after nic_open */
    const struct nic_program *program;  /* &bound */
    void *context;
    const struct nic_link_ops *link;
    enum nic_arming (*arm)(struct nic *nic);    /* the link's; asked without the baton */
    struct nic_public *own;
    struct nic_hosts *hosts;    /* our own */
    struct nic_job *job;
    unsigned rank, ranks;
    uint64_t source_bits;       /* the rank, as in header lines */
    enum nic_progress progress;
    bool oversubscribed;
    bool crowded;               /* and many ranks share each core */
    bool asymmetric;            /* membarrier works here: the fast sides need no fence */
    bool shared;                /* several host threads call (nic_share) */
    bool inbox_link;            /* the link is the inbox rings */
    struct nic_clock *clock;    /* NULL: live */
    struct nic_model *model;    /* the engine on the model clock, owner: baton; NULL: live */
    const struct nic_model_ops *model_ops;  /* what it does; NULL: live */
    const struct nic_units *units;

    /* engine, owner: baton */
    unsigned source;            /* of the packet whose handler runs, or ran last */
    /* How often who receives looks at an inbox that is empty: NIC_TAKE_LOOKS, or 0 where whom it
     * waits for may need its core, or nobody could put anything there.  Read only after nic_open */
    unsigned take_looks;
    /* An empty inbox of which so many lines have been used is started again (NIC_RESTART_LINES);
     * more than it has: never.  Read only after nic_open. */
    unsigned restart_lines;
    _Atomic uint64_t lines_left_out;    /* of all laps that ended so */
    struct nic_landing landing;
    int active, service;
    bool moved;                     /* a host that waits has, since one last parked */
    uint64_t refusals;              /* sends that found no room, when a host last napped */
    struct nic_refusal refused;     /* the last one since then */
    /* of several chunks: 1 + to whom, 0: none yet; position behind it */
    struct { uint32_t by; uint64_t end; } last_long;
    uint32_t told_room;             /* the last one that was told of room in our inbox */
    struct nic_pgas *pgas;          /* command queues, NULL: none open */
    bool armed, left;               /* NIC_ARMED (with it NIC_LEFT), NIC_LEFT are set in our line */
    bool in_handler_landing;        /* nic_receive_body is allowed */
    uint8_t long_yields;            /* the last so many, in a job of several machines */
    struct nic_spad *spad;
    struct nic_heap *heap;          /* has a lock of its own */
    struct nic_remote *remote;
    struct nic_backlog *posts;      /* peers for which packets of nic_post are kept */
    unsigned posted;                /* such packets */
    unsigned held;                  /* peers to which nic_send may be refused: posts, or clogged */
    int hw_busy;                    /* the hardware's part of `active` */
    struct nic_counts counts;
    struct nic_counters *counters;  /* NULL: none yet */
    struct nic_queue *queues;       /* hardware queues of our own */
    /* In a job of several machines: what carries to them, and the link to the ranks that are here.
     * Else NULL. */
    struct nic_wires *wires;
    const struct nic_link_ops *near_link;
    const struct nic_directory *directory;
    uint64_t shares_core_until;     /* there: yields have found others on this core; owner: baton */

    struct nic_callers callers;
    struct nic_program bound;   /* the program with all handlers; read only after nic_open */
    uint64_t *keys;             /* values of the program's keys; NULL: it has none; the same */

    /* sleeping hosts */
    struct nic_long_wait long_wait;
    _Atomic uint32_t parked;
    /* turns that moved something; hosts compare it before they sleep */
    _Atomic uint32_t events;

    /* NIC thread */
    _Atomic uint32_t quit, thread_asleep;
    _Atomic uint32_t stands_back;   /* the thread, from a host that has just left */
    /* Hosts that yield in a wait: each enters again before it leaves.  Changed with the baton. */
    _Atomic uint32_t yielding;
    uint32_t events_told;           /* owner: baton */
    _Atomic uint32_t departures;    /* times that a host left work to the thread */
    bool thread_started;            /* owner: baton */
    bool by_thread;                 /* the thread holds the baton; owner: baton */
    pthread_t thread;
    uint64_t probe_token;           /* what peers read to see whether kernel copy reaches us */
    /* where it may run, as a cpu_set_t; read only after nic_open */
    uint64_t thread_cpus[NIC_CPUS_MAX / 64];

    struct nic_stats stats;         /* owner: baton */
    struct nic_cmdq cmdq;
};

/* Something may be waiting for this NIC: inbox, commands, requests under way. */
static inline bool nic_has_work(const struct nic *n)
{
    return n->active > 0 || nic_cmdq_pending(&n->cmdq) || n->link->ready(n)
           || unlikely(n->pgas && n->units->pending(n));
}

/* The host itself is about to do something to what the handlers work on, or to look at it: all that
 * is older comes first. */
static inline void nic_catch_up(struct nic *n)
{
    if (unlikely(n->model != NULL))
        n->model_ops->host_acts(n);
}

/* Whom this host waits for may need its core. */
static inline bool nic_shares_core(const struct nic *n)
{
    return n->oversubscribed || nic_now() < n->shares_core_until;
}

#endif
