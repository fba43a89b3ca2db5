/* What the files of the firmware share. */
#ifndef FW_INSIDE_H
#define FW_INSIDE_H

#include <assert.h>

#include "claims.h"
#include "fw.h"
#include "stats.h"

/* Packet types; each line: name, handler. */
#define FW_PACKETS(X) \
    X(EAGER, mpi_fw_eager_arrived)      /* a whole message */ \
    X(SYNC, mpi_fw_eager_arrived)       /* the same, and the sender wants to know of the match (head: struct fw_origin) */ \
    X(RTS, mpi_fw_rts_arrived)          /* request to send (head: struct fw_rts) */ \
    X(ACK, mpi_fw_ack_arrived)          /* match: the sender's request */ \
    X(CTS, mpi_fw_cts_arrived)          /* clear to send, match: the sender's request (head: struct fw_cts) */ \
    X(DATA, mpi_fw_data_arrived)        /* a staged chunk, match: the receiver's request (head: struct fw_data, and the chunk unless it is in a buffer) */ \
    X(CREDIT, mpi_fw_credit_arrived)    /* a staging buffer is free again, match: as in fw_data.buffer (no head) */ \
    X(DONE, mpi_fw_done_arrived)        /* both ends: the sender's share is done, match: the receiver's request (head: uint64_t chunks) */ \
    X(LINE, mpi_fw_line_arrived)        /* of a schedule, match: collective and source (payload: struct fw_line) */ \
    X(REFUSED, mpi_fw_refused_arrived)  /* the same on its way back: there is no room for it */ \
    X(AGAIN, mpi_fw_again_arrived)      /* match: rank that refused lines and can take them now (no head) */ \
    X(FIN, mpi_fw_fin_arrived)          /* all bytes are there, match: the addressee's request (head: uint64_t enum fw_error) */ \
    X(SLOT, mpi_fw_ring_arrived)        /* any but those of the ring itself, in a slot (flags: its type) */ \
    X(HEAD, mpi_fw_ring_head_arrived)   /* slots given back, match: how many so far (no head) */ \
    X(NOTICE, mpi_fw_fin_arrived)       /* as FIN, by the notification of a counter */ \
    X(WITHDRAW, mpi_fw_withdraw_arrived)    /* the message with these match bits is no more (head: struct fw_origin) */ \
    X(WITHDRAWN, mpi_fw_withdrawn_arrived)  /* it is forgotten here, match: the sender's request (head: uint64_t claim, 0: none) */

#define FW_PACKET_ENUM(name, handler) FW_PACKET_##name,
enum fw_packet { FW_PACKET_NONE, FW_PACKETS(FW_PACKET_ENUM) FW_PACKET_COUNT };

/* claim: see withdraw.c */
struct fw_origin { uint32_t source, claim; uint64_t request; };
static_assert(sizeof(struct fw_origin) == 16, "wire layout");

/* ticket: index + 1 of a claim word in the source's scratchpad, 0: none */
struct fw_rts { uint16_t source, ticket; uint32_t claim; uint64_t request, bytes, address; };
static_assert(sizeof(struct fw_rts) == 32 && NIC_MAX_RANKS <= UINT16_MAX, "wire layout");

struct fw_cts { uint64_t request, address, bytes; uint32_t protocol, reserved; };
static_assert(sizeof(struct fw_cts) == 32, "wire layout");

/* buffer: offset in the sender's scratchpad in units of FW_STAGE_UNIT; FW_STAGE_INLINE: the chunk is in the packet */
struct fw_data { uint64_t offset; uint32_t bytes, buffer; };
#define FW_STAGE_INLINE UINT32_MAX
static_assert(sizeof(struct fw_data) == 16, "wire layout");

/* bytes: of data */
struct fw_line { uint32_t source; uint16_t round, bytes; unsigned char data[40]; };
static_assert(sizeof(struct fw_line) == NIC_HEAD_BYTES, "one line of the ring");

