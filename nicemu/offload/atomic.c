/* Remote atomic operations: done here where the word is in reach, else by the target's NIC, once,
 * however often the request arrives.
 *
 * Requests from one rank to another are numbered.  Number s takes slot s % NIC_ATOMIC_WINDOW at
 * both ends and starts when its slot at the initiator is free, that is, when the answer to s -
 * NIC_ATOMIC_WINDOW has come.  So what the target keeps in the slot is no longer asked for when s
 * arrives there; what it finds in the slot itself is the answer to a request that came before, and
 * one that is older than the slot's was answered long ago. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/baton.h"
#include "offload/atomic_op.h"
#include "offload/atomics.h"
#include "offload/guard.h"
#include "remote/counters.h"
#include "remote/packets.h"
#include "remote/reach.h"
#include "nicemu/counter.h"
#include "nicemu/machines.h"

/* wire */
struct atomic_request { uint8_t op, type, pad[2]; uint32_t key; uint64_t offset, operand, compare;
                        };
struct atomic_reply { uint64_t value; int32_t status; uint32_t pad; };
static_assert(sizeof(struct atomic_request) == 32, "wire layout");
static_assert(sizeof(struct atomic_request) <= NIC_HW_HEAD_MAX, "fits a head");
static_assert(sizeof(struct atomic_reply) == 16, "wire layout");

/* One of our own that goes by packet. */
struct request {
    struct request *next;
    struct atomic_request wire;
    struct nic_outcome *outcome;
    void *result;
    uint64_t counter;
    uint32_t sequence;
};

struct result { struct atomic_reply reply; uint32_t sequence; bool known; };

/* What we have to do with one other rank.  Owner: baton. */
struct nic_atomic_peer {
    uint32_t sequence;                              /* of the last request that was started */
    struct request *started[NIC_ATOMIC_WINDOW];
    struct request *first, **end;                   /* those that wait for a slot */
    struct result result[NIC_ATOMIC_WINDOW];        /* of its requests to us */
};

static struct nic_atomic_peer *peer_of(struct nic *n, uint32_t rank)
{
    struct nic_atomic_peer **p = &n->peer[rank].atomics;
    if (!*p && (*p = calloc(1, sizeof **p)))
        (*p)->end = &(*p)->first;
    return *p;
}

static uint64_t match_of(uint32_t rank, uint32_t sequence)
{
    return (uint64_t)rank << 32 | sequence;
}

/* -- the operation */

/* Whether the word has to be written back. */
static bool changes(unsigned op, unsigned bytes, uint64_t compare, uint64_t old)
{
    return op != NIC_ATOMIC_COMPARE || (bytes == 4 ? (uint32_t)compare == (uint32_t)old
                                        : compare == old);
}

static int perform(struct nic *n, const struct nic_address *target, unsigned op, unsigned type,
                   uint64_t operand, uint64_t compare, uint64_t *old)
{
    unsigned bytes = nic_atomic_bytes(type);
    void *word;
    if (!nic_atomic_exists(op, type))
        return -EINVAL;
    int rc = nic_reach(n, target, bytes, NIC_RIGHT_ATOMIC, &word);
    if (rc)
        return rc;
    if ((uintptr_t)word % bytes)
        return -EINVAL;
    struct nic_mutex *mutex = nic_mutex_of(n, target->key);
    if (unlikely(mutex != NULL))
        nic_mutex_enter_nic(n, mutex);
    const bool across_bus = target->key != NIC_KEY_SCRATCHPAD;
    if (across_bus)
        NIC_CHARGE_SOME(n, WORD_READ, 1);
    NIC_CHARGE(n, ATOMIC, 1);
    *old = nic_atomic_apply(word, op, type, operand, compare);
    if (across_bus && changes(op, bytes, compare, *old))
        NIC_CHARGE_SOME(n, WORD_WRITE, 1);
    if (unlikely(mutex != NULL))
        nic_mutex_leave_nic(n, mutex);
    NIC_COUNT(n, atomics, 1);
    nic_notify(n, target->rank);
    return 0;
}

