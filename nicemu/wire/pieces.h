/* A wire of long frames over one of short frames: the table of a module (wire/module.h) that stands
 * in front of the reliable one's, where packets of the network are shorter than a frame may be.  A
 * frame travels in as many pieces as it takes, in order, and is put together again. */
#ifndef NIC_WIRE_PIECES_H
#define NIC_WIRE_PIECES_H

#include "wire/module.h"

enum { NIC_PIECE_HEAD = 8 };    /* bytes that frames below are longer than what they carry */

struct nic_pieces_config {
    const struct nic_wire_ops *below;   /* delivers once and in order, and names peers by rank */
    struct nic_wire *wire;              /* of that, open; taken over if all goes well */
    uint32_t frame_bytes;               /* of the longest frame */
    uint32_t rank, ranks;
};

/* wire: for nic_wire_pieces, whose own `open` fails.  0 or a negative errno. */
int nic_pieces_open(const struct nic_pieces_config *config, struct nic_wire **wire);
/* Pieces that have been handed down. */
uint64_t nic_pieces_sent(const struct nic_wire *wire);

extern const struct nic_wire_ops nic_wire_pieces;

#endif