/* How a message's bytes travel once it is matched.  One const table per file. */
struct fw_protocol {
    const char *name;
    /* receiver: the RTS is matched; req->bytes are to come (above 0) */
    void (*matched)(struct fw *fw, struct fw_req *recv);
    /* sender: the CTS has come; NULL: this protocol has none */
    void (*cleared)(struct fw *fw, struct fw_req *send);
    /* one piece of the work of a request in the active queue, either side; true: it moved something */
    bool (*advance)(struct fw *fw, struct fw_req *req);
};
#define FW_PROTOCOLS(X) X(get) X(put) X(both_ends) X(staged)
#define FW_PROTOCOL_DECLARE(name) extern const struct fw_protocol mpi_fw_protocol_##name;
FW_PROTOCOLS(FW_PROTOCOL_DECLARE)
#define FW_PROTOCOL_ENUM(name) FW_PROTOCOL_##name,
enum fw_protocol_id { FW_PROTOCOLS(FW_PROTOCOL_ENUM) FW_PROTOCOL_COUNT };
extern const struct fw_protocol *const mpi_fw_protocols[FW_PROTOCOL_COUNT];

/* A message that came before its receive. */
struct fw_message {
    struct fw_object object;        /* FW_MESSAGE, FW_FREE */
    uint8_t type;                   /* enum fw_packet: EAGER, SYNC, RTS */
    bool landing;                   /* its body is still coming in */
    bool extracted;                 /* taken out of the queue by a matched probe */
    bool withdrawn;                 /* to be freed when it has landed */
    uint32_t index;
    uint64_t match;
    size_t bytes;
    struct fw_origin origin;        /* SYNC */
    struct fw_rts rts;              /* RTS */
    struct fw_req *claimed;         /* receive that waits for the landing */
    uint32_t way;                   /* model clock: of the packet */
    void *data;                     /* own memory, or `small` */
    struct fw_slot *unread;         /* where it lies (ring.c); NULL: in no slot, or no longer */
    unsigned char small[NIC_HEAD_BYTES];
    struct fw_message *next;        /* free list */
};

/* A packet that found its peer's inbox full. */
struct fw_pending {
    struct fw_pending *next;        /* to the same peer */
    uint64_t number;                /* in the order of all that ever waited */
    struct nic_message message;
    struct fw_req *carries;         /* send whose message this is; NULL: none */
    struct fw_req *envelope_of;     /* send whose envelope this is; NULL: none */
    bool service;
    bool dead;                      /* withdrawn: not sent when its turn comes */
    uint32_t way;                   /* model clock: how it came to be here */
    unsigned char kept[];           /* the head, and the data of short packets that are of no send */
};

/* What waits for room in one peer's inbox; next: another peer for which something waits. */
struct fw_backlog { struct fw_pending *first, **last; struct fw_backlog *next; };

/* The live clock uses the store; the model clock the list, which says what a search costs. */
struct fw_queue { struct nic_alpu *store; struct nic_list *list; };

/* Objects named by index, in chunks that never move. */
struct fw_slab { void **chunk; uint32_t chunks, used; size_t object_bytes; };
enum { FW_SLAB_CHUNK = 128 };

enum { FW_TICKETS = 64, FW_STAGE_BUFFERS = 16, FW_STAGE_BYTES = 16 * 1024, FW_STAGE_UNIT = 64, FW_INLINE_CHUNKS = 4, FW_SPARES = 16 };

struct fw {
    struct fw_front front;
    struct nic *nic;
    void (*retired)(struct fw_req *req);
    uint32_t rank;
    bool modelled;
    const struct nic_profile *profile;  /* of the model clock; NULL: live */
    size_t eager_max;
    enum fw_offload offload;
    const struct fw_protocol *forced;   /* by MPILITE_RNDV */
    bool pull_only;                     /* a memory checker must see every write to this process' memory */
    struct fw_queue posted, unexpected;
    struct fw_slab requests, messages;
    struct fw_req *free_requests;
    struct fw_message *free_messages;
    struct fw_req *spare[FW_SPARES];    /* owner: the host, filled with the baton held */
    unsigned spares;

