/* Counters: preset to minus the size, fired by the step to zero.
 *
 * Edges:
 *   K0 release of the addition (everybody who counts)     -> K1 acquire of the addition that fires:
 *   what was written before any part was counted
 *   K0                                                    -> K2 acquire of a look at the count
 *   K3 release store of a notification (after K1)         -> acquire load of the word by whoever
 *   waits for it (M0 in remote/store.c)
 * Additions are read-modify-writes of one word, so each is in the release sequence of all before
 * it: the last one acquires them all. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/baton.h"
#include "core/scratchpad.h"
#include "remote/counters.h"
#include "remote/packets.h"
#include "remote/reach.h"
#include "nicemu/counter.h"
#include "nicemu/queue.h"

static unsigned bits_of(const struct nic_counter_line *l)
{
    uint32_t kind = atomic_load_explicit(&l->kind, memory_order_relaxed);
    return kind == (NIC_COUNTER_MAGIC | 24) ? 24 : kind == (NIC_COUNTER_MAGIC | 64) ? 64 : 0;
}

static uint64_t limit_of(unsigned bits) { return UINT64_C(1) << (bits - 1); }

/* The count in the lower bits of a word. */
static int64_t count_in(unsigned bits, uint64_t word)
{
    uint64_t sign = limit_of(bits), low = word & (sign | (sign - 1));
    return (int64_t)((low ^ sign) - sign);
}

struct nic_counter_line *nic_counter_at(struct nic *n, uint32_t rank, uint64_t offset)
{
    struct nic_counter_line *l = offset % NIC_COUNTER_ALIGN ? NULL
                                 : nic_spad_at(n, rank, offset, sizeof *l);
    return l && bits_of(l) ? l : NULL;
}

static struct nic_counter **bucket_of(const struct nic *n, uint64_t offset)
{
    return &n->counters->bucket[offset / NIC_COUNTER_ALIGN % NIC_COUNTER_BUCKETS];
}

struct nic_counter *nic_counter_own(const struct nic *n, uint64_t offset)
{
    struct nic_counter *c = n->counters ? *bucket_of(n, offset) : NULL;
    while (c && c->offset != offset)
        c = c->next;
    return c;
}

/* -- firing */

/* The place is read once and checked then: its fields may be anybody's by now. */
static void notify(struct nic *n, const struct nic_counter_place *place)
{
    uint32_t bytes = atomic_load_explicit(&place->bytes, memory_order_relaxed);
    if (!bytes)
        return;
    NIC_CHARGE(n, NOTIFICATION, 1);
    nic_store(n, atomic_load_explicit(&place->rank, memory_order_relaxed),
              atomic_load_explicit(&place->offset, memory_order_relaxed),
              /* K3; what is no place is refused */
              atomic_load_explicit(&place->value, memory_order_relaxed), bytes);
}

/* The owner's NIC executes the chain. */
static void trigger(struct nic *n, uint32_t rank, uint64_t counter,
                    const struct nic_counter_line *l)
{
    uint64_t generation = atomic_load_explicit(&l->generation, memory_order_relaxed);
    struct nic_counter *own = rank == n->rank ? nic_counter_own(n, counter) : NULL;
    if (own && own->hook)
        own->hook->fired(n, own);
    else if (!own && rank != n->rank)
        nic_hw_send(n, rank, NIC_HW_FIRED, counter, &generation, sizeof generation, NULL, 0);
}

static void fire(struct nic *n, uint32_t rank, uint64_t counter, const struct nic_counter_line *l)
{
    NIC_COUNT(n, counters_fired, 1);
    for (unsigned i = 0; i < NIC_COUNTER_NOTIFICATIONS; i++)
        notify(n, &l->notify[i]);
    nic_notify(n, rank);        /* its host may wait for the count itself */
    if (atomic_load_explicit(&l->triggers, memory_order_acquire))
        trigger(n, rank, counter, l);
}

/* Somebody else took a counter of ours to zero. */
void nic_fired_arrived(struct nic *n, const struct nic_packet *p)
{
    struct nic_counter *c = nic_counter_own(n, p->match);
    uint64_t generation = 0;
    if (!nic_hw_whole(n, p, nic_fired_arrived))
        return;
    if (p->length == sizeof generation)
        memcpy(&generation, p->head, sizeof generation);
    if (!c || c->generation != generation)
        nic_hw_drop(n);
    else if (c->hook)
        c->hook->fired(n, c);
}

/* -- counting */

