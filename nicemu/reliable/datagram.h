/* What travels over a wire that loses: a header with a checksum of all of the frame, and bytes. */
#ifndef NIC_RELIABLE_DATAGRAM_H
#define NIC_RELIABLE_DATAGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* an answer has no bytes, no number */
enum nic_datagram_kind { NIC_DATAGRAM_DATA = 1, NIC_DATAGRAM_ANSWER };
enum { NIC_DATAGRAM_NACK = 1 };                                    /* flag: `answered` is missed */

/* In the byte order of the machine: all machines of a job have one. */
struct nic_datagram_head {
    uint32_t crc;               /* of all that follows, and the bytes behind the header */
    uint32_t token;             /* of the receiver: others' late frames have another */
    uint32_t number, answered;  /* see nic_window_arrived, nic_window_acked */
    uint32_t bytes;             /* behind the header */
    uint16_t source;            /* rank of the sender */
    uint8_t kind, flags;
};
_Static_assert(sizeof(struct nic_datagram_head) == 24, "on the wire");

/* Sets crc; `bytes` of the header is set, and the bytes follow it. */
void nic_datagram_seal(struct nic_datagram_head *frame);
/* True: whole, and one to whoever has that token, from a rank below `ranks`.  data: as it came. */
bool nic_datagram_is_sound(const void *data, size_t bytes, uint32_t token, uint32_t ranks);

#endif