    struct fw_ring *ring;               /* model clock, where messages travel through rings of slots; else NULL */
    struct fw_backlog *sendq, **sendq_end;  /* peers for which packets wait */
    struct fw_backlog *backlog;         /* per peer */
    uint64_t delayed;                   /* packets that ever waited */
    size_t sends;                       /* sends started and not done */

    struct fw_req *active, **active_end;
    uint32_t turns;                     /* of the active queue */

    uint64_t tickets, all_tickets;      /* bit set: claim word free; there at all */
    uint64_t ticket_area, stage_area;   /* scratchpad offsets, NIC_SPAD_NONE until there was room at first use */
    struct fw_claims claims;
    uint32_t withdrawn_near;            /* where the message of the last WITHDRAW was */
    struct fw_req *starved, **starved_end;  /* sends that wait for a staging buffer */
    bool stage_in_buffers;              /* MPILITE_STAGED=buffers */
    uint32_t stage_bytes;               /* of a buffer */
    unsigned stages_all;                /* buffers that there are */
    uint8_t stage_free[FW_STAGE_BUFFERS];
    unsigned stages;                    /* free ones; the last returned is the next used: it is in the cache */
    uint32_t stages_out;                /* bit set: the buffer is at a receiver, and comes back once */
    unsigned inlines;                   /* chunks without a buffer that may still be sent before a credit */
    struct fw_data inlined;             /* receiver: the chunk that is landing */

    char *why;                          /* attach failed: what to say */
    uint64_t slot_areas, slots_high;    /* see slots.h */
    uint32_t slots_free;
    struct fw_slots *slots_retired;

    struct fw_sched *scheds;            /* started and not finished */
    struct fw_kept *lines, *refused;    /* early arrivals; our own lines that a peer had no room for */
    uint32_t lines_kept, lines_max;
    uint64_t *refusing;                 /* a bit per rank; NULL until first used */
    uint32_t refused_ranks;             /* bits set in there */
    uint64_t refusals;

    uint64_t strays;                    /* packets ignored, of all kinds: see fw_stray */
    struct fw_stats stats;
};

/* slab.c */
void *mpi_fw_slab_new(struct fw_slab *slab, uint32_t *index);
static inline void *fw_slab_at(const struct fw_slab *s, uint32_t index)
{
    return index < s->used ? (char *)s->chunk[index / FW_SLAB_CHUNK] + index % FW_SLAB_CHUNK * s->object_bytes : NULL;
}
void mpi_fw_slab_release(struct fw_slab *slab);

/* request.c */
static inline uint64_t fw_req_id(const struct fw_req *r) { return (uint64_t)r->generation << 32 | r->index; }
struct fw_req *mpi_fw_req_by_id(const struct fw *fw, uint64_t id, enum fw_kind kind);   /* NULL: a stray */
void mpi_fw_complete(struct fw *fw, struct fw_req *req);
void mpi_fw_done(struct fw *fw, struct fw_req *req);    /* mpi_fw_complete, on the model clock when its time has come */
void mpi_fw_activate(struct fw *fw, struct fw_req *req);
void mpi_fw_reactivate(struct fw *fw, struct fw_req *req);   /* from advance(): there is more to do */
bool mpi_fw_advance_active(struct fw *fw);
void mpi_fw_serve(struct fw *fw, struct fw_req *req);   /* must go on while the host is away */

