/* Frames: what travels between machines.  A head, then packets: each has a head of its own, its
 * payload, and up to 7 bytes so that the next one is aligned.
 *
 * Machines of one job have the same byte order. */
#ifndef NIC_WIRE_FRAME_H
#define NIC_WIRE_FRAME_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/link.h"

struct nic_frame_head {
    uint16_t kind;              /* enum nic_frame_kind */
    uint16_t source;            /* rank */
    uint32_t sequence;          /* from 0, of this source's frames to this rank */
};
static_assert(sizeof(struct nic_frame_head) == 8, "wire layout");

enum nic_frame_kind {
    NIC_FRAME_PACKETS = 0x4e01,
    NIC_FRAME_BYE = 0x4e02,     /* the source closes: nothing comes behind it */
    NIC_FRAME_PING = 0x4e03,    /* the source waits, and wants a word */
    NIC_FRAME_PONG = 0x4e04,    /* that word */
};

struct nic_frame_packet {
    uint8_t type, flags;
    uint16_t zero;
    uint32_t length;            /* of the payload */
    uint64_t match;
};
static_assert(sizeof(struct nic_frame_packet) == 16, "wire layout");

/* The longest packet.  Packets gather up to what most providers send at once: what they first ask
 * the receiver for is slower, and comes out of order.  Where the wire is a stream, and asks for
 * nothing, the program's packets may be as long as NIC_FRAME_PACKET_LONG, and frames gather up to
 * what one of these takes. */
enum {
    NIC_FRAME_HEADS = sizeof(struct nic_frame_head) + sizeof(struct nic_frame_packet),
    NIC_FRAME_BYTES = NIC_FRAME_HEADS + NIC_LENGTH_MAX,
    NIC_FRAME_PACKET_LONG = 64 * 1024 + NIC_LENGTH_MAX - NIC_MESSAGE_BYTES_MAX,
    NIC_FRAME_BYTES_LONG = NIC_FRAME_HEADS + NIC_FRAME_PACKET_LONG,
    NIC_FRAME_GATHER = 16 * 1024,
};
static_assert(NIC_LENGTH_MAX % 8 == 0 && NIC_FRAME_PACKET_LONG % 8 == 0, "wire layout");

/* What a packet with so many bytes of payload takes. */
static inline uint32_t nic_frame_room(uint32_t payload)
{
    return (uint32_t)sizeof(struct nic_frame_packet) + ((payload + 7) & ~UINT32_C(7));
}

/* The packet at `at` in a frame of so many bytes; `at` moves behind it.  False: no packet is there;
 * it is a sound frame's end if `at` is. */
bool nic_frame_next(const unsigned char *frame, uint32_t bytes, uint32_t *at,
                    struct nic_packet *packet);
/* Writes all of a packet, which has room there, but its data; returns the place of those. */
unsigned char *nic_frame_add(unsigned char *frame, uint32_t at, const struct nic_tx *packet);

#endif
