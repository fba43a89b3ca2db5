/* Rings of slots, a carrier (carrier.h) of the model clock. */
#ifndef FW_SLOT_RING_H
#define FW_SLOT_RING_H

#include "fw/state.h"

/* From attach: makes the rings and fw->carrier if the profile has them.  0 or a negative errno. */
int mpi_fw_slot_ring_attach(struct fw *fw);

void mpi_fw_slot_arrived(struct fw *fw, const struct nic_packet *p);
void mpi_fw_slot_ring_head_arrived(struct fw *fw, const struct nic_packet *p);

#endif
