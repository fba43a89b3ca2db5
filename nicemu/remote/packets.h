/* Remote operations: what NICs do for each other without the control programs.  Packets of the
 * hardware's own, and requests that wait for a reply.  All of it with the baton held. */
#ifndef NIC_REMOTE_PACKETS_H
#define NIC_REMOTE_PACKETS_H

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/demand.h"
#include "core/nic.h"

/* Packets of the hardware.  The layouts stand with the handlers, which units.c binds to the types.
 * A handler believes nothing that a packet says: what makes no sense is dropped and counted
 * (nic_hw_drop). */
#define NIC_HW_PACKETS(X) \
    X(PUT)              /* bytes for one's memory (struct nic_wire_piece) */ \
    X(GET)              /* asks for bytes (struct nic_wire_piece) */ \
    X(PUT_REPLY)        /* struct nic_wire_reply */ \
    X(GET_REPLY)        /* struct nic_wire_reply, then the bytes */ \
    X(COUNT)            /* match: counter; the amount */ \
    X(FIRED)            /* match: counter; its generation */ \
    X(STORE)            /* match: offset in the scratchpad; the word, then its bytes */ \
    X(WRITE)            /* match: offset; words */ \
    X(MESSAGE)          /* match: source; words */ \
    X(QUEUE)            /* match: queue; source, words */ \
    X(QUEUE_REPLY)      /* match: queue; struct queue_reply */ \
    X(ATOMIC)           /* match: source and number; struct atomic_request */ \
    X(ATOMIC_REPLY)     /* match: target and number; struct atomic_reply */ \
    X(MULTI)            /* match: the program's; struct multi_head, ranks, the program's packet */ \
    X(MULTI_LAST)       /* the same for who serves no other ranks */

#define NIC_HW_ENUM(name) NIC_HW_##name,
enum nic_hw_type { NIC_HW_BEFORE = NIC_HW_FIRST - 1, NIC_HW_PACKETS(NIC_HW_ENUM) NIC_HW_END };
static_assert(NIC_HW_END <= 256, "a packet's type is a byte");

/* Whoever gets it has to serve a peer: it is no answer. */
static inline bool nic_hw_is_request(unsigned type)
{
    switch (type) {
    case NIC_HW_PUT: case NIC_HW_GET: case NIC_HW_STORE: case NIC_HW_WRITE: case NIC_HW_MESSAGE:
    case NIC_HW_QUEUE: case NIC_HW_ATOMIC: case NIC_HW_MULTI: case NIC_HW_MULTI_LAST:
        return true;
    default:
        return false;
    }
}

typedef void nic_hw_handler(struct nic *nic, const struct nic_packet *packet);

enum { NIC_HW_HEAD_MAX = 32, NIC_HW_PACKET_MAX = NIC_MESSAGE_BYTES_MAX + 64 };

/* -- sending */

/* Never loses: what finds the peer's inbox full is copied, and sent in order per peer by later
 * turns.  head_bytes: a multiple of 8, at most NIC_HW_HEAD_MAX; data_bytes at most
 * NIC_MESSAGE_BYTES_MAX. */
void nic_hw_send(struct nic *nic, unsigned peer, enum nic_hw_type type, uint64_t match,
                 const void *head, size_t head_bytes, const void *data,
                 size_t data_bytes);

/* The same for what can be sent again by its caller: false if the inbox is full, or something for
 * that peer waits already. */
bool nic_hw_try_send(struct nic *nic, unsigned peer, enum nic_hw_type type, uint64_t match,
                     const void *head, size_t head_bytes, const void *data,
                     size_t data_bytes);

/* -- receiving, from a handler */

/* True if all of the payload is at packet->head.  False: it will be, when `again` is called. */
bool nic_hw_whole(struct nic *nic, const struct nic_packet *packet, nic_hw_handler *again);

typedef void nic_hw_landed_fn(struct nic *nic, void *cookie);

/* Puts the payload from byte `skip` on (at most NIC_HW_HEAD_MAX) to `to`, which has room for it;
 * then calls landed, at once if everything has come.  landed may be NULL. */
void nic_hw_land(struct nic *nic, const struct nic_packet *packet, size_t skip, void *to,
                 nic_hw_landed_fn *landed, void *cookie);

/* A packet that makes no sense, or no longer. */
void nic_hw_drop(struct nic *nic);

/* -- requests that wait for a reply.  Their id names a generation too, so that a late, doubled or
 * invented reply finds nothing.  They never move.  While there are any the NIC thread serves when
 * the host is away. */
struct nic_pending {
    uint32_t index, generation;
    uint32_t peer;              /* who may reply */
    uint16_t reply;             /* enum nic_hw_type of the reply; 0: not in use */
    void *owner;
    uint64_t word[3];           /* the owner's */
    struct nic_pending *next;   /* free list */
};
enum { NIC_PENDING_CHUNK = 128, NIC_PENDING_CHUNKS = 128 };

/* NULL: too many, or no memory. */
struct nic_pending *nic_pending_new(struct nic *nic, unsigned peer, enum nic_hw_type reply);
static inline uint64_t nic_pending_id(const struct nic_pending *p)
{
    return (uint64_t)p->generation << 32 | p->index;
}
/* NULL unless there is one that waits for such a reply from that peer. */
struct nic_pending *nic_pending_find(struct nic *nic, uint64_t id, unsigned peer,
                                     enum nic_hw_type reply);
void nic_pending_free(struct nic *nic, struct nic_pending *pending);

/* What a target says of an error is an errno, or nonsense; that it still works on it would keep
 * whoever waits for ever. */
static inline int nic_hw_status(int32_t status)
{
    return status > 0 || status < -4095 || status == -EINPROGRESS ? -EPROTO : status;
}

/* -- the part in struct nic, owner: baton */
struct nic_backlog;
struct nic_op;

struct nic_remote {
    struct nic_backlog *backlogs;           /* peers whose inbox was full */
    struct nic_op *ops, **ops_end;          /* transfers with something to do, turn by turn */
    struct nic_op *free_ops, *all_ops;      /* not in use; every one there is, for the end */
    unsigned long outstanding;              /* transfers that have not ended */
    unsigned allowed;                       /* paths: set of 1 << enum nic_path */
    struct nic_pending *free_pending, *pending[NIC_PENDING_CHUNKS];
    unsigned pending_chunks, pending_count;
    /* first generation: not to be guessed from the outside */
    uint32_t pending_start;
    struct nic_packet packet;               /* being put together at `whole` */
    nic_hw_handler *again;                  /* then called */
    struct nic_regions *regions;            /* NULL: none yet */
    /* a packet that has to be complete first */
    _Alignas(64) unsigned char whole[NIC_HW_PACKET_MAX];
    _Alignas(64) unsigned char out[NIC_MESSAGE_BYTES_MAX];  /* data gathered for one */
};

/* 0 or -ENOMEM. */
int nic_remote_open(struct nic *nic);
/* What peers wait for still goes out, if they take it. */
void nic_hw_flush(struct nic *nic);
/* Whether it keeps a packet for a rank that is still there. */
bool nic_remote_has_reader(const struct nic *nic);
void nic_remote_close(struct nic *nic);

/* Sends what has waited for room; true: something. */
bool nic_hw_queues_advance(struct nic *nic);

#endif
