/* What the rest of the firmware does with rings of slots; see ring.c.  Where there are none (fw->ring is NULL: the live clock,
 * or packets), nobody calls these. */
#ifndef FW_RING_H
#define FW_RING_H

#include <stddef.h>

#include "fw/inside.h"

/* From attach: makes the rings if the profile has them.  0 or a negative errno. */
int mpi_fw_ring_attach(struct fw *fw);
void mpi_fw_ring_delete(struct fw *fw);

/* mpi_fw_post: false if the ring is full.  `carries` completes when its data have left, or landed. */
bool mpi_fw_ring_send(struct fw *fw, uint32_t peer, const struct nic_message *message, struct fw_req *carries);
/* FW_COMMAND_LANDED */
void mpi_fw_ring_landed(struct fw *fw, struct fw_req *req);

/* An eager message that has arrived is matched: it is copied to the receive.  Nothing without rings. */
void mpi_fw_ring_matched(struct fw *fw, const struct fw_req *recv);
/* No receive was there: it stays in its slot; later: it has been read.  The first does nothing without rings. */
void mpi_fw_ring_keep(struct fw *fw, struct fw_message *message);
void mpi_fw_ring_read(struct fw *fw, struct fw_message *message);

/* The bytes of a rendezvous, and its end. */
void mpi_fw_ring_put(struct fw *fw, struct fw_req *send);
void mpi_fw_ring_get(struct fw *fw, struct fw_req *recv);

#endif