/* schedule.c, line.c */
struct fw_sched;
bool mpi_fw_advance_scheds(struct fw *fw);
void mpi_fw_sched_begin(struct fw *fw, struct fw_req *req);    /* the second half of mpi_fw_sched_start */
bool mpi_fw_sched_line(struct fw *fw, uint64_t match, const struct fw_line *line);     /* false: no schedule waits for it */
bool mpi_fw_sched_take_line(struct fw_sched *sched, uint64_t match, const struct fw_line *line);
void mpi_fw_send_line(struct fw *fw, uint32_t peer, uint64_t match, const struct fw_line *line);
void mpi_fw_claim_lines(struct fw *fw, struct fw_sched *sched);        /* those that came early */
void mpi_fw_ask_again(struct fw *fw, uint32_t source);                 /* for what was refused */
void mpi_fw_line_arrived(struct fw *fw, const struct nic_packet *p);
void mpi_fw_refused_arrived(struct fw *fw, const struct nic_packet *p);
void mpi_fw_again_arrived(struct fw *fw, const struct nic_packet *p);
void mpi_fw_lines_delete(struct fw *fw);
bool mpi_fw_line_unlike(const struct fw *fw, const struct fw_unlike *look, uint64_t *found, size_t *bytes);

/* A packet for a request that does not exist, or whose contents or time make no sense. */
static inline void fw_stray(struct fw *fw, const struct fw_req *r)
{
    fw->strays++;
    if (r)
        FW_COUNT(fw, strays_malformed, 1);
    else
        FW_COUNT(fw, strays_request, 1);
}
static inline void fw_stray_packet(struct fw *fw)
{
    fw->strays++;
    FW_COUNT(fw, strays_malformed, 1);
}

static inline void fw_control(const struct fw *fw)
{
    if (__builtin_expect(fw->modelled, 0))
        nic_work(fw->nic, NIC_WORK_CONTROL);
}

/* Model clock: how a request, or what a handler has found, came to be where it is (nicemu/explain.h). */
static inline void fw_way_keep(const struct fw *fw, uint32_t *way)
{
    if (__builtin_expect(!fw->modelled, 1))
        return;
    nic_way_drop(fw->nic, way);
    *way = nic_way_keep(fw->nic);
}
static inline void fw_way_join(const struct fw *fw, uint32_t *way, enum nic_part reason)
{
    if (__builtin_expect(!fw->modelled, 1))
        return;
    nic_way_join(fw->nic, *way, reason);
    nic_way_drop(fw->nic, way);
}

static inline void fw_way_drop(const struct fw *fw, uint32_t *way)
{
    if (__builtin_expect(fw->modelled, 0))
        nic_way_drop(fw->nic, way);
}

/* sendq.c: in order per peer, nothing is lost */
/* What it returns waits for room, and may be marked dead as long as it does; NULL: it has left. */
struct fw_pending *mpi_fw_post(struct fw *fw, uint32_t peer, const struct nic_message *message, bool service,
                               struct fw_req *carries);
struct fw_pending *mpi_fw_post_control(struct fw *fw, uint32_t peer, enum fw_packet type, uint64_t match, const void *head,
                                       size_t head_bytes);
bool mpi_fw_advance_sendq(struct fw *fw);
void mpi_fw_sendq_delete(struct fw *fw);
static inline bool fw_is_blocked(const struct fw *fw, uint32_t peer) { return fw->sendq && fw->backlog[peer].first; }

void mpi_fw_message_left(struct fw *fw, struct fw_req *send);

/* withdraw.c */
bool mpi_fw_message_take(struct fw *fw, const struct fw_message *message);
bool mpi_fw_message_is_withdrawn(struct fw *fw, const struct fw_message *message);
void mpi_fw_message_drop(struct fw *fw, struct fw_message *message);   /* out of the queue already: its sender has withdrawn it */
bool mpi_fw_cancel_send(struct fw *fw, struct fw_req *send);
void mpi_fw_envelope_waits(struct fw_req *send, struct fw_pending *pending);
void mpi_fw_withdraw_arrived(struct fw *fw, const struct nic_packet *p);
void mpi_fw_withdrawn_arrived(struct fw *fw, const struct nic_packet *p);

/* program.c: the handler of a packet, by its type */
void mpi_fw_packet(struct fw *fw, const struct nic_packet *p);

