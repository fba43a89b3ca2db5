/* Who waits for room in a peer's inbox is rung when there is some: room.h. */
#include "core/room.h"

#include "core/doorbell.h"

/* Each that is rung may fill the inbox by itself, and takes a turn from its owner. */
enum { TOLD_AT_ONCE = 2 };

void nic_room_ask(struct nic *n, unsigned peer)
{
    atomic_store(&n->own->wants_room, peer + 1);
    atomic_fetch_or(&n->publics[peer].attention, NIC_ROOM_WANTED);
}

bool nic_room_is_there(const struct nic *n, const struct nic_refusal *refused)
{
    return nic_ring_has_room(n->peer[refused->by - 1].ring, refused->lines);
}

void nic_room_forget(struct nic *n) { atomic_store(&n->own->wants_room, 0); }

static bool is_asked_by(struct nic *n, unsigned rank)
{
    uint32_t us = n->rank + 1;
    struct nic_public *p = &n->publics[rank];
    return atomic_load_explicit(&p->wants_room, memory_order_relaxed) == us
           && atomic_compare_exchange_strong(&p->wants_room, &us, 0);
}

/* Goes on with the one behind whom it rang last, so that all have their turn. */
void nic_room_tell_some(struct nic *n)
{
    unsigned told = 0;
    /* before the looks: who asks behind them sets it again */
    atomic_fetch_and(&n->own->attention, ~(uint32_t)NIC_ROOM_WANTED);
    for (unsigned i = 0; i < n->ranks; i++) {
        if (++n->told_room >= n->ranks)
            n->told_room = 0;
        if (!is_asked_by(n, n->told_room))
            continue;
        nic_doorbell_ring(&n->publics[n->told_room], NIC_BELL_HOST);
        NIC_COUNT(n, bells_room, 1);
        if (++told == TOLD_AT_ONCE) {       /* there may be more */
            atomic_fetch_or(&n->own->attention, NIC_ROOM_WANTED);
            return;
        }
    }
}
