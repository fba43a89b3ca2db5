/* The firmware: the control program that the NIC runs for MPI.  It owns the queues (posted,
 * unexpected, send, active) and the protocols.
 *
 * Everything here runs with the NIC's baton held, unless it says otherwise.  Requests are made by
 * the host and belong to the firmware from mpi_fw_start to the release store of `done`. */
#ifndef FW_H
#define FW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fw/slab.h"
#include "nicemu/explain.h"
#include "nicemu/heap.h"
#include "nicemu/threads.h"
#include "nicemu/job.h"
#include "nicemu/list.h"
#include "nicemu/machines.h"
#include "nicemu/match.h"
#include "nicemu/profile.h"
#include "nicemu/gaps.h"
#include "nicemu/rdma.h"
#include "nicemu/spad.h"
#include "nicemu_fast.h"

struct fw;
struct fw_protocol;
struct fw_pieces;
struct mpi_comm;            /* these are the host's */
struct mpi_mismatch;
struct mpi_own;
struct mpi_portion;

/* match bits: context 16 | source 16 | tag 32.  No tag of a program has the highest bit, and none
 * that a receive leaves open: with it go messages of the library's own. */
#define FW_ANY_SOURCE (UINT64_C(0xffff) << 32)
#define FW_ANY_TAG UINT64_C(0x7fffffff)
#define FW_OWN_TAG UINT64_C(0x80000000)
static inline uint64_t fw_match_bits(uint16_t context, uint32_t source, uint32_t tag)
{
    return (uint64_t)context << 48 | (uint64_t)(source & 0xffff) << 32 | tag;
}
static inline unsigned fw_match_context(uint64_t match) { return (unsigned)(match >> 48); }
static inline int fw_match_source(uint64_t match) { return (int)(match >> 32 & 0xffff); }
static inline int fw_match_tag(uint64_t match) { return (int)(match & 0xffffffff); }

enum fw_kind {
    FW_FREE, FW_SEND, FW_RECV, FW_UNEXPECTED,
    FW_COLL,        /* a schedule */
    FW_HOST,        /* the host's own: done when the host says so (mpi_fw_done) */
    FW_WINDOW,      /* no request: a packet for a window whose lines are landing */
    FW_KINDS
};

enum fw_error {
    FW_OK, FW_TRUNCATED, FW_COPY_FAILED, FW_NO_MEMORY,
    FW_MISMATCH,    /* of a collective: see FW_EXTRA_SHM */
    FW_LOST         /* a rank on another machine that it needs: nic_lost says why */
};

/* The first member of what a landing's cookie may be. */
struct fw_object { uint8_t kind; };

/* What a request carries for its host, besides its communicator:
 * which member of the union holds. */
enum fw_extra {
    FW_EXTRA_NONE,
    FW_EXTRA_EXPECTED,      /* a message inside of a collective: bytes that must come */
    FW_EXTRA_SHM,          /* FW_COLL that ended with FW_MISMATCH in slots: who called what */
    FW_EXTRA_MISMATCH,      /* FW_COLL that the host has stopped: why */
    FW_EXTRA_OWN,           /* FW_HOST: what the request is */
    FW_EXTRA_PORTION,       /* a message that is part of something, which is told of its end */
};

/* How the data of a message lie. */
enum fw_gaps {
    FW_GAPS_NONE,           /* in one piece, at `buffer` */
    FW_GAPS_LAYOUT,         /* as `layout` says */
    FW_GAPS_PACKED,         /* the same where the NIC cannot gather: `buffer` is a packed copy */
};

/* Data with gaps: the first member of what the host knows of them.  Each copies `bytes` bytes, from
 * a place in the data's packed stream on.  unpack's places come in order from 0 to the end of the
 * message, pack's in any. */
struct fw_layout {
    void (*pack)(struct fw_layout *layout, size_t place, void *to, size_t bytes);
    void (*unpack)(struct fw_layout *layout, size_t place, const void *from, size_t bytes);
    size_t bytes;       /* of a receive: that it gets, before the first of them is unpacked */
    /* The first `bytes` of the data as a list (fw/pieces.h), which stays until the request has
     * ended.  NULL: they lie in too many pieces, or no memory. */
    const struct fw_pieces *(*list_them)(struct fw_layout *layout, size_t bytes);
    const struct fw_pieces *list;       /* NULL: not wanted, or none */
};

/* The host's part of a request.  The firmware does not read it but for `gaps`; where slots disagree
 * it leaves their operation there (FW_EXTRA_SHM, from malloc). */
