/* The firmware's state.  A header without a .c: every file of the room may see it, and it needs
 * none of them. */
#ifndef FW_STATE_H
#define FW_STATE_H

#include "fw/carrier.h"
#include "fw/copies.h"
#include "fw/figures.h"
#include "fw/fw.h"
#include "fw/packets.h"
#include "fw/protocol.h"
#include "fw/refill.h"
#include "fw/slab.h"
#include "fw/tuning.h"

/* A message that came before its receive. */
struct fw_unexpected {
    struct fw_object object;        /* FW_UNEXPECTED, FW_FREE */
    uint8_t type;                   /* enum fw_packet: EAGER, SYNC, RTS */
    bool landing;                   /* its body is still coming in */
    bool extracted;                 /* taken out of the queue by a matched probe */
    bool withdrawn;                 /* to be freed when it has landed */
    bool asks;                      /* EAGER: its packet did, see ahead.h */
    uint32_t counted_by;            /* EAGER: 1 + who counts it, 0: nobody */
    bool holds;                     /* counted in fw_held */
    uint32_t index;
    uint64_t match;
    size_t bytes;
    struct fw_origin origin;        /* SYNC */
    struct fw_rts rts;              /* RTS */
    struct fw_req *claimed;         /* receive that waits for the landing */
    uint32_t way;                   /* model clock: of the packet */
    uint32_t from;                  /* holds: the sender */
    void *data;                     /* own memory, or `small` */
    struct fw_ring_slot *unread;    /* where the carrier has it; NULL: in no slot, or no longer */
    unsigned char small[NIC_HEAD_BYTES];
    struct fw_unexpected *next;        /* free list */
};

/* A packet that found its peer's inbox full. */
struct fw_pending {
    struct fw_pending *next;        /* to the same peer */
    uint64_t number;                /* in the order of all that ever waited */
    struct nic_tx message;
    struct fw_req *carries;         /* send whose message this is; NULL: none */
    struct fw_req *envelope_of;     /* send whose envelope this is; NULL: none */
    bool service;
    bool dead;                      /* withdrawn: not sent when its turn comes */
    uint32_t way;                   /* model clock: how it came to be here */
    unsigned char kept[];           /* the head, and data of short packets that are of no send */
};

/* What waits for room in one peer's inbox; next: another peer for which something waits. */
struct fw_backlog { struct fw_pending *first, **last; struct fw_backlog *next; };

/* The live clock uses the store; the model clock the list, which says what a search costs. */
struct fw_queue { struct nic_match_list *store; struct nic_timed_list *list; };

/* Claim bytes of sends that may be cancelled: see claims.h. */

/* A peer on another machine: what it has sent that is held here, see held.h. */
struct fw_held {
    uint64_t bytes;
    bool told;                  /* it is to ask first */
    bool asks;                  /* we are to ask it first */
};

/* Bytes side by side, in the scratchpad (area 0) or in the heap. */
struct fw_claim_area {
    uint32_t first;             /* claim of its first byte */
    uint32_t all, used;         /* bytes there; those ever used */
    uint32_t free;              /* 1 + number of a free byte, 0: none */
    uint32_t *next, room;       /* per byte ever used: as `free`, or what the byte is used for */
};

/* The scratchpad's, and of the heap 64 KiB, 128 KiB and so on: all that a claim can name. */
enum { FW_CLAIM_AREAS = 16 };

struct fw_claims {
    struct fw_claim_area area[FW_CLAIM_AREAS];
    unsigned areas;             /* 0: nothing has been asked for yet */
    uint32_t awaited;           /* withdrawn sends that the peers have not answered yet */
    bool full;                  /* the heap has no room for more */
};

/* Where staged chunks go, within a machine. */
enum fw_stage { FW_STAGE_AS_FITS, FW_STAGE_BY_BUFFERS, FW_STAGE_BY_INBOX };

/* See req_list.h. */
struct fw_req_list { struct fw_req *first, **end; };

/* Model clock, of one peer (ahead.c): eager messages to it of which it has not told us that they
 * are matched, those behind the last that asks, sends that are held; of its messages those matched
 * of which we have not told it, and how often it has asked. */
struct fw_ahead { uint32_t sent, since; struct fw_req_list held; uint32_t matched, asked; };

