/* Layout of a hardware queue in the scratchpad, and the owner's own knowledge of it. */
#ifndef NIC_OFFLOAD_QUEUES_H
#define NIC_OFFLOAD_QUEUES_H

#include <assert.h>
#include <stdatomic.h>

#include "core/nic.h"
#include "nicemu/queue.h"

#define NIC_QUEUE_MAGIC UINT32_C(0x51554555)

/* A place for one message.  `sequence` says whose turn it is: p: free for the writer of position p;
 * p + 1: filled. */
struct nic_queue_cell { _Alignas(64) _Atomic uint64_t sequence; struct nic_words message; };
static_assert(sizeof(struct nic_queue_cell) == NIC_QUEUE_CELL_BYTES, "shared layout");

/* Written by the owner before it tells anybody; then only `tail`
 * and `wanted` move.  No field is trusted. */
struct nic_queue_header {
    _Alignas(64) _Atomic uint32_t kind;         /* NIC_QUEUE_MAGIC */
    _Atomic uint32_t capacity;
    _Atomic uint64_t wanted;                    /* bit r % 64: a host of rank r waits for room */
    _Alignas(64) _Atomic uint64_t tail;         /* writers: next position to fill */
    struct nic_queue_cell cell[];
};
static_assert(sizeof(struct nic_queue_header) == NIC_QUEUE_HEADER_BYTES, "shared layout");

/* One of our own.  The reader's position is here, where no peer can damage it.  Owner: baton. */
struct nic_queue {
    struct nic_queue *next;
    uint64_t offset;
    _Atomic uint64_t head;          /* a thread that waits looks at it without the baton */
    uint32_t capacity;
    struct nic_queue_header *header;
    /* messages that came by packet and found no room, oldest first */
    uint64_t kept;
    struct nic_queue_kept *first_kept, **kept_end;
};

#endif
