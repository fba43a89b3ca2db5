/* The NIC's loop, and what its handlers ask for. */
#include "core/step.h"

#include <errno.h>

#include "core/baton.h"
#include "core/demand.h"

enum { PACKETS_PER_TURN = 8 };

/* Hosts that sleep compare the count with what they saw before.  Only the baton's holder writes. */
static inline void note_event(struct nic *n)
{
    uint32_t events = atomic_load_explicit(&n->events, memory_order_relaxed);
    atomic_store_explicit(&n->events, events + 1, memory_order_relaxed);
}

void nic_moved(struct nic *n)
{
    nic_baton_check(n);
    note_event(n);
}

/* The short way takes no turn, and counts by itself. */
uint64_t nic_moves(const struct nic *n)
{
    nic_baton_check(n);
    return atomic_load_explicit(&n->events, memory_order_relaxed)
           + n->stats.value[NIC_STAT_receives_short];
}

bool nic_execute_commands(struct nic *n)
{
    struct nic_command c;
    bool moved = false;
    while (nic_cmdq_pop(&n->cmdq, &c)) {
        n->program->command(n, n->context, &c);
        NIC_COUNT(n, commands, 1);
        moved = true;
    }
    if (moved)
        note_event(n);
    return moved;
}

/* The firmware's requests, and the hardware's. */
bool nic_engine_advance(struct nic *n)
{
    bool moved = (n->hw_busy || n->pgas) && n->units->advance(n);
    if (n->active > n->hw_busy)
        moved |= n->program->advance(n, n->context);
    return moved;
}

bool nic_step(struct nic *n)
{
    nic_baton_check(n);
    if (unlikely(n->model != NULL))
        return n->model_ops->step(n);
    bool moved = n->link->poll(n);
    for (unsigned more = PACKETS_PER_TURN - 1; moved && more && n->link->poll(n); more--)
        ;
    if (unlikely(nic_cmdq_pending(&n->cmdq)))
        moved |= nic_execute_commands(n);
    if (unlikely((n->active > 0) | (n->pgas != NULL)))
        moved |= nic_engine_advance(n);
    if (moved)
        note_event(n);
    NIC_COUNT(n, turns, 1);
    return moved;
}

/* Behind packets that are kept for the peer, and not while it keeps too many itself. */
static nic_noinline bool is_held(struct nic *n, unsigned peer)
{
    struct nic_peer *p = &n->peer[peer];
    uint32_t attention = atomic_load_explicit(&n->publics[peer].attention, memory_order_relaxed);
    if (p->clogged && !(attention & NIC_CLOGGED)) {
        p->clogged = false;
        n->held--;
        nic_refresh_slow_reasons(n);
    }
    return p->posts || p->clogged;
}

static int send(struct nic *n, unsigned peer, const struct nic_tx *m, bool service)
{
    nic_baton_check(n);
    if (unlikely(m->type >= NIC_HW_FIRST))
        return -EINVAL;
    if (unlikely(n->held) && is_held(n, peer))
        return -EAGAIN;
    return n->link->send(n, peer, m, service);
}

int nic_send(struct nic *n, unsigned peer, const struct nic_tx *m)
{
    return send(n, peer, m, false);
}

int nic_send_service(struct nic *n, unsigned peer, const struct nic_tx *m)
{
    return send(n, peer, m, true);
}

bool nic_match(struct nic *n, struct nic_match_list *list, uint64_t bits, uint64_t mask,
               uint32_t *tag)
{
    size_t position = nic_match_list_count(list);
    bool hit = nic_match_list_match(list, bits, mask, tag, &position);
    NIC_CHARGE(n, MATCH, 1);
    NIC_CHARGE(n, MATCH_ENTRY, position + hit);
    return hit;
}

unsigned nic_packet_source(const struct nic *n) { return n->source; }
bool nic_on_thread(const struct nic *n) { return n->by_thread; }
unsigned nic_rank(const struct nic *n) { return n->rank; }
unsigned nic_ranks(const struct nic *n) { return n->ranks; }
unsigned nic_machine(const struct nic *n, unsigned rank) { return nic_job_machine(n->job, rank); }
bool nic_has_far_ranks(const struct nic *n) { return n->job->place; }
bool nic_is_here(const struct nic *n, unsigned rank) { return nic_job_is_here(n->job, rank); }
/* Ranks choose algorithms by it, so all must have the same answer; machines have their own. */
bool nic_oversubscribed(const struct nic *n)
{
    return n->oversubscribed && !n->clock && !n->job->place;
}
unsigned nic_ranks_per_core(const struct nic *n)
{
    return n->clock ? 0 : n->job->layout.here / n->job->layout.cores;
}
bool nic_has_thread(const struct nic *n) { return n->progress != NIC_PROGRESS_HOST; }
bool nic_modelled(const struct nic *n) { return n->clock != NULL; }