struct fw_host {
    struct mpi_comm *comm;
    union {
        size_t expected;
        struct fw_shm_op *shm;
        struct mpi_mismatch *mismatch;
        struct mpi_own *own;
        struct mpi_portion *portion;
    };
    uint8_t extra;          /* enum fw_extra */
    uint8_t gaps;           /* enum fw_gaps */
    bool proc_null;         /* a receive from MPI_PROC_NULL: done from the start */
    bool empty;             /* its status is empty: done from the start, or a collective */
    bool alone;             /* a collective of one rank: done from the start */
    bool held;              /* counted in its communicator */
};

struct fw_req {
    struct fw_object object;        /* enum fw_kind */
    bool sync;                      /* send: completes only when matched */
    bool firm;                      /* send: its host will never cancel it */
    bool active;                    /* in the active queue */
    bool served;                    /* counted in nic_hold_service */
    /* four bytes that one store clears at the start */
    uint8_t error;                  /* enum fw_error */
    bool cancelled, detached;       /* detached: the host forgot it, it is freed when done */
    bool inside;                    /* the firmware started it, and waits for it itself */
    bool finished;                  /* send: FIN came while it was in the active queue */
    bool withdrawing;               /* send: its receiver has been asked to forget it */
    bool held;                      /* eager send: in a list, as it is too far ahead (ahead.c) */
    _Atomic uint32_t done;          /* release store when everything else of the request is final */
    uint32_t index, generation;
    uint32_t peer;                  /* rank of the job; of a receive: known once matched */
    union {                         /* host.gaps says which */
        void *buffer;
        struct fw_layout *layout;
    };
    size_t bytes;                   /* of the message; receive: capacity, until it is matched */
    size_t count;                   /* receive: bytes of data when done */
    uint64_t match, mask;           /* receive, when done: match bits of the message */
    const struct fw_protocol *protocol;
    struct fw_sched *sched;         /* FW_COLL, until done */
    uint64_t remote;                /* the peer's request id */
    uint64_t address;               /* the peer's buffer */
    /* Done on this side: bytes (get, put, staged) or chunks (both ends).  Of an eager send
     * that is synchronous or held: 1 when the message has left. */
    size_t offset;
    union {
        /* Both ends: the sender's share, UINT32_MAX: not told yet.  Far: reads under way. */
        uint32_t peer_chunks;
        uint32_t generation_of_word;    /* staged: the upper half of the claim word */
    };
    uint32_t claim;                 /* send: names its claim byte (claims.h), 0: none */
    uint16_t claim_word;            /* names it at the sender (claim_word.h), 0: none */
    union {
        /* far: send: the number of what the peer may read; receive: its key; 0: none (far_get.h) */
        uint32_t offer;
        uint32_t since_us;              /* staged: a receive's CTS left */
    };
    struct fw_req *next;            /* in a struct fw_req_list or the free list */
    size_t full;                    /* receive, when done: bytes of the message as sent */
    union {
        struct fw_unexpected *message; /* receive of a message that a probe took, until it begins */
        struct fw_pending *pending; /* send: its envelope, as long as that waits for room */
    };
    /* model clock, of nic_critical_path_save: where it goes on, its end */
    uint32_t way;
    struct fw_host host;
};

/* Creates the firmware of this rank: mpi_fw_program and the result are what nic_open takes.
 * `retired` is told of each detached request that ended, before it is used again. */
struct fw *mpi_fw_new(void (*retired)(struct fw_req *req));
/* Before nic_open: what waits for a rank that is lost ends, with FW_LOST.  `partner` names the
 * ranks of the job without which a request of the host's may never end: for each i from 0 on one
 * more, -1: no more.  A request of kind FW_HOST that carries nothing ends so, too. */
void mpi_fw_on_loss(struct fw *fw, int (*partner)(const struct fw_req *req, unsigned i));
/* Who handles packets for windows, baton held; `source`: a rank of the job. */
enum fw_window_did { FW_WINDOW_STRAY, FW_WINDOW_REFUSED, FW_WINDOW_SERVED };
typedef enum fw_window_did fw_window_fn(const struct nic_packet *packet, unsigned source);
/* landed: the lines behind the first of a packet, for which the handler has named the place
 * (nic_receive_body) with an object of kind FW_WINDOW, are there. */
void mpi_fw_on_window(struct fw *fw, fw_window_fn *handler, void (*landed)(void));
/* One of those.  service: its NIC's thread is to handle it
 * if its host is away.  False: the peer has no room for it now. */
struct fw_window_packet {
    uint64_t match;
    const void *head; size_t head_bytes;
    const void *data; size_t bytes;
};
bool mpi_fw_send_window(struct fw *fw, unsigned peer, const struct fw_window_packet *packet,
                        bool service);

