/* One packet to many ranks (Buntinas, chapter 2): the host hands its NIC the packet once, with a
 * list of ranks.  Part of nicemu.h.
 *
 * Each rank of the list gets the packet as if it had been sent to it alone, by nic_post: its packet
 * handler is told of the sender, not of whom it came by.  The NIC sends it to some of them, with
 * the part of the list that each of these has to serve; their NICs send it on before they deliver
 * it, whether their hosts are there or not.  A message of several packets is sent on packet by
 * packet, before it is complete.
 *
 * The tree is the one by which the last rank hears soonest, if a NIC can send one copy per unit of
 * time and a copy takes `latency` of these units to be there (Bar-Noy and Kipnis' postal model).
 * Latency 0: no tree, this NIC sends to all. */
#ifndef NICEMU_MULTI_H
#define NICEMU_MULTI_H

#include "../nicemu.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum { NIC_MULTI_RANKS = 1024, NIC_MULTI_LATENCY = 255 };      /* at most */

/* Never refused for want of room: what finds none is copied and sent later.  Packets of a rank to
 * one other by the same list and latency arrive in order; others may overtake them.  From the host
 * and from handlers; baton held.  0: head and data may be reused; -EINVAL: type, flags, head, a
 * rank or the latency, or the data are gathered; -EMSGSIZE: too many ranks, or head, data and two
 * bytes per rank, in eights, are together more than NIC_MESSAGE_BYTES_MAX.  On the model clock one
 * command, and for each copy what a packet takes.  A host that runs the handlers serves lists in
 * the place of its NIC; without a tree, one that forwards copies what the host has written once. */
int nic_multi_send(struct nic *nic, const unsigned *ranks, unsigned count, unsigned latency,
                   const struct nic_tx *message);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
