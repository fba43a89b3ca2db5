/* The NIC's part for other machines.  Owner: baton, but for the watch. */
#ifndef NIC_WIRE_STATE_H
#define NIC_WIRE_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/nic.h"
#include "job/hosts.h"
#include "nicemu/machines.h"
#include "wire/frame.h"
#include "reliable/fault.h"
#include "wire/module.h"

enum {
    /* Events taken at a time. */
    NIC_WIRE_EVENTS = 16,
    /* Frames with the provider per peer; what is sent meanwhile gathers in the next ones. */
    NIC_WIRE_IN_FLIGHT = 16,
    /* Frames that wait behind them: then the peer counts as full. */
    NIC_WIRE_QUEUED = 8,
    /* Packets to a peer that leave at once, from one look at the wire to the next. */
    NIC_WIRE_BURST = 4,
    /* Longer packets: they leave at once up to so many bytes, from one look to the next. */
    NIC_WIRE_LONG = 4096,
    NIC_WIRE_BURST_BYTES = 64 * 1024,
    /* A frame of so many bytes leaves at once on a wire that is a stream; on others one that has a
     * long packet.  With twice as many, streams take as long (4 KiB 4.3 and 5.1 us per packet, 16
     * KiB 14.6 and 13.5, medians of three runs), and more waits when the host goes away. */
    NIC_WIRE_STREAM_FULL = 32 * 1024,
    /* Looks in vain until the watch does it, where ranks share cores. */
    NIC_WIRE_QUIET = 32,
    /* Frames of a peer that may come before one that was sent earlier. */
    NIC_WIRE_EARLY = 256,
    /* No frame leaves for so long, and none is under way: there is no way to the peer. */
    NIC_WIRE_PATIENCE_MS = 10 * 1000,
    /* Between two attempts to reach a peer for the first time. */
    NIC_WIRE_RETRY_NS = 100 * 1000 * 1000,
};

/* A frame that came before one that was sent earlier: a copy. */
struct nic_wire_early {
    struct nic_wire_early *next;
    uint32_t sequence, bytes;
    unsigned char data[];
};

/* A peer that is talked to. */
struct nic_wire_peer {
    struct nic_wire_peer *next;             /* of all */
    struct nic_wire_peer *next_queued;
    uint64_t to;                            /* its name in the module, if known */
    struct nic_wire_frame *first, *last;    /* frames that wait, the last one with room perhaps */
    uint32_t rank;
    uint32_t sent, came;                    /* frames, as numbered */
    uint32_t look, burst;                   /* short packets that left at once since that look */
    uint32_t burst_bytes;                   /* and of long ones so many bytes */
    uint16_t queued, in_flight, early_count;
    uint32_t reads;                         /* of its memory, under way */
    struct nic_wire_early *early;           /* in order */
    uint64_t refused;                       /* since when the wire takes nothing; 0: it does */
    uint64_t failed, retry;                 /* see tries_again; 0: it has not failed */
    bool known;                             /* its address */
    bool reached;                           /* a frame has left to it, or come from it */
    bool listed;                            /* in the list of peers with frames that wait */
    bool bye, gone;                         /* it has closed; nothing can be sent to it */
    uint64_t gone_since;
    /* see patrol.c */
    bool heard;                             /* a frame has come since the last patrol */
    uint32_t awaited;                       /* the last patrol that has waited for it */
    uint64_t silent_since, pinged;          /* as nic_wires.watched counts; 0: never */
    char *host, *why;                       /* where it is; not NULL: it is lost, in words */
};

/* Memory of ours that peers may read. */
struct nic_wire_offer {
    struct nic_wire_region region;
    uint32_t next;                          /* free list, as offer_free */
    bool taken;
};

/* Sleeps in place of the NIC's threads in the wire's descriptor: see watch.c. */
struct nic_wire_watch {
    _Atomic uint32_t armed, quit;
    int fd, stop;                           /* stop: an eventfd; -1: there is no watch */
    bool started;
    pthread_t thread;
};

struct nic_wires {
    const struct nic_wire_ops *ops;
    struct nic_wire *wire;
    struct nic_wire *reliable, *pieces;     /* of those in front of each other, or NULL */
    uint32_t packet_bytes;                  /* of the longest packet's payload */
    uint32_t gather_bytes, full_bytes;      /* frames gather up to; leave at once from so many on */
    const struct nic_directory *directory;
    struct nic_directory own_directory;     /* of a job on one machine */
    struct nic_wire_peer *all;
    /* With frames that wait.  Written with the baton; who goes to sleep looks without it whether
     * there are any. */
    struct nic_wire_peer *_Atomic queued;
    uint32_t look;                          /* counts looks at the wire */
    bool seen_all;                          /* by the last of them, and it was delivered */
    unsigned inbox_turns;                   /* in which the wire had to wait */
    unsigned quiet;                         /* looks since something was last sent or came */
    bool at_rest;                           /* not looked at before the watch has fired */
    uint32_t nudges;                        /* seen at the last look */
    bool closing;
    bool (*patrol)(struct nic *nic, void *context);
    void *patrol_context;
    uint64_t patrolled;                     /* when it last was called */
    uint64_t watched;                       /* time in which there were patrols, in ns */
    uint32_t patrols, lost;                 /* how often; ranks that are lost */
    bool patrol_due;                        /* at once */
    void (*read_ended)(struct nic *nic, void *context, uint64_t cookie, int rc);
    void *read_context;
    struct nic_wire_offer *offer;
    uint32_t offer_room, offer_free;        /* offer_free: 1 + an index; 0: none */
    struct nic_fault fault;                 /* as NICEMU_FAULT says */
    uint64_t patience_ns;
    struct nic_wire_event event[NIC_WIRE_EVENTS];       /* in hand, from `first` on */
    unsigned events, first;
    /* The frame that is being read, and where its next packet begins; NULL: none.  `early`: it is
     * this one; NULL: the first event's. */
    const unsigned char *frame;
    uint32_t frame_bytes, at;
    struct nic_wire_peer *from;
    struct nic_wire_early *early;
    _Atomic bool in_hand;                   /* something is, for who has no baton */
    struct nic_hosts *hosts;                /* our own: what the launcher sees */
    struct nic_wire_watch watch;
};

static inline struct nic_wire_peer *nic_wire_queued(const struct nic_wires *w)
{
    return atomic_load_explicit(&w->queued, memory_order_relaxed);
}

static inline void nic_wire_set_queued(struct nic_wires *w, struct nic_wire_peer *first)
{
    atomic_store_explicit(&w->queued, first, memory_order_relaxed);
}

/* Who says that nothing is in flight must not overlook what lies in a socket, or is to be sent
 * again: frames count from when they are begun until they have left, and on a wire that loses until
 * the peer has them; reads until they have ended. */
static inline void nic_wire_count_under_way(struct nic_wires *w, int change)
{
    uint32_t now = atomic_load_explicit(&w->hosts->under_way, memory_order_relaxed);
    atomic_store_explicit(&w->hosts->under_way, now + (uint32_t)change, memory_order_release);
}

static inline void nic_wire_count_frame(_Atomic uint32_t *sent_or_came)
{
    uint32_t before = atomic_load_explicit(sent_or_came, memory_order_relaxed);
    atomic_store_explicit(sent_or_came, before + 1, memory_order_release);
}

#endif
