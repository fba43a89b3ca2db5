/* What travels between the firmwares of two ranks. */
#ifndef FW_PACKETS_H
#define FW_PACKETS_H

#include <assert.h>

#include "fw/fw.h"

/* Packet types; each line: name, handler (bound in program.c). */
#define FW_PACKETS(X) \
    /* a whole message */ \
    X(EAGER, mpi_fw_eager_arrived) \
    /* a whole message whose sender wants to know of the match (head: struct fw_origin) */ \
    X(SYNC, mpi_fw_eager_arrived) \
    /* request to send (head: struct fw_rts) */ \
    X(RTS, mpi_fw_rts_arrived) \
    /* a SYNC is matched, match: the sender's request */ \
    X(ACK, mpi_fw_ack_arrived) \
    /* clear to send, match: the sender's request (head: struct fw_cts) */ \
    X(CTS, mpi_fw_cts_arrived) \
    /* a staged chunk, match: the receiver's request (head: struct fw_data, and behind it the
     * chunk, unless that is in a buffer) */ \
    X(DATA, mpi_fw_data_arrived) \
    /* a chunk has been taken, match: as in its fw_data.buffer (no head) */ \
    X(CREDIT, mpi_fw_credit_arrived) \
    /* both ends: the sender's share is done, match: the receiver's request (head: two uint64_t,
     * its chunks and whether a copy failed) */ \
    X(DONE, mpi_fw_done_arrived) \
    /* of a schedule, match: collective and source (payload: struct fw_step_packet) */ \
    X(STEP, mpi_fw_step_arrived) \
    /* a STEP on its way back: its receiver has no room for it */ \
    X(REFUSED, mpi_fw_refused_arrived) \
    /* match: rank that refused lines and can take some now (head: struct fw_again) */ \
    X(AGAIN, mpi_fw_again_arrived) \
    /* all bytes are there, match: the addressee's request (head: uint64_t enum fw_error) */ \
    X(FIN, mpi_fw_fin_arrived) \
    /* any packet but HEAD and NOTICE, in a slot of a ring (flags: its type) */ \
    X(SLOT, mpi_fw_slot_arrived) \
    /* slots of a ring given back, match: how many so far (no head) */ \
    X(HEAD, mpi_fw_slot_ring_head_arrived) \
    /* as FIN, by the notification of a counter */ \
    X(NOTICE, mpi_fw_fin_arrived) \
    /* the message with these match bits is no more (head: struct fw_origin) */ \
    X(WITHDRAW, mpi_fw_withdraw_arrived) \
    /* a withdrawn message is forgotten here, match: the sender's request (head: uint64_t claim,
     * 0: none) */ \
    X(WITHDRAWN, mpi_fw_withdrawn_arrived) \
    /* a small one-sided operation, for whom mpi_fw_on_window has named */ \
    X(WINDOW, mpi_fw_window_arrived) \
    /* model clock: as EAGER, and counted by both sides (ahead.h) */ \
    X(AHEAD, mpi_fw_eager_arrived) \
    /* the same, and its sender wants to be told what is matched */ \
    X(ASKS, mpi_fw_eager_arrived) \
    /* as AHEAD, and a quarter of the limit of the other side's are matched here */ \
    X(TELLS, mpi_fw_eager_arrived) \
    /* these are matched (no head) */ \
    X(MATCHED, mpi_fw_matched_arrived) \
    /* match: 1: too many long messages of the addressee are held here; 0: no longer */ \
    X(HOLD, mpi_fw_hold_arrived) \
    /* as RTS, of a message that would be eager if there were room for it (head: struct fw_rts) */ \
    X(SHORT_RTS, mpi_fw_rts_arrived)

#define FW_PACKET_ENUM(name, handler) FW_PACKET_##name,
enum fw_packet { FW_PACKET_NONE, FW_PACKETS(FW_PACKET_ENUM) FW_PACKET_COUNT };
static_assert((int)FW_EAGER_TYPE == (int)FW_PACKET_EAGER, "the short way sends eager packets");

/* claim: see claims.h */
struct fw_origin { uint32_t source, claim; uint64_t request; };
static_assert(sizeof(struct fw_origin) == 16, "wire layout");

/* claim_word: see claim_word.h.  Between machines `claim` is the key by which the wire reads at the
 * address, 0: it cannot (far_get.h). */
struct fw_rts { uint16_t source, claim_word; uint32_t claim; uint64_t request, bytes, address; };
/* The data have gaps: with this bit the address is that of a struct fw_pieces (pieces.h). */
#define FW_LIST_ADDRESS (UINT64_C(1) << 63)
#define FW_NO_ADDRESS UINT64_MAX
static inline bool fw_is_list(uint64_t address) { return address >> 63; }
static_assert(sizeof(struct fw_rts) == 32 && NIC_MAX_RANKS <= UINT16_MAX, "wire layout");

/* protocol: enum fw_protocol_id */
struct fw_cts { uint64_t request, address, bytes; uint32_t protocol, reserved; };
static_assert(sizeof(struct fw_cts) == 32, "wire layout");

/* buffer: offset in the sender's scratchpad in units of FW_STAGE_UNIT, and FW_STAGE_CLAIM if the
 * receiver is to claim its lines (refill.h); FW_STAGE_INLINE: the chunk is in the packet;
 * FW_STAGE_WRITTEN: it is in its place already */
struct fw_data { uint64_t offset; uint32_t bytes, buffer; };
enum { FW_STAGE_UNIT = 64 };
#define FW_STAGE_CLAIM (UINT32_C(1) << 31)
#define FW_STAGE_INLINE UINT32_MAX
#define FW_STAGE_WRITTEN (UINT32_MAX - 1)
static_assert(sizeof(struct fw_data) == 16, "wire layout");
/* Which it is, whatever is to become of its lines. */
static inline uint32_t fw_stage_buffer(const struct fw_data *d)
{
    return d->buffer < FW_STAGE_WRITTEN ? d->buffer & ~FW_STAGE_CLAIM : d->buffer;
}

/* bytes: of data; flags: where packets have been refused */
struct fw_step_packet {
    uint32_t source;
    uint16_t round;
    uint8_t bytes, flags;
    unsigned char data[40];
};
enum {
    FW_STEP_MORE = 1,           /* others wait at the sender to be asked for */
    FW_STEP_ANSWER = 2,         /* it was asked for; a refused one says so when it is back */
    FW_STEP_LAST = 4,           /* of the answer */
    FW_STEP_NOTHING = 8,        /* the answer has no packet */
};
static_assert(sizeof(struct fw_step_packet) == NIC_HEAD_BYTES, "one line of the ring");

/* wanted: first the packet with this match and round, as soon as there is one; then so many more,
 * those first that were sent first */
struct fw_again { uint64_t match; uint16_t round, grant; uint8_t wanted, reserved[3]; };
static_assert(sizeof(struct fw_again) == 16, "wire layout");

#endif
