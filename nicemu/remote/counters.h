/* Layout of a counter in the scratchpad, and the owner's own knowledge of it. */
#ifndef NIC_REMOTE_COUNTERS_H
#define NIC_REMOTE_COUNTERS_H

#include <assert.h>
#include <stdatomic.h>

#include "core/nic.h"
#include "nicemu/counter.h"

/* In the upper three bytes of `kind`; the lowest is the width. */
#define NIC_COUNTER_MAGIC UINT32_C(0x434e5400)

struct nic_counter_place { _Atomic uint32_t rank, bytes; _Atomic uint64_t offset, value; };

/* Written by the owner before it tells anybody of it, then read by whoever counts; only `value` is
 * written by all.  No field is trusted: a peer may have overwritten any. */
struct nic_counter_line {
    _Atomic uint64_t value;         /* first: the counter's address is that of its value */
    _Atomic uint32_t kind;
    /* the owner's number of this counter: a late request to fire one that was destroyed misses its
     * successor */
    _Atomic uint32_t generation;
    _Atomic uint32_t triggers;      /* operations queued on it: whoever fires it tells the owner */
    uint32_t pad[3];
    struct nic_counter_place notify[NIC_COUNTER_NOTIFICATIONS];
};
static_assert(sizeof(struct nic_counter_line) == NIC_COUNTER_BYTES, "shared layout");
static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "between processes only what has no lock is atomic");

struct nic_counter;

/* What a counter triggers, as the counter sees it. */
struct nic_counter_hook {
    void (*fired)(struct nic *nic, struct nic_counter *counter);
    void (*drop)(struct nic *nic, struct nic_counter *counter);     /* the counter goes */
};

/* One of our own.  Owner: baton. */
struct nic_counter {
    struct nic_counter *next;       /* in its bucket */
    uint64_t offset, preset;
    struct nic_counter_line *line;
    uint32_t generation;
    const struct nic_counter_hook *hook;    /* NULL: it triggers nothing */
    struct nic_chain *chain;        /* the hook's, allocated */
};

struct nic_chain;

enum { NIC_COUNTER_BUCKETS = 64 };

struct nic_counters {
    struct nic_counter *bucket[NIC_COUNTER_BUCKETS];
    uint32_t generation;            /* of the newest */
    struct nic_chain *first_due, *last_due, *running;
    bool busy;                      /* the engine knows that chains are due */
    struct nic_outcome outcome;     /* of all that chains start */
};

/* The counter that this NIC owns at that offset, or NULL. */
struct nic_counter *nic_counter_own(const struct nic *nic, uint64_t offset);

/* The counter in somebody's scratchpad, or NULL. */
struct nic_counter_line *nic_counter_at(struct nic *nic, uint32_t rank, uint64_t offset);

/* Counts where the counter is in reach. */
int nic_counter_count(struct nic *nic, uint32_t rank, uint64_t counter, uint64_t amount);

/* nic_close: the scratchpad's areas go with it. */
void nic_counters_close(struct nic *nic);

/* Handlers. */
void nic_count_arrived(struct nic *nic, const struct nic_packet *packet);
void nic_fired_arrived(struct nic *nic, const struct nic_packet *packet);

#endif