int nic_counter_count(struct nic *n, uint32_t rank, uint64_t counter, uint64_t amount)
{
    struct nic_counter_line *l = nic_counter_at(n, rank, counter);
    unsigned bits = l ? bits_of(l) : 0;
    if (!bits)
        return -EINVAL;
    if (amount > limit_of(bits))
        return -ERANGE;
    NIC_CHARGE(n, COUNTER, 1);
    /* K0, K1 */
    int64_t before = count_in(bits,
                              atomic_fetch_add_explicit(&l->value, amount, memory_order_acq_rel));
    if (before < 0 && amount >= -(uint64_t)before)
        fire(n, rank, counter, l);
    return 0;
}

/* What the target alone knows, whether there is a counter,
 * is not known here: it drops what has none. */
static int count_by_packet(struct nic *n, uint32_t rank, uint64_t counter, uint64_t amount)
{
    if (counter % NIC_COUNTER_ALIGN || !nic_spad_holds(n, rank, counter, NIC_COUNTER_BYTES))
        return -EINVAL;
    if (amount > limit_of(64))
        return -ERANGE;
    nic_hw_send(n, rank, NIC_HW_COUNT, counter, &amount, sizeof amount, NULL, 0);
    return 0;
}

int nic_counter_add(struct nic *n, uint32_t rank, uint64_t counter, uint64_t amount)
{
    nic_baton_check(n);
    nic_catch_up(n);
    if (counter == NIC_SPAD_NONE || !amount)
        return 0;
    return nic_in_reach(n, rank) ? nic_counter_count(n, rank, counter, amount)
           : count_by_packet(n, rank, counter, amount);
}

void nic_count_arrived(struct nic *n, const struct nic_packet *p)
{
    uint64_t amount;
    if (!nic_hw_whole(n, p, nic_count_arrived))
        return;
    if (p->length == sizeof amount)
        memcpy(&amount, p->head, sizeof amount);
    if (p->length != sizeof amount || nic_counter_count(n, n->rank, p->match, amount))
        nic_hw_drop(n);
}

/* The own counter at this place, if it can count so much: its bits, or what is wrong. */
static int own_for_size(struct nic *n, uint64_t counter, uint64_t size, struct nic_counter **c)
{
    nic_baton_check(n);
    nic_catch_up(n);
    *c = nic_counter_own(n, counter);
    unsigned bits = *c ? bits_of((*c)->line) : 0;
    return !bits ? -EINVAL : size > limit_of(bits) ? -ERANGE : (int)bits;
}

int nic_counter_expect(struct nic *n, uint64_t counter, uint64_t size)
{
    struct nic_counter *c;
    int bits = own_for_size(n, counter, size, &c);
    if (bits < 0)
        return bits;
    /* K1: what came early */
    int64_t before = count_in((unsigned)bits,
                              atomic_fetch_sub_explicit(&c->line->value, size,
                                                        memory_order_acq_rel));
    if (size && before >= 0 && (uint64_t)before >= size)
        fire(n, n->rank, counter, c->line);
    return 0;
}

/* -- looking */

int nic_counter_read(struct nic *n, uint64_t counter, int64_t *value)
{
    struct nic_counter_line *l = nic_counter_at(n, n->rank, counter);
    unsigned bits = l ? bits_of(l) : 0;
    if (!bits)
        return -EINVAL;
    *value = count_in(bits, atomic_load_explicit(&l->value, memory_order_acquire));        /* K2 */
    return 0;
}

bool nic_counter_done(struct nic *n, uint64_t counter)
{
    int64_t value;
    return !nic_counter_read(n, counter, &value) && value >= 0;
}

struct waiting { struct nic *nic; uint64_t counter; };

/* What is no counter any more ends the wait too. */
static bool ready(void *argument)
{
    const struct waiting *w = argument;
    int64_t value;
    return nic_counter_read(w->nic, w->counter, &value) || value >= 0;
}

static const char *note(void *argument, char *text, size_t size)
{
    const struct waiting *w = argument;
    int64_t value = 0;
    nic_counter_read(w->nic, w->counter, &value);
    snprintf(text, size, "counter at %llu, which stands at %lld",
             (unsigned long long)w->counter, (long long)value);
    return text;
}

int nic_counter_wait(struct nic *n, uint64_t counter)
{
    struct waiting waiting = { n, counter };
    struct nic_wait w = { .note = note, .ready = ready, .argument = &waiting };
    while (!ready(&waiting))
        nic_wait_turn(n, &w);
    return nic_counter_done(n, counter) ? 0 : -EINVAL;
}

