/* The NIC's loop and the doors to it. */
#define _GNU_SOURCE
#include <sched.h>

#include "baton.h"

bool nic_step(struct nic *n)
{
    bool moved = n->link->poll(n);
    if (unlikely(nic_cmdq_pending(&n->cmdq))) {
        struct nic_command c;
        while (nic_cmdq_pop(&n->cmdq, &c)) {
            NIC_CHARGE(n, COMMAND, 1);
            n->program->command(n->context, &c);
            moved = true;
        }
    }
    if (unlikely(n->active > 0))
        moved |= n->program->advance(n->context);
    if (unlikely(moved && (n->shared || n->thread_started)))
        atomic_fetch_add_explicit(&n->events, 1, memory_order_relaxed);
    return moved;
}

int nic_send(struct nic *n, unsigned peer, const struct nic_message *m) { return n->link->send(n, peer, m, false); }
int nic_send_service(struct nic *n, unsigned peer, const struct nic_message *m) { return n->link->send(n, peer, m, true); }

bool nic_match(struct nic *n, struct nic_alpu *alpu, uint64_t bits, uint64_t mask, uint32_t *tag)
{
    size_t position = nic_alpu_count(alpu);
    if (likely(!n->clock))
        return nic_alpu_match(alpu, bits, mask, tag, NULL);
    bool hit = nic_alpu_match(alpu, bits, mask, tag, &position);
    NIC_CHARGE(n, MATCH, 1);
    NIC_CHARGE(n, MATCH_ENTRY, position + hit);
    return hit;
}

bool nic_try_enter(struct nic *n) { return nic_baton_try(n); }

void nic_enter(struct nic *n)
{
    if (likely(nic_baton_try(n)))
        return;
    atomic_fetch_add(&n->host_wants, 1);
    for (unsigned spins = 0; !nic_baton_try(n); spins++)
        if (spins % 64 == 63)
            sched_yield();
    atomic_fetch_sub(&n->host_wants, 1);
}

/* The host goes away while requests need service: the NIC thread takes over.  True: it has to be rung. */
static bool hand_over(struct nic *n)
{
    if (n->progress == NIC_PROGRESS_HOST || nic_thread_start(n))
        return false;
    if (!n->armed) {
        n->armed = true;
        atomic_fetch_or(&n->own->attention, NIC_ARMED);     /* locked: comes before the look into the inbox */
    }
    return nic_has_work(n);
}

/* Hosts that sleep while somebody else may have completed what they wait for. */
static void wake_parked(struct nic *n)
{
    atomic_thread_fence(memory_order_seq_cst);      /* pairs with the fence between parked++ and the look at events */
    if (atomic_load_explicit(&n->parked, memory_order_relaxed))
        nic_doorbell_ring(n->own, NIC_BELL_HOST);
}

void nic_leave(struct nic *n)
{
    bool ring = unlikely(n->service > 0) && hand_over(n);
    bool shared = n->shared;
    nic_baton_give(n);
    if (unlikely(ring))
        nic_doorbell_ring(n->own, NIC_BELL_THREAD);
    if (unlikely(shared)) {
        wake_parked(n);
        /* a command pushed just before we gave the baton back, by a host that saw it taken */
        while (nic_cmdq_pending(&n->cmdq) && nic_baton_try(n)) {
            nic_step(n);
            nic_baton_give(n);
        }
    }
}

void nic_share(struct nic *n) { n->shared = true; }

void nic_submit(struct nic *n, const struct nic_command *c)
{
    for (;;) {
        if (nic_baton_try(n)) {
            while (nic_cmdq_pending(&n->cmdq))
                nic_step(n);
            NIC_CHARGE(n, COMMAND, 1);
            n->program->command(n->context, c);
            nic_leave(n);
            return;
        }
        if (nic_cmdq_push(&n->cmdq, c))
            break;
        sched_yield();
    }
    atomic_thread_fence(memory_order_seq_cst);      /* pairs with the fence after giving the baton: one of us executes it */
    if (nic_baton_try(n)) {
        nic_step(n);
        nic_leave(n);
    }
}

void nic_active(struct nic *n, int change) { n->active += change; }
void nic_service(struct nic *n, int change) { n->service += change; }
unsigned nic_rank(const struct nic *n) { return n->rank; }
unsigned nic_ranks(const struct nic *n) { return n->ranks; }
bool nic_oversubscribed(const struct nic *n) { return n->oversubscribed; }