/* The waiter may be gone as soon as it sees the status. */
static void end_outcome(struct nic_outcome *o, int status)
{
    void (*done)(void *context, int status) = o->done;
    void *context = o->context;
    __atomic_store_n(&o->status, status, __ATOMIC_RELEASE);    /* pairs with nic_outcome_status */
    if (done)
        done(context, status);
}

static void finish(struct nic *n, unsigned type, void *result, uint64_t counter,
                   struct nic_outcome *outcome, int status, uint64_t old)
{
    uint32_t low = (uint32_t)old;
    if (!status && result)
        memcpy(result, nic_atomic_bytes(type) == 4 ? (void *)&low : (void *)&old,
               nic_atomic_bytes(type));
    if (!status)
        nic_counter_add(n, n->rank, counter, 1);
    if (outcome)
        end_outcome(outcome, status);
}

/* -- the initiator */

static void start(struct nic *n, uint32_t rank, struct nic_atomic_peer *p)
{
    struct request *r = p->first;
    if (!(p->first = r->next))
        p->end = &p->first;
    r->sequence = ++p->sequence;
    p->started[r->sequence % NIC_ATOMIC_WINDOW] = r;
    nic_hw_send(n, rank, NIC_HW_ATOMIC, match_of(n->rank, r->sequence), &r->wire, sizeof r->wire,
                NULL, 0);
}

static void start_waiting(struct nic *n, uint32_t rank, struct nic_atomic_peer *p)
{
    while (p->first && !p->started[(p->sequence + 1) % NIC_ATOMIC_WINDOW])
        start(n, rank, p);
}

/* While answers are due the NIC thread takes them if the host is away. */
static int ask(struct nic *n, const struct nic_atomic *a, struct nic_outcome *outcome)
{
    struct nic_atomic_peer *p = peer_of(n, a->target.rank);
    struct request *r = p ? malloc(sizeof *r) : NULL;
    if (!r)
        return -ENOMEM;
    *r = (struct request){ .outcome = outcome, .result = a->result, .counter = a->counter,
                           .wire = { .op = (uint8_t)a->op, .type = (uint8_t)a->type,
                                     .key = a->target.key, .offset = a->target.offset,
                                     .operand = a->operand, .compare = a->compare } };
    if (outcome)
        __atomic_store_n(&outcome->status, -EINPROGRESS, __ATOMIC_RELAXED);
    *p->end = r;
    p->end = &r->next;
    nic_hold_service(n, 1);
    start_waiting(n, a->target.rank, p);
    return 0;
}

static bool sound(const struct nic *n, const struct nic_atomic *a)
{
    return (unsigned)a->op < NIC_ATOMIC_OP_COUNT && nic_atomic_exists(a->op, a->type)
           && a->target.rank < n->ranks
           && (a->counter == NIC_SPAD_NONE || nic_counter_own(n, a->counter));
}

int nic_atomic(struct nic *n, const struct nic_atomic *a, struct nic_outcome *outcome)
{
    uint64_t old = 0;
    nic_baton_check(n);
    nic_catch_up(n);
    if (!sound(n, a))
        return -EINVAL;
    int status = nic_in_reach(n, a->target.rank) ? perform(n, &a->target, a->op, a->type,
                                                           a->operand, a->compare, &old) : -EREMOTE;
    if (status == -EREMOTE && unlikely(n->wires != NULL) && nic_lost(n, a->target.rank))
        status = -EHOSTDOWN;
    if (status == -EREMOTE)
        return ask(n, a, outcome);
    finish(n, a->type, a->result, a->counter, outcome, status, old);
    return 0;
}

int nic_atomic_wait(struct nic *n, const struct nic_atomic *a)
{
    struct nic_outcome outcome = { .done = NULL };
    int rc = nic_atomic(n, a, &outcome);
    return rc ? rc : nic_outcome_wait(n, &outcome);
}

