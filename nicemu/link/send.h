/* The sending half of the inbox. */
#ifndef NIC_LINK_SEND_H
#define NIC_LINK_SEND_H

#include "core/nic.h"

/* Who has found an inbox full goes on when so many lines are free, not at the heels of a reader
 * that gives back a few at a time, which then go back and forth.  With one line, 256, 512, and
 * 1,024, one way, us per message, two cores with an L3 cache in common: MPI_Send of 2 KiB 0.25,
 * 0.18, 0.15, 0.14, of 4 KiB 0.38, 0.24, 0.22, 0.21; MPI_Bcast of 2 KiB 0.32, 0.20, 0.18, 0.18;
 * MPI_Reduce of 4 KiB 0.67, 0.56, 0.50, 0.48.  Those who were not refused may keep the inbox from
 * ever being so empty: so after so many looks any room is taken. */
enum { NIC_RESUME_LINES = 768, NIC_RESUME_LOOKS = 4096 };
static_assert(NIC_RESUME_LINES + UINT16_MAX / NIC_LINE_BYTES + UINT16_MAX / NIC_INTERIOR_DATA + 2
              <= NIC_RING_LINES, "an empty inbox has room behind the longest packet");

/* For links whose peers share the memory of the job's ranks: see struct nic_link_ops. */
int nic_inbox_send(struct nic *nic, unsigned peer, const struct nic_tx *message, bool service);
/* The packet as it is, of at most so many bytes of payload. */
int nic_inbox_send_lines(struct nic *nic, unsigned peer, const struct nic_tx *message,
                         uint64_t most);

#endif