/* ring.c */
void mpi_fw_ring_arrived(struct fw *fw, const struct nic_packet *p);
void mpi_fw_ring_head_arrived(struct fw *fw, const struct nic_packet *p);

/* queues.c */
static inline bool fw_match(const struct fw *fw, const struct fw_queue *q, size_t count, uint64_t bits, uint64_t mask, uint32_t *index)
{
    return __builtin_expect(fw->modelled, 0) ? nic_list_match(q->list, bits, mask, index) : count && nic_alpu_match(q->store, bits, mask, index, NULL);
}
static inline int fw_append(const struct fw *fw, const struct fw_queue *q, uint64_t bits, uint64_t mask, uint32_t index)
{
    return __builtin_expect(fw->modelled, 0) ? nic_list_append(q->list, bits, mask, index) : nic_alpu_append(q->store, bits, mask, index);
}
void mpi_fw_start_inside(struct fw *fw, struct fw_req *req);    /* mpi_fw_start by the firmware itself */
void mpi_fw_begin_modelled(struct fw *fw, struct fw_req *req);  /* the second half of mpi_fw_start on the model clock, where the NIC does it */
struct fw_req *mpi_fw_match_posted(struct fw *fw, uint64_t match);      /* NULL: none, the message is unexpected */
/* The same for a message that its sender may have withdrawn, which is then true with NULL: nothing is to be done with it. */
struct fw_req *mpi_fw_match_posted_if(struct fw *fw, uint64_t match, uint32_t source, uint32_t claim, bool *withdrawn);
/* Takes an unexpected message out of its queue. */
void mpi_fw_unexpected_remove(struct fw *fw, const struct fw_message *message);
/* The unexpected message of that send; NULL: there is none, or it is matched. */
struct fw_message *mpi_fw_unexpected_from(struct fw *fw, uint64_t match, uint32_t source, uint64_t request);

/* eager.c */
void mpi_fw_start_eager(struct fw *fw, struct fw_req *send);
void mpi_fw_eager_arrived(struct fw *fw, const struct nic_packet *p);
void mpi_fw_ack_arrived(struct fw *fw, const struct nic_packet *p);
void mpi_fw_deliver_message(struct fw *fw, struct fw_message *message, struct fw_req *recv);
void mpi_fw_landed(struct fw *fw, struct fw_object *object);
struct fw_message *mpi_fw_message_keep(struct fw *fw, const struct nic_packet *p, uint8_t type);
void mpi_fw_message_free(struct fw *fw, struct fw_message *message);

/* rndv.c */
void mpi_fw_start_rndv(struct fw *fw, struct fw_req *send);
void mpi_fw_rts_arrived(struct fw *fw, const struct nic_packet *p);
void mpi_fw_rts_matched(struct fw *fw, const struct fw_rts *rts, uint64_t match, struct fw_req *recv);
void mpi_fw_cts_arrived(struct fw *fw, const struct nic_packet *p);
void mpi_fw_fin_arrived(struct fw *fw, const struct nic_packet *p);
void mpi_fw_finish_send(struct fw *fw, struct fw_req *send);
const struct fw_protocol *mpi_fw_protocol_by_name(const char *name);    /* NULL: none */
void mpi_fw_send_cts(struct fw *fw, struct fw_req *recv);
void mpi_fw_send_fin(struct fw *fw, struct fw_req *req);

/* both_ends.c, staged.c */
void mpi_fw_done_arrived(struct fw *fw, const struct nic_packet *p);
uint16_t mpi_fw_ticket_new(struct fw *fw);
void mpi_fw_ticket_free(struct fw *fw, uint16_t ticket);
void mpi_fw_data_arrived(struct fw *fw, const struct nic_packet *p);
void mpi_fw_credit_arrived(struct fw *fw, const struct nic_packet *p);
void mpi_fw_inline_landed(struct fw *fw, struct fw_req *recv);

#endif