/* -- making */

static bool sound(struct nic *n, const struct nic_counter_config *c)
{
    if ((c->bits != 24 && c->bits != 64) || c->size > limit_of(c->bits))
        return false;
    for (unsigned i = 0; i < NIC_COUNTER_NOTIFICATIONS; i++) {
        const struct nic_notification *p = &c->notify[i];
        if (!p->bytes)
            continue;
        if ((p->bytes != 4 && p->bytes != 8) || p->offset % p->bytes
            || !nic_spad_holds(n, p->rank, p->offset, p->bytes))
            return false;
    }
    return true;
}

static void fill(struct nic_counter_line *l, const struct nic_counter_config *config,
                 uint32_t generation)
{
    atomic_store_explicit(&l->value, -config->size, memory_order_relaxed);
    atomic_store_explicit(&l->generation, generation, memory_order_relaxed);
    atomic_store_explicit(&l->triggers, 0, memory_order_relaxed);
    for (unsigned i = 0; i < NIC_COUNTER_NOTIFICATIONS; i++) {
        const struct nic_notification *p = &config->notify[i];
        atomic_store_explicit(&l->notify[i].rank, p->rank, memory_order_relaxed);
        atomic_store_explicit(&l->notify[i].offset, p->offset, memory_order_relaxed);
        atomic_store_explicit(&l->notify[i].value, p->value, memory_order_relaxed);
        atomic_store_explicit(&l->notify[i].bytes, p->bytes, memory_order_relaxed);
    }
    atomic_store_explicit(&l->kind, NIC_COUNTER_MAGIC | config->bits, memory_order_release);
}

int nic_counter_create(struct nic *n, const struct nic_counter_config *config, uint64_t *counter)
{
    nic_baton_check(n);
    nic_catch_up(n);
    if (!sound(n, config))
        return -EINVAL;
    if (!n->counters && !(n->counters = calloc(1, sizeof *n->counters)))
        return -ENOMEM;
    struct nic_counter *c = calloc(1, sizeof *c);
    uint64_t at = c ? nic_spad_alloc(n, NIC_SPAD_COUNTERS, NIC_COUNTER_BYTES, NIC_COUNTER_ALIGN)
                  : NIC_SPAD_NONE;
    if (at == NIC_SPAD_NONE) {
        free(c);
        return -ENOMEM;
    }
    *c = (struct nic_counter){ .next = *bucket_of(n, at), .offset = at, .preset = config->size,
                               .generation = ++n->counters->generation };
    c->line = nic_spad_at(n, n->rank, at, sizeof *c->line);
    fill(c->line, config, c->generation);
    *bucket_of(n, at) = c;
    *counter = at;
    return 0;
}

int nic_counter_preset(struct nic *n, uint64_t counter, uint64_t size)
{
    struct nic_counter *c;
    int bits = own_for_size(n, counter, size, &c);
    if (bits < 0)
        return bits;
    c->preset = size;
    atomic_store_explicit(&c->line->value, -size, memory_order_release);
    return 0;
}

int nic_counter_reset(struct nic *n, uint64_t counter)
{
    struct nic_counter *c = nic_counter_own(n, counter);
    return c ? nic_counter_preset(n, counter, c->preset) : -EINVAL;
}

static void drop(struct nic *n, struct nic_counter *c)
{
    if (c->hook)
        c->hook->drop(n, c);
    atomic_store_explicit(&c->line->kind, 0, memory_order_relaxed);
    nic_spad_free(n, c->offset);
    free(c);
}

int nic_counter_destroy(struct nic *n, uint64_t counter)
{
    nic_baton_check(n);
    nic_catch_up(n);
    struct nic_counter *c = nic_counter_own(n, counter);
    if (!c)
        return -EINVAL;
    struct nic_counter **link = bucket_of(n, counter);
    while (*link != c)
        link = &(*link)->next;
    *link = c->next;
    drop(n, c);
    return 0;
}

void nic_counters_close(struct nic *n)
{
    for (unsigned i = 0; n->counters && i < NIC_COUNTER_BUCKETS; i++)
        for (struct nic_counter *c; (c = n->counters->bucket[i]); free(c)) {
            n->counters->bucket[i] = c->next;
            free(c->chain);
            atomic_store_explicit(&c->line->kind, 0, memory_order_relaxed);
        }
    free(n->counters);
}