void nic_atomic_answered(struct nic *n, const struct nic_packet *packet)
{
    struct atomic_reply reply;
    uint64_t rank = packet->match >> 32;
    uint32_t sequence = (uint32_t)packet->match;
    if (!nic_hw_whole(n, packet, nic_atomic_answered))
        return;
    struct nic_atomic_peer *p = rank < n->ranks ? n->peer[rank].atomics : NULL;
    struct request *r = p ? p->started[sequence % NIC_ATOMIC_WINDOW] : NULL;
    /* an answer that came before, say */
    if (packet->length != sizeof reply || !r || r->sequence != sequence) {
        nic_hw_drop(n);
        return;
    }
    memcpy(&reply, packet->head, sizeof reply);
    p->started[sequence % NIC_ATOMIC_WINDOW] = NULL;
    nic_hold_service(n, -1);
    start_waiting(n, (uint32_t)rank, p);
    finish(n, r->wire.type, r->result, r->counter, r->outcome,
           nic_hw_status(reply.status), reply.value);
    free(r);
}

/* -- lost ranks */

static void lose(struct nic *n, struct request *r)
{
    nic_hold_service(n, -1);
    finish(n, r->wire.type, r->result, r->counter, r->outcome, -EHOSTDOWN, 0);
    free(r);
}

/* Whoever is told of an end may ask for more, of this rank in vain: nothing joins these. */
static bool lose_all(struct nic *n, struct nic_atomic_peer *p)
{
    bool some = p->first;
    for (unsigned i = 0; i < NIC_ATOMIC_WINDOW; i++) {
        struct request *r = p->started[i];
        p->started[i] = NULL;
        some |= r != NULL;
        if (r)
            lose(n, r);
    }
    while (p->first) {
        struct request *r = p->first;
        if (!(p->first = r->next))
            p->end = &p->first;
        lose(n, r);
    }
    return some;
}

bool nic_atomics_lose(struct nic *n)
{
    bool some = false;
    for (unsigned i = 0; i < n->ranks; i++)
        if (n->peer[i].atomics && nic_lost(n, i))
            some |= lose_all(n, n->peer[i].atomics);
    return some;
}

/* -- the target */

static struct atomic_reply answer(struct nic *n, const struct atomic_request *q)
{
    struct nic_address target = { .rank = n->rank, .key = q->key, .offset = q->offset };
    struct atomic_reply reply = { .value = 0 };
    reply.status = perform(n, &target, q->op, q->type, q->operand, q->compare, &reply.value);
    return reply;
}

void nic_atomic_asked(struct nic *n, const struct nic_packet *packet)
{
    struct atomic_request q;
    uint64_t rank = packet->match >> 32;
    uint32_t sequence = (uint32_t)packet->match;
    if (!nic_hw_whole(n, packet, nic_atomic_asked))
        return;
    struct nic_atomic_peer *p = packet->length == sizeof q && rank < n->ranks
                                ? peer_of(n, (uint32_t)rank) : NULL;
    struct result *r = p ? &p->result[sequence % NIC_ATOMIC_WINDOW] : NULL;
    if (!r || (r->known && (int32_t)(sequence - r->sequence) < 0)) {
        nic_hw_drop(n);
        return;
    }
    memcpy(&q, packet->head, sizeof q);
    if (r->known && r->sequence == sequence)
        n->counts.atomic_repeats++;
    else
        *r = (struct result){ .reply = answer(n, &q), .sequence = sequence, .known = true };
    nic_hw_send(n, (uint32_t)rank, NIC_HW_ATOMIC_REPLY, match_of(n->rank, sequence), &r->reply,
                sizeof r->reply, NULL, 0);
}

/* -- the end: nobody waits any more */

static void forget(struct nic_atomic_peer *p)
{
    for (unsigned i = 0; i < NIC_ATOMIC_WINDOW; i++)
        free(p->started[i]);
    while (p->first) {
        struct request *r = p->first;
        p->first = r->next;
        free(r);
    }
    free(p);
}

void nic_atomics_close(struct nic *n)
{
    for (uint32_t r = 0; n->peer && r < n->ranks; r++)
        if (n->peer[r].atomics)
            forget(n->peer[r].atomics);
}
