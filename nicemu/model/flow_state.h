/* What flow control keeps: packets on their way, by peer.  Owner of all of it: the baton. */
#ifndef NIC_MODEL_FLOW_STATE_H
#define NIC_MODEL_FLOW_STATE_H

#include "model/state.h"
#include "reliable/fault.h"
#include "reliable/incarnation.h"
#include "reliable/streams.h"
#include "reliable/window.h"

/* What a mark says (time/event.h). */
enum { NIC_FLOW_NONE, NIC_FLOW_DATA, NIC_FLOW_ACK, NIC_FLOW_NACK, NIC_FLOW_BYE,
       NIC_FLOW_FIRST, NIC_FLOW_FIRST_NACK, NIC_FLOW_PREBOOT };

/* Without an answer for so many flow.patience a peer is dead.  A wire that loses nine of ten
 * packets is silent for so long less than once in 10^50: in 1,250 tries, since the wait doubles
 * three times. */
enum { NIC_FLOW_GIVE_UP = 10000 };

/* Packets under way to a peer: well below half of 16 bits. */
enum { NIC_FLOW_FRAMES = 1024 };

/* A packet, kept until the peer has acknowledged it; its head, its data, and room for the mark. */
struct nic_flow_frame {
    struct nic_flow_frame *next;    /* waits for room in the window */
    struct nic_tx message;
    uint64_t from_host;
    uint32_t way;               /* of a model clock that is explained */
    bool left;                  /* it has been on the wire */
    unsigned char bytes[];
};

struct nic_flow_peer {
    struct nic_window window;
    void *kept[NIC_FLOW_FRAMES];
    struct nic_flow_frame *first, **last;   /* waiting */
    uint64_t not_before;        /* it has been refused: the next try */
    uint64_t timer;             /* the next event of it; NIC_NEVER: there is none */
    bool gone;                  /* it has left */
    struct nic_incarnation incarnation;         /* where NICs boot */
};

/* The boots of one NIC, in order; from 0: it has not been up before. */
enum { NIC_FLOW_BOOTS = 100 };
struct nic_flow_boots {
    unsigned count;
    bool down;
    uint8_t own;                /* its incarnation */
    struct nic_flow_boot { uint64_t from, until; } boot[NIC_FLOW_BOOTS];
};

struct nic_flow {
    struct nic_window_config config;
    struct nic_streams streams;
    struct nic_fault fault;
    struct nic_flow_peer **peer;    /* by rank; NULL: no packet either way */
    bool faulty, implicit, leaving;
    unsigned owes;              /* rank + 1 that gets its answer when the handler has been */
    int taken;                  /* stream of the packet that is handled; -1: none */
    size_t waiting;             /* frames that nobody has acknowledged */
    struct nic_flow_boots *boots;   /* of this NIC; NULL: none of the job's boots */
    /* nic_on_failed; NULL: the program cannot do without a message */
    void (*failed)(struct nic *nic, void *context, unsigned peer, const struct nic_tx *message);
};

static inline const struct nic_profile_flow *nic_flow_profile(const struct nic *n)
{
    return &n->model->profile->flow;
}

/* Some NIC of the job boots. */
static inline bool nic_flow_boots(const struct nic *n) { return n->model->flow->boots; }

/* This NIC is booting: it sends nothing, and refuses what comes. */
static inline bool nic_flow_is_down(const struct nic_flow *f) { return f->boots && f->boots->down; }

/* Needs no stream, and is acknowledged by its arrival where the profile says so. */
static inline bool nic_flow_is_short(const struct nic *n, uint32_t bytes)
{
    return bytes <= nic_flow_profile(n)->short_bytes;
}

#endif