/* Memory of a window is in the heap from now on, or could not be brought there. */
void mpi_fw_count_move(struct fw *fw, bool moved);
/* A lock of a window is had now; waited: others had it before. */
void mpi_fw_count_lock(struct fw *fw, bool waited);
void mpi_fw_delete(struct fw *fw);
extern const struct nic_program mpi_fw_program;
/* Why nic_open failed, where that is the firmware's doing; else NULL. */
const char *mpi_fw_why(const struct fw *fw);

/* -- requests */
struct fw_req *mpi_fw_req_new(struct fw *fw);                   /* NULL: out of memory */
void mpi_fw_req_free(struct fw *fw, struct fw_req *req);
uint32_t mpi_fw_req_count(const struct fw *fw);                 /* all indices are below it */
/* A receive may still be written to [begin, end), also by a peer.  Baton held. */
bool mpi_fw_receives_into(const struct fw *fw, uintptr_t begin, uintptr_t end);
/* Any thread, without the baton.  The load comes before those of the data and of the request, which
 * mpi_fw_done has stored before `done`. */
static inline bool fw_req_done(const struct fw_req *r)
{
    return atomic_load_explicit(&r->done, memory_order_acquire);
}

/* A request that is ready for the host to fill in without the baton; NULL: none left.  Only for a
 * single host thread. */
struct fw_req *mpi_fw_req_spare(struct fw *fw);

/* Starts a filled-in request: kind, buffer, bytes, match (and mask, or peer and sync). */
void mpi_fw_start(struct fw *fw, struct fw_req *req);
/* The same of a receive that its host does not wait for yet: it may take what has come. */
void mpi_fw_start_receive(struct fw *fw, struct fw_req *req);

/* The first member of struct fw, for the short ways below.  Owner: the baton. */
struct fw_fast_path {
    size_t posted, unexpected;      /* entries of the queues */
    struct fw_slab requests;
};

/* NULL: no such request. */
static inline struct fw_req *fw_req_at(const struct fw *fw, uint32_t index)
{
    struct fw_req *r = fw_slab_at(&((const struct fw_fast_path *)fw)->requests, index);
    return r && __atomic_load_n(&r->object.kind, __ATOMIC_ACQUIRE) != FW_FREE ? r : NULL;
}

/* Short ways, without the baton: an eager message sent at once, or received at once where no queue
 * has anything that could match before.  False: use a request.  The first needs bytes <=
 * mpi_fw_eager_max. */
enum { FW_EAGER_TYPE = 1 };
static inline bool fw_send_short(struct nic *nic, uint32_t peer, uint64_t match, const void *data,
                                 size_t bytes)
{
    return nic_send_now(nic, peer, FW_EAGER_TYPE, match, data, bytes);
}

static inline bool fw_recv_short(struct fw *fw, struct nic *nic, uint64_t match, uint64_t mask,
                                 void *buffer, size_t bytes, struct nic_received *taken)
{
    const struct fw_fast_path *f = (const struct fw_fast_path *)fw;
    nic_enter(nic);
    bool done = !(f->posted | f->unexpected)
                && nic_try_receive(nic, FW_EAGER_TYPE, match, mask, buffer, bytes, taken);
    nic_leave(nic);
    return done;
}

/* The same with a request, filled in as for mpi_fw_start, whose data have no gaps; baton held.
 * True: its message was the next in the inbox, and it is done.  It was in no queue, so there is
 * less to do than in mpi_fw_done.  False: it is to be started. */
static inline bool fw_recv_at_once(struct fw *fw, struct nic *nic, struct fw_req *recv)
{
    const struct fw_fast_path *f = (const struct fw_fast_path *)fw;
    struct nic_received taken;
    if ((f->posted | f->unexpected)
        || !nic_take_next(nic, FW_EAGER_TYPE, recv->match, recv->mask, recv->buffer, recv->bytes,
                          &taken))
        return false;
    recv->match = taken.match;
    recv->count = recv->full = taken.length;
    recv->error = FW_OK;
    recv->cancelled = recv->detached = recv->inside = false;
    recv->protocol = NULL;
    /* so that who sees `done` (fw_req_done) sees the data and the other fields */
    atomic_store_explicit(&recv->done, 1, memory_order_release);
    return true;
}

/* Sends a message of up to mpi_fw_eager_max bytes at once; false: the peer has no room, use a
 * request. */
bool mpi_fw_send_now(struct fw *fw, uint32_t peer, uint64_t match, const void *data, size_t bytes);

/* True if the request had not been matched and now never will be; it is done and cancelled.  A send
 * whose peer must be asked is not yet: it is done, cancelled or not, when the peer's NIC has
 * answered or matched it.  A send that is firm goes on. */
