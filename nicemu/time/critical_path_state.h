/* What is known of a rank's ways: of the parts of time/critical_path.h. */
#ifndef NIC_TIME_CRITICAL_PATH_STATE_H
#define NIC_TIME_CRITICAL_PATH_STATE_H

#include "nicemu/explain.h"
#include "time/clock.h"
#include "time/slowest.h"

/* A way that waits for its event, or for a handler that joins it.  moved: when what its handler had
 * started to move will be there. crossing: what the event took to cross the bus last, which counts
 * when it is handled: packets come in any order. */
struct nic_kept_way { struct nic_critical_path way; uint64_t moved, crossing; uint32_t next; };

enum { NIC_EXPLAIN_TX, NIC_EXPLAIN_RX, NIC_EXPLAIN_MOVERS };

/* The host's call: messages that it began, completions that it saw, and when. */
struct nic_explained_call { unsigned sends, receives, seen; bool transfer, waits, resumes;
              uint64_t from, part, until; };

struct nic_explain {
    struct nic_clock *clock;
    uint32_t rank;
    bool on_host;
    /* a handler; of something that does not take the processor */
    bool in, off_processor;
    uint64_t start;             /* of the handler */
    /* of its event, or what it has joined; from there to now */
    struct nic_critical_path base, way;
    /* of what the engines do for it; of what they will have done last */
    struct nic_critical_path dma_engine[NIC_EXPLAIN_MOVERS], dma_done;
    bool moves[NIC_EXPLAIN_MOVERS], has_dma_done;
    struct nic_critical_path leaving;     /* of the packet that departs, or the bytes that land */
    bool carries;               /* the latter, and nobody has been told yet */
    struct nic_critical_path landed;      /* of those of which the peer has been told last */
    struct nic_critical_path before;      /* a write: `dma_done` */
    bool had_before;
    uint64_t costs, packing;    /* of the host since it entered its call; of those, for packing */
    struct nic_critical_path resumed;   /* call.resumes: what it goes on with; costs count since */
    struct nic_explained_call call;
    struct nic_kept_way *kept;          /* [0] is not used */
    uint32_t room, free;
    uint64_t busy_from[NIC_RESOURCES], busy_until[NIC_RESOURCES];   /* without a break, the last */
    bool ended;                 /* the host has, at sum.end, and the NIC goes on */
    struct nic_explained_rank sum;
    struct nic_slowest slowest;
};

/* Never back: what is explained already stays. */
static inline void nic_explain_extend(struct nic_critical_path *w, uint64_t time,
                                      enum nic_part part)
{
    if (time <= w->time)
        return;
    w->part[part] += time - w->time;
    w->time = time;
}

#endif
