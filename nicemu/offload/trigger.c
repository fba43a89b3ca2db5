/* Chains of operations that counters trigger.
 *
 * A chain that is due stands in a list, first fired first; `due` says how often.  The list is
 * worked off by whoever fires the first, up to a limit, and for the rest in turns of the engine: so
 * neither a ring of counters that fire each other nor one that fires itself keeps the engine from
 * the inbox, and none recurses. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/baton.h"
#include "offload/triggers.h"
#include "remote/counters.h"
#include "remote/packets.h"
#include "nicemu/atomic.h"
#include "nicemu/counter.h"
#include "nicemu/queue.h"
#include "nicemu/trigger.h"

enum { OPERATIONS_PER_TURN = 64 };

/* What a counter triggers.  Owner: baton. */
struct nic_chain {
    struct nic_chain *next;         /* in the list of those that are due */
    /* times that it is to be executed; above 0: in that list, or running */
    uint64_t due;
    uint32_t count, position;
    bool dropped;                   /* in the middle of its execution */
    struct nic_operation operation[];
};

static void noted(void *context, int status)
{
    struct nic_counts *counts = context;
    counts->trigger_failures += status != 0;
}

uint64_t nic_trigger_failures(const struct nic *n) { return n->counts.trigger_failures; }

/* -- operations */

static int call(struct nic *n, void *cookie)
{
    NIC_CHARGE(n, DISPATCH, 1);
    n->program->counter(n, n->context, cookie);
    return 0;
}

/* A failure that shows later is noted by the outcome, which
 * all share: nobody looks at its status. */
static int start(struct nic *n, const struct nic_operation *o)
{
    struct nic_outcome *outcome = &n->counters->outcome;
    switch (o->kind) {
    case NIC_OPERATION_PUT: return nic_put(n, &o->transfer, outcome);
    case NIC_OPERATION_GET: return nic_get(n, &o->transfer, outcome);
    case NIC_OPERATION_STORE: return nic_store(n, o->store.rank, o->store.offset, o->store.value,
                                               o->store.bytes);
    case NIC_OPERATION_WRITE: return nic_message_write(n, o->message.rank, o->message.place,
                                                       o->message.word, o->message.count);
    case NIC_OPERATION_MESSAGE: return nic_message_send(n, o->message.rank, o->message.word,
                                                        o->message.count);
    case NIC_OPERATION_QUEUE: return nic_queue_send(n, o->message.rank, o->message.place,
                                                    o->message.word, o->message.count);
    case NIC_OPERATION_ATOMIC: return nic_atomic(n, &o->atomic, outcome);
    case NIC_OPERATION_ADD: return nic_counter_add(n, o->add.rank, o->add.counter, o->add.amount);
    case NIC_OPERATION_EXPECT: return nic_counter_expect(n, o->add.counter, o->add.amount);
    case NIC_OPERATION_CALL: return call(n, o->cookie);
    default: return -EINVAL;
    }
}

/* -- the list of chains that are due */

static void append(struct nic_counters *all, struct nic_chain *c)
{
    c->next = NULL;
    *(all->first_due ? &all->last_due->next : &all->first_due) = c;
    all->last_due = c;
}

static void take_out(struct nic_counters *all, struct nic_chain *c)
{
    struct nic_chain *before = NULL, *at = all->first_due;
    for (; at && at != c; before = at, at = at->next)
        ;
    if (!at)
        return;
    *(before ? &before->next : &all->first_due) = c->next;
    if (all->last_due == c)
        all->last_due = before;
}

/* Goes on with a chain until its end, until it finds no room, or as far as the budget goes. */
static void go_on(struct nic *n, struct nic_chain *c, unsigned *budget, bool *moved)
{
    for (; c->position < c->count && *budget && !c->dropped; c->position++) {
        --*budget;
        int rc = start(n, &c->operation[c->position]);
        if (rc == -EAGAIN)
            return;
        *moved = true;
        n->counts.trigger_failures += rc != 0;
    }
}

/* A chain has had its turn: it is at its end, or goes on behind the others. */
static void put_back(struct nic_counters *all, struct nic_chain *c)
{
    if (c->dropped) {
        free(c);
        return;
    }
    if (c->position == c->count) {
        c->position = 0;
        c->due--;
    }
    if (c->due)
        append(all, c);
}

/* While chains are due the engine comes back to them. */
static void stay_busy(struct nic *n)
{
    struct nic_counters *all = n->counters;
    if (all->busy == (all->first_due != NULL))
        return;
    all->busy = !all->busy;
    nic_hw_busy(n, all->busy ? 1 : -1);
}

bool nic_triggers_advance(struct nic *n)
{
    struct nic_counters *all = n->counters;
    unsigned budget = OPERATIONS_PER_TURN;
    bool moved = false;
    /* called again from within an operation: the outer call comes back to it */
    if (!all || all->running)
        return false;
    while (all->first_due && budget) {
        struct nic_chain *c = all->running = all->first_due;
        take_out(all, c);
        go_on(n, c, &budget, &moved);
        all->running = NULL;
        put_back(all, c);
    }
    stay_busy(n);
    return moved;
}

static void fired(struct nic *n, struct nic_counter *counter)
{
    struct nic_chain *c = counter->chain;
    if (!c)
        return;
    if (!c->due++)
        append(n->counters, c);
    nic_triggers_advance(n);
}

/* -- chains */

static void drop_chain(struct nic *n, struct nic_counter *counter)
{
    struct nic_chain *c = counter->chain;
    if (!c)
        return;
    counter->chain = NULL;
    counter->hook = NULL;
    atomic_store_explicit(&counter->line->triggers, 0, memory_order_relaxed);
    nic_hold_service(n, -1);
    if (n->counters->running == c) {
        c->dropped = true;          /* put_back frees it */
        return;
    }
    take_out(n->counters, c);
    free(c);
    stay_busy(n);
}

static bool sound(const struct nic *n, const struct nic_operation *o)
{
    return (unsigned)o->kind < NIC_OPERATION_KINDS
           && (o->kind != NIC_OPERATION_CALL || n->program->counter);
}

static const struct nic_counter_hook hook = { .fired = fired, .drop = drop_chain };

int nic_counter_trigger(struct nic *n, uint64_t counter, const struct nic_operation *operations,
                        unsigned count)
{
    nic_baton_check(n);
    nic_catch_up(n);
    struct nic_counter *owner = nic_counter_own(n, counter);
    if (!owner)
        return -EINVAL;
    if (count > NIC_CHAIN_MAX)
        return -E2BIG;
    for (unsigned i = 0; i < count; i++)
        if (!sound(n, &operations[i]))
            return -EINVAL;
    struct nic_chain *c = count ? malloc(sizeof *c + count * sizeof *operations) : NULL;
    if (count && !c)
        return -ENOMEM;
    drop_chain(n, owner);
    if (!c)
        return 0;
    *c = (struct nic_chain){ .count = count };
    memcpy(c->operation, operations, count * sizeof *operations);
    n->counters->outcome.done = noted;
    n->counters->outcome.context = &n->counts;
    owner->chain = c;
    owner->hook = &hook;
    nic_hold_service(n, 1);
    /* pairs with the look in fire: who counts next, knows */
    atomic_store_explicit(&owner->line->triggers, count, memory_order_release);
    return 0;
}
