/* Frames: their memory, and their way out. */
#ifndef NIC_OFI_SEND_H
#define NIC_OFI_SEND_H

#include "ofi/state.h"

/* See wire/module.h. */
struct nic_wire_frame *ofi_frame(struct nic_wire *wire);
int ofi_send(struct nic_wire *wire, uint64_t peer, struct nic_wire_frame *frame);
void ofi_drop(struct nic_wire *wire, struct nic_wire_frame *frame);
struct nic_wire_frame *ofi_frame_of(struct ofi_op *op);
/* The frame of a completion, which is free again. */
struct nic_wire_frame *ofi_sent(struct nic_wire *wire, struct ofi_op *op);
void ofi_frames_free(struct nic_wire *wire);

#endif