bool mpi_fw_cancel(struct fw *fw, struct fw_req *req);

/* It has ended: the last that happens to a request here.  By the host for those of kind FW_HOST. */
void mpi_fw_done(struct fw *fw, struct fw_req *req);

/* The host is no longer interested; the request goes when it is done. */
void mpi_fw_detach(struct fw *fw, struct fw_req *req);

/* -- unexpected messages, for probes */
struct fw_unexpected;
bool mpi_fw_probe(struct fw *fw, uint64_t match, uint64_t mask, uint64_t *found, size_t *bytes);
struct fw_unexpected *mpi_fw_extract(struct fw *fw, uint64_t match, uint64_t mask, uint64_t *found,
                                     size_t *bytes);
void mpi_fw_receive_message(struct fw *fw, struct fw_unexpected *message, struct fw_req *req);
/* Of all that has come and was not taken, messages and lines: one whose match bits are those of
 * `match` in `same` and others in `unlike`.  `most`: places for messages that are looked at. */
struct fw_unlike { uint64_t match, same, unlike; uint32_t most; };
static inline bool fw_is_unlike(const struct fw_unlike *look, uint64_t match)
{
    uint64_t differ = match ^ look->match;
    return !(differ & look->same) && (differ & look->unlike);
}
bool mpi_fw_arrived_unlike(const struct fw *fw, const struct fw_unlike *look, uint64_t *found,
                           size_t *bytes);

/* True when nothing that this rank sent still needs it (queued packets, unfinished sends). */
bool mpi_fw_quiet(const struct fw *fw);

/* What the NIC does by itself (NICEMU_OFFLOAD). */
#define FW_OFFLOADS(X) X(NONE, "none") X(MATCH, "match") X(ALL, "all") X(FORWARD, "forward")
#define FW_OFFLOAD_ENUM(name, text) FW_OFFLOAD_##name,
enum fw_offload { FW_OFFLOADS(FW_OFFLOAD_ENUM) FW_OFFLOAD_COUNT };
enum fw_offload mpi_fw_offload(const struct fw *fw);
/* The host will send by itself: put, get and change words of others.  Some messages before it. */
void mpi_fw_host_sends(struct fw *fw);
/* From its name; FW_OFFLOAD_COUNT: there is none of that name. */
enum fw_offload mpi_fw_offload_by_name(const char *name);

size_t mpi_fw_eager_max(const struct fw *fw);
/* Counts a collective through windows (coll/window.h). */
void mpi_fw_count_windows(struct fw *fw);
/* The same of one in two levels (coll/two_level.h). */
void mpi_fw_count_levels(struct fw *fw);

/* Name of the protocol by which a rendezvous came; NULL: it was none. */
const char *mpi_fw_protocol_of(const struct fw_req *req);

/* -- for tools: what happens away from the short ways */
enum fw_notice_kind {
    FW_NOTICE_KEPT,             /* a message came before its receive */
    FW_NOTICE_TAKEN,            /* such a message has met its receive */
    FW_NOTICE_RNDV_BEGUN,       /* receiver: a rendezvous is matched, and its protocol chosen */
    FW_NOTICE_RNDV_ENDED,       /* receiver: all of it is there */
    FW_NOTICE_TRUNCATED,        /* the receive has less room than the message has bytes */
    FW_NOTICE_DELAYED,          /* a packet has to wait for room in a peer's inbox */
    FW_NOTICES
};
struct fw_notice {
    uint64_t match;             /* of the message */
    uint64_t bytes;             /* of the message; TRUNCATED: room of the receive */
    uint64_t queue;             /* length of the queue that the message stands in, or left */
    int peer;                   /* rank of the job; -1: not known */
    int protocol;               /* enum fw_protocol_id; -1: none */
};
typedef void fw_watch_fn(enum fw_notice_kind kind, const struct fw_notice *notice);
/* NULL: nobody.  The watcher is called with the baton, by whoever has it. */
void mpi_fw_watch(struct fw *fw, fw_watch_fn *watch);
/* The name of a protocol, NULL: there are no more. */
const char *mpi_fw_protocol_name(unsigned id);

/* Commands (nic_submit): the object is the request. */
enum {
    FW_COMMAND_START = 1,
    /* the firmware's own, on the model clock */
    FW_COMMAND_BEGIN,           /* what mpi_fw_start has prepared */
    FW_COMMAND_SCHEDULE,        /* the same with a schedule */
    FW_COMMAND_RECEIVE,         /* a message that a probe took: req->message */
    FW_COMMAND_DONE,            /* it is complete, copies included */
    FW_COMMAND_LANDED,          /* its data have landed: the notification of a counter */
};

#endif
