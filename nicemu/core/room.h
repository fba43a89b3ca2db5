/* Room in a peer's inbox: who naps until there is some asks the inbox' owner to ring.
 *
 * Who asks marks its own public line, sets NIC_ROOM_WANTED in the owner's, runs the heavy half of
 * an asymmetric fence, and looks at the inbox once more.  The owner gives lines back, and looks for
 * the bit before it yields or sleeps, as there is nothing left in its inbox.  So either the owner
 * sees the bit or who asks sees the room; where the fence is missing, a nap ends by itself.
 * Checked in tests/model/room.pml. */
#ifndef NIC_CORE_ROOM_H
#define NIC_CORE_ROOM_H

#include "core/nic.h"

/* A host that is about to nap, in parking, before its fence: it will be rung when there is room at
 * that peer, if that is on this machine. */
void nic_room_ask(struct nic *nic, unsigned peer);
/* Behind the fence: there is enough already. */
bool nic_room_is_there(const struct nic *nic, const struct nic_refusal *refused);
/* Awake again. */
void nic_room_forget(struct nic *nic);

void nic_room_tell_some(struct nic *nic);

/* The owner's inbox is empty, and it is about to let others run.  Baton held. */
static inline void nic_room_tell(struct nic *n)
{
    /* between the lines given back and this look: pairs with the fence of who asks */
    atomic_signal_fence(memory_order_seq_cst);
    if (unlikely(atomic_load_explicit(&n->own->attention, memory_order_relaxed) & NIC_ROOM_WANTED))
        nic_room_tell_some(n);
}

#endif
