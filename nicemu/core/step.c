/* The NIC's loop and the doors to it. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>

#include "core/baton.h"
#include "model/state.h"
#include "remote/packets.h"

enum { PACKETS_PER_TURN = 8 };

/* Hosts that sleep compare the count with what they saw before. */
static inline void note_event(struct nic *n)
{
    if (unlikely(n->shared || n->thread_started))
        atomic_fetch_add_explicit(&n->events, 1, memory_order_relaxed);
}

static bool execute_commands(struct nic *n)
{
    struct nic_command c;
    bool moved = false;
    while (nic_cmdq_pop(&n->cmdq, &c)) {
        NIC_CHARGE(n, COMMAND, 1);
        n->program->command(n->context, &c);
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
    bool moved = n->hw_busy && nic_remote_advance(n);
    if (n->pgas)
        moved |= nic_pgas_advance(n);
    if (n->active > n->hw_busy)
        moved |= n->program->advance(n->context);
    return moved;
}

bool nic_step(struct nic *n)
{
    nic_baton_check(n);
    if (unlikely(n->model != NULL))
        return nic_model_step(n);
    bool moved = n->link->poll(n);
    for (unsigned more = PACKETS_PER_TURN - 1; moved && more && n->link->poll(n); more--)
        ;
    if (unlikely(nic_cmdq_pending(&n->cmdq)))
        moved |= execute_commands(n);
    if (unlikely((n->active > 0) | (n->pgas != NULL)))
        moved |= nic_engine_advance(n);
    if (moved)
        note_event(n);
    NIC_COUNT(n, turns, 1);
    return moved;
}

int nic_send(struct nic *n, unsigned peer, const struct nic_message *m)
{
    nic_baton_check(n);
    if (unlikely(m->type >= NIC_HW_FIRST))
        return -EINVAL;
    return n->link->send(n, peer, m, false);
}

int nic_send_service(struct nic *n, unsigned peer, const struct nic_message *m)
{
    nic_baton_check(n);
    if (unlikely(m->type >= NIC_HW_FIRST))
        return -EINVAL;
    return n->link->send(n, peer, m, true);
}

bool nic_match(struct nic *n, struct nic_alpu *alpu, uint64_t bits, uint64_t mask, uint32_t *tag)
{
    size_t position = nic_alpu_count(alpu);
    bool hit = nic_alpu_match(alpu, bits, mask, tag, &position);
    NIC_CHARGE(n, MATCH, 1);
    NIC_CHARGE(n, MATCH_ENTRY, position + hit);
    return hit;
}

void nic_refresh_careful(struct nic *n)
{
    enum { MODEL = NIC_CAREFUL_SHARED | NIC_CAREFUL_FENCE | NIC_CAREFUL_LEAVE | NIC_CAREFUL_MOVE | NIC_CAREFUL_MODEL };
    uint32_t careful = (n->shared ? NIC_CAREFUL_SHARED : 0) | (n->asymmetric ? 0 : NIC_CAREFUL_FENCE) | (n->service > 0 ? NIC_CAREFUL_LEAVE : 0)
                       | (n->active > 0 || n->pgas || n->clock || !n->inbox_link ? NIC_CAREFUL_MOVE : 0);
    __atomic_store_n(&n->front.careful, n->model ? MODEL : careful, __ATOMIC_RELAXED);
}

/* A host that had the lock among hosts in vain, since the NIC thread is inside, looks for commands when it has given it back:
 * another host may have found it taken and left its command to us.  The thread, if it is still inside then, looks after it. */
static bool host_try(struct nic *n)
{
    do {
        if (n->shared && atomic_exchange_explicit(&n->host_lock, 1, memory_order_acquire))
            return false;
        __atomic_store_n(&n->front.host_in, 1, __ATOMIC_SEQ_CST);
        atomic_thread_fence(memory_order_seq_cst);
        if (!__atomic_load_n(&n->front.thread_in, __ATOMIC_ACQUIRE))           /* B3 */
            return true;
        nic_baton_give(n);
        if (!n->shared)
            return false;
        atomic_thread_fence(memory_order_seq_cst);      /* pairs with nic_submit's */
    } while (nic_cmdq_pending(&n->cmdq) && !__atomic_load_n(&n->front.thread_in, __ATOMIC_RELAXED));
    return false;
}

bool nic_try_enter_careful(struct nic *n)
{
    if (n->model) {
        nic_model_enter(n);
        return true;
    }
    if (!host_try(n))
        return false;
    __atomic_store_n(&n->front.queued, 0, __ATOMIC_RELAXED);
    while (nic_cmdq_pending(&n->cmdq))      /* what a host left before comes before what this one is about to do */
        if (!execute_commands(n))
            sched_yield();                  /* one is being pushed, and behind it may be one of ours */
    return true;
}

void nic_enter_wait(struct nic *n)
{
    atomic_fetch_add(&n->host_wants, 1);
    for (unsigned spins = 0; !nic_try_enter(n); spins++)
        if (spins % 64 == 63)
            sched_yield();
    atomic_fetch_sub(&n->host_wants, 1);
}

/* The host goes away while requests need service: the NIC thread takes over.  True: there is work for it now. */
static bool hand_over(struct nic *n)
{
    if (n->progress == NIC_PROGRESS_HOST || nic_thread_start(n))
        return false;
    NIC_COUNT(n, handovers, 1);
    if (!n->armed) {
        n->armed = true;
        atomic_fetch_or(&n->own->attention, NIC_ARMED);     /* locked: comes before the look into the inbox */
    }
    return nic_has_work(n);
}

/* The host has gone: counted, and then a look at the thread, which does it the other way round before it sleeps.  Not before the
 * baton is back: a thread that found it taken would take the departure for one before that.  For the same reason a thread that
 * sleeps is no proof that it has seen what came between our look for work and here: its sender may have rung it while we were still
 * inside. */
static void depart(struct nic *n, bool work)
{
    atomic_fetch_add(&n->departures, 1);
    if (atomic_load(&n->thread_asleep) && (work || n->link->coming(n)))
        nic_doorbell_ring(n->own, NIC_BELL_THREAD);
}

/* Hosts that sleep while somebody else may have completed what they wait for. */
static void wake_parked(struct nic *n)
{
    atomic_thread_fence(memory_order_seq_cst);      /* pairs with the fence between parked++ and the look at events */
    if (atomic_load_explicit(&n->parked, memory_order_relaxed))
        nic_doorbell_ring(n->own, NIC_BELL_HOST);
}

void nic_leave_careful(struct nic *n)
{
    if (n->model) {
        nic_model_leave(n);
        return;
    }
    bool shared = n->shared, away = n->service > 0, work = away && hand_over(n);
    nic_baton_give(n);
    if (away)
        depart(n, work);
    if (unlikely(shared)) {
        wake_parked(n);
        /* a command pushed just before we gave the baton back, by a host that saw it taken */
        while (nic_cmdq_pending(&n->cmdq) && nic_try_enter(n))
            nic_baton_give(n);
    }
}

void nic_share(struct nic *n)
{
    nic_baton_check(n);
    if (n->model)
        nic_model_share(n);
    n->shared = true;
    atomic_store_explicit(&n->host_lock, 1, memory_order_relaxed);      /* ours, as host_in is; nic_leave releases both */
    nic_refresh_careful(n);
}

void nic_submit(struct nic *n, const struct nic_command *c)
{
    if (unlikely(n->model != NULL)) {
        NIC_COUNT(n, commands, 1);
        nic_model_submit(n, c);
        return;
    }
    for (;;) {
        if (nic_try_enter(n)) {
            NIC_CHARGE(n, COMMAND, 1);
            n->program->command(n->context, c);
            NIC_COUNT(n, commands, 1);
            nic_leave(n);
            return;
        }
        if (nic_cmdq_push(&n->cmdq, c))
            break;
        sched_yield();
    }
    __atomic_store_n(&n->front.queued, 1, __ATOMIC_RELAXED);
    atomic_thread_fence(memory_order_seq_cst);      /* pairs with the fence after giving the baton: one of us executes it */
    if (nic_try_enter(n))
        nic_leave(n);
}

void nic_active(struct nic *n, int change)
{
    nic_baton_check(n);
    n->active += change;
    if (unlikely(n->model != NULL) && change > 0)
        nic_model_activate(n);
    nic_refresh_careful(n);
}

void nic_service(struct nic *n, int change)
{
    nic_baton_check(n);
    n->service += change;
    nic_refresh_careful(n);
}

bool nic_on_thread(const struct nic *n) { return n->by_thread; }
unsigned nic_rank(const struct nic *n) { return n->rank; }
unsigned nic_ranks(const struct nic *n) { return n->ranks; }
bool nic_oversubscribed(const struct nic *n) { return n->oversubscribed && !n->clock; }
bool nic_has_thread(const struct nic *n) { return n->progress != NIC_PROGRESS_HOST; }
bool nic_modelled(const struct nic *n) { return n->clock != NULL; }
