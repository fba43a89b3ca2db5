/* The hardware's own units, bound to the engine: their packets, their turns, their end. */
#include "units.h"

#include <assert.h>

#include "offload/atomics.h"
#include "offload/multi_send.h"
#include "offload/pgas.h"
#include "offload/queue_credit.h"
#include "offload/triggers.h"
#include "remote/counters.h"
#include "remote/op.h"
#include "remote/packets.h"
#include "remote/post.h"
#include "remote/region.h"
#include "remote/staged.h"
#include "remote/store.h"
#include "remote/transfer.h"

/* In the order of NIC_HW_PACKETS. */
#define HANDLERS(X) \
    X(PUT, nic_staged_put_arrived) \
    X(GET, nic_staged_get_arrived) \
    X(PUT_REPLY, nic_staged_put_replied) \
    X(GET_REPLY, nic_staged_get_replied) \
    X(COUNT, nic_count_arrived) \
    X(FIRED, nic_fired_arrived) \
    X(STORE, nic_store_arrived) \
    X(WRITE, nic_write_arrived) \
    X(MESSAGE, nic_message_arrived) \
    X(QUEUE, nic_queue_arrived) \
    X(QUEUE_REPLY, nic_queue_replied) \
    X(ATOMIC, nic_atomic_asked) \
    X(ATOMIC_REPLY, nic_atomic_answered) \
    X(MULTI, nic_multi_arrived) \
    X(MULTI_LAST, nic_multi_arrived)

#define BOUND(name, handler) BOUND_##name,
enum { HANDLERS(BOUND) BOUND_END };
static_assert((int)BOUND_END == NIC_HW_END - NIC_HW_FIRST, "each packet has a handler");

#define HANDLER(name, handler) [NIC_HW_##name - NIC_HW_FIRST] = handler,
static nic_hw_handler *const handlers[256 - NIC_HW_FIRST] = { HANDLERS(HANDLER) };

static void deliver(struct nic *n, const struct nic_packet *p)
{
    nic_hw_handler *handler = handlers[p->type - NIC_HW_FIRST];
    n->counts.hw_received++;
    if (handler)
        handler(n, p);
    else
        nic_hw_drop(n);
}

static bool advance_requests(struct nic *n)
{
    bool moved = n->remote->backlogs && nic_hw_queues_advance(n);
    if (n->posts)
        moved |= nic_posts_advance(n);
    if (n->remote->ops)
        moved |= nic_transfers_advance(n);
    return nic_triggers_advance(n) || moved;
}

static bool advance(struct nic *n)
{
    bool moved = n->hw_busy && advance_requests(n);
    if (n->pgas)
        moved |= nic_pgas_advance(n);
    return moved;
}

static bool lose(struct nic *n)
{
    const bool moved = nic_transfers_lose(n);
    return nic_atomics_lose(n) || moved;
}

static const struct nic_units units = { .packet = deliver, .advance = advance,
                                        .pending = nic_pgas_pending, .lose = lose };

int nic_units_open(struct nic *n)
{
    n->units = &units;
    return nic_remote_open(n);
}

void nic_units_quit(struct nic *n)
{
    if (!n->remote)
        return;
    nic_hw_flush(n);
    nic_ops_close(n);
    nic_regions_close(n);
    nic_remote_close(n);
}

void nic_units_close(struct nic *n)
{
    nic_pgas_delete(n);
    nic_units_quit(n);
    nic_atomics_close(n);
    nic_queues_close(n);
    nic_counters_close(n);
}