/* Owner: the baton, unless a member says otherwise. */
struct fw {
    struct fw_fast_path fast_path;
    struct nic *nic;
    void (*retired)(struct fw_req *req);
    int (*partner)(const struct fw_req *req, unsigned i);   /* NULL: a loss ends the process */
    /* The handler of a packet, by its type: for what comes in another packet. */
    void (*packet)(struct fw *fw, const struct nic_packet *packet);
    /* Gives an early line to the schedule that waits for it; false: there is none. */
    bool (*take_step)(struct fw *fw, uint64_t match, const struct fw_step_packet *line);
    bool (*want_step)(struct fw *fw, uint32_t source, uint64_t *match, uint16_t *round);
    uint32_t rank;
    bool modelled;
    const struct nic_profile *profile;  /* of the model clock; NULL: live */
    size_t eager_max, far_eager_max;    /* the second: to other machines */
    enum fw_offload offload;
    const struct fw_protocol *const *protocols;     /* by enum fw_protocol_id */
    const struct fw_protocol *forced;   /* by MPILITE_RNDV */
    bool pull_only;                     /* a memory checker must see all writes to this process */
    struct fw_queue posted, unexpected;
    struct fw_slab messages;
    struct fw_req *free_requests;
    struct fw_unexpected *free_messages;
    struct fw_req *spare[FW_SPARES];    /* owner: the host, filled with the baton held */
    unsigned spares;

    const struct fw_carrier *carrier;   /* NULL: the NIC's packets */
    struct fw_slot_ring *slot_ring;     /* the carrier's own */
    struct fw_backlog *sendq, **sendq_end;  /* peers for which packets wait */
    struct fw_backlog *backlog;         /* per peer */
    size_t sendq_bytes;                 /* long messages in these */
    struct fw_held *held;               /* per peer; NULL: none has sent much yet */
    size_t sends;                       /* sends started and not done */
    struct fw_ahead *ahead;             /* per peer; NULL: eager messages run ahead without limit */
    uint32_t ahead_most;                /* by how many at most */

    struct fw_req_list active;
    uint32_t turns;                     /* of the active queue */

    uint64_t claim_words_free, claim_words_all;     /* a bit per claim word: free; there at all */
    uint64_t claim_word_area, stage_area;   /* in the scratchpad; NIC_SPAD_NONE until first used */
    struct fw_claims claims;
    uint32_t withdrawn_near;            /* where the message of the last WITHDRAW was */
    struct fw_req_list waiting_for_buffer;  /* sends that need one, or an inbox credit */
    struct fw_req_list waiting_far;         /* the same to other machines */
    struct fw_req_list waiting_reads;       /* receives for which the wire reads too much already */
    uint32_t far_reads;                     /* under way */
    struct fw_pieces *fetched;              /* peers' lists of pieces, see pieces.h */
    enum fw_stage stage;                /* MPILITE_STAGED */
    uint32_t stage_bytes;               /* of a buffer */
    char *packed;                       /* FW_STAGE_PACKED bytes; NULL: not used yet */
    unsigned stages_all;                /* buffers that there are */
    uint8_t stage_free[FW_STAGE_BUFFERS];
    unsigned stages;                    /* free buffers; the last returned is used next: in cache */
    uint32_t stages_out;                /* bit set: the buffer is at a receiver, and comes back */
    uint8_t stage_lines[FW_STAGE_BUFFERS];      /* enum fw_lines, of each when it is back */
    struct fw_refill refill;            /* of these buffers */
    struct fw_copies copies;            /* through them, or once by the kernel */
    /* Chunks without a buffer that may leave before a CREDIT: to this machine, to others. */
    unsigned inbox_credits, far_credits;
    uint8_t *far_out;                   /* far_credits that are out, per peer */
    struct fw_data landing_chunk;       /* receiver: the chunk of which the rest is landing */

    char *why;                          /* attach failed: what to say */
    uint64_t shm_areas, shm_high;       /* see shm_coll.h */
    uint32_t shm_free;
    struct fw_shm_coll *shm_retired;

    struct fw_sched *scheds;            /* started and not finished */
    struct fw_sched *spare_scheds;
    unsigned scheds_spare;
    struct fw_kept *early_steps;
    uint32_t steps_kept, steps_kept_limit;
    uint8_t *holders;                   /* who has packets that we refused, per rank; or NULL */
    uint32_t holder_count;
    struct fw_steps_back **back;        /* our own, which a peer had no room for; or NULL */
    uint32_t back_ranks;                /* of that, which outlives the NIC */
    uint64_t steps_back;

    struct fw_stats stats;
    fw_watch_fn *watch;                 /* NULL: nobody */
    fw_window_fn *window;               /* NULL: nobody */
    void (*window_landed)(void);
};

#endif
