/* Registered memory: keys, the translation table, and the end of a registration while peers copy.
 *
 * A peer's engine copies to or from a region without its owner's doing anything, so the owner has
 * to know when it has stopped.  The peer claims the region in its own table's line (one claim at a
 * time: its baton is held) and then looks at the key; the owner takes the key away and then looks
 * at all claims:
 *
 *   P0 store claim, full fence, P1 load key       (peer)
 *   O0 store key = 0, full fence, O1 load claims  (owner)
 *
 * P1 sees the key gone, or O1 sees the claim: then the owner waits until it changes.
 *   P2 release store of claim = 0 (peer, behind the copy)    -> O1 acquire load (owner): the copy
 *   comes before whatever the owner
 * does with the memory
 *   O2 release store of key (owner, behind base and bytes)   -> P1 acquire load (peer): the entry's
 *   other words.  An entry is not filled again
 *      before the claims on its old key are gone, so what P1 has seen stays while the claim stands.
 *
 * A peer that dies leaves its claim behind.  The owner does not wait for ranks that have closed or
 * whose process the link finds gone, nor when the job is aborted. */
#include "remote/region.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "core/baton.h"
#include "job/region_table.h"
#include "remote/packets.h"

enum { RIGHTS = NIC_RIGHT_ALL, LOOKS_PER_CHECK = 64 };

/* The owner's own copy, which no peer can damage. */
struct slot {
    unsigned char *base;
    uint64_t bytes;
    uint32_t rights, key, generation;
    struct nic_mutex *mutex;        /* see nicemu/mutex.h */
};

struct nic_regions {
    struct slot slot[NIC_REGIONS_MAX];
    /* next: where the search for a free slot begins, so that a key comes back as late as
     * possible */
    uint32_t used, next;
};

static struct nic_region_table *table_of(const struct nic *n, unsigned rank)
{
    return nic_job_regions(n->job, rank);
}

static uint32_t key_for(struct slot *s, uint32_t index)
{
    enum { GENERATIONS = UINT32_MAX / NIC_REGIONS_MAX };
    s->generation = s->generation % GENERATIONS + 1;
    return s->generation * NIC_REGIONS_MAX + index;
}

static void publish(struct nic *n, uint32_t index, const struct slot *s)
{
    struct nic_region *e = &table_of(n, n->rank)->entry[index];
    atomic_store_explicit(&e->base, (uint64_t)(uintptr_t)s->base, memory_order_relaxed);
    atomic_store_explicit(&e->bytes, s->bytes, memory_order_relaxed);
    atomic_store_explicit(&e->rights, s->rights, memory_order_relaxed);
    atomic_store_explicit(&e->key, s->key, memory_order_release);              /* O2 */
}

int nic_register(struct nic *n, void *base, size_t bytes, unsigned rights, uint32_t *key)
{
    nic_baton_check(n);
    nic_catch_up(n);
    if (!base || !bytes || (uintptr_t)base + bytes < (uintptr_t)base || !rights
        || rights & ~(unsigned)RIGHTS)
        return -EINVAL;
    struct nic_regions *g = n->remote->regions;
    if (!g && !(g = n->remote->regions = calloc(1, sizeof *g)))
        return -ENOMEM;
    if (g->used == NIC_REGIONS_MAX)
        return -ENOSPC;
    while (g->slot[g->next].key)
        g->next = (g->next + 1) % NIC_REGIONS_MAX;
    uint32_t index = g->next;
    struct slot *s = &g->slot[index];
    s->base = base;
    s->bytes = bytes;
    s->rights = rights;
    s->mutex = NULL;
    s->key = key_for(s, index);
    publish(n, index, s);
    g->next = (index + 1) % NIC_REGIONS_MAX;
    g->used++;
    nic_hold_service(n, 1);
    *key = s->key;
    return 0;
}

static struct slot *slot_of(const struct nic *n, uint32_t key)
{
    struct nic_regions *g = n->remote->regions;
    struct slot *s = g ? &g->slot[key % NIC_REGIONS_MAX] : NULL;
    return s && key >= NIC_KEY_FIRST && s->key == key ? s : NULL;
}

/* A region whose end is waited for (its key is none) counts, as a peer may still copy. */
bool nic_registered(const struct nic *n, const void *base, size_t bytes)
{
    const struct nic_regions *g = n->remote->regions;
    const uintptr_t begin = (uintptr_t)base, end = begin + bytes;
    nic_baton_check(n);
    for (uint32_t i = 0; g && i < NIC_REGIONS_MAX; i++) {
        const struct slot *s = &g->slot[i];
        if (s->key && (uintptr_t)s->base < end && begin < (uintptr_t)s->base + s->bytes)
            return true;
    }
    return false;
}

struct nic_mutex **nic_region_mutex(const struct nic *n, uint32_t key)
{
    struct slot *s = slot_of(n, key);
    return s ? &s->mutex : NULL;
}

static bool gone(struct nic *n, unsigned peer)
{
    return atomic_load(&n->publics[peer].state) != NIC_RANK_OPEN
           || (n->link->gone && n->link->gone(n, peer));
}

/* O1; waits for one peer's copy.  `pause` gives the baton up for a moment. */
static void await_claim(struct nic *n, unsigned peer, uint64_t claim, void (*pause)(struct nic *n))
{
    const _Atomic uint64_t *word = &table_of(n, peer)->claim;
    for (unsigned look = 1; atomic_load_explicit(word, memory_order_acquire) == claim; look++) {
        if (look % LOOKS_PER_CHECK == 0 && (gone(n, peer) || nic_job_aborted(n->job, NULL, NULL)))
            return;
        pause(n);
    }
}

static void await_claims(struct nic *n, uint32_t key, void (*pause)(struct nic *n))
{
    atomic_thread_fence(memory_order_seq_cst);      /* O0 before O1 */
    for (unsigned peer = 0; peer < n->ranks; peer++)
        if (peer != n->rank && nic_job_here(n->job, peer))
            await_claim(n, peer, (uint64_t)n->rank << 32 | key, pause);
}

/* A packet on its way into the region loses the rest. */
static void cut_landing(struct nic *n, const struct slot *s)
{
    struct nic_landing *g = &n->landing;
    if (g->bytes && g->to >= s->base && g->to < s->base + s->bytes)
        g->room = 0;
}

static void take_away(struct nic *n, struct slot *s)
{
    uint32_t index = s->key % NIC_REGIONS_MAX;
    /* O0 */
    atomic_store_explicit(&table_of(n, n->rank)->entry[index].key, 0, memory_order_relaxed);
    cut_landing(n, s);
    s->key = 0;
}

static void pause_without_baton(struct nic *n)
{
    nic_baton_give(n);
    sched_yield();
    nic_enter(n);
}

int nic_deregister(struct nic *n, uint32_t key)
{
    nic_baton_check(n);
    nic_catch_up(n);
    struct slot *s = slot_of(n, key);
    if (!s)
        return -ENOKEY;
    take_away(n, s);
    /* nobody's, and not free: the entry must not be filled while we wait */
    s->key = NIC_KEY_HEAP;
    await_claims(n, key, pause_without_baton);
    s->key = 0;
    n->remote->regions->used--;
    nic_hold_service(n, -1);
    return 0;
}

static void pause_alone(struct nic *n) { (void)n; sched_yield(); }

void nic_regions_close(struct nic *n)
{
    struct nic_regions *g = n->remote->regions;
    for (uint32_t i = 0; g && i < NIC_REGIONS_MAX; i++) {
        uint32_t key = g->slot[i].key;
        if (!key)
            continue;
        take_away(n, &g->slot[i]);
        await_claims(n, key, pause_alone);
    }
    free(g);
    n->remote->regions = NULL;
}

/* Is [offset, + bytes) inside, with such rights?  For both sides of the table. */
static int check(uint64_t region_bytes, unsigned region_rights, uint64_t offset, uint64_t bytes,
                 unsigned rights)
{
    if (rights & ~region_rights)
        return -EACCES;
    return offset > region_bytes || bytes > region_bytes - offset ? -ERANGE : 0;
}

int nic_region_reach(struct nic *n, uint32_t key, uint64_t offset, uint64_t bytes, unsigned rights,
                     void **at)
{
    struct slot *s = slot_of(n, key);
    int rc = s ? check(s->bytes, s->rights, offset, bytes, rights) : -ENOKEY;
    if (!rc)
        *at = s->base + offset;
    return rc;
}

int nic_region_claim(struct nic *n, unsigned peer, uint32_t key, uint64_t offset, uint64_t bytes,
                     unsigned rights, uint64_t *at)
{
    struct nic_region *e = &table_of(n, peer)->entry[key % NIC_REGIONS_MAX];
    if (key < NIC_KEY_FIRST)
        return -ENOKEY;
    /* P0 */
    uint64_t claim = (uint64_t)peer << 32 | key;
    atomic_store_explicit(&table_of(n, n->rank)->claim, claim, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    /* P1 */
    bool known = atomic_load_explicit(&e->key, memory_order_acquire) == key;
    int rc = known ? check(atomic_load_explicit(&e->bytes, memory_order_relaxed),
                           atomic_load_explicit(&e->rights, memory_order_relaxed), offset,
                           bytes, rights)
                   : -ENOKEY;
    if (rc)
        nic_region_release(n);
    else
        *at = atomic_load_explicit(&e->base, memory_order_relaxed) + offset;
    return rc;
}

void nic_region_release(struct nic *n)
{
    /* P2 */
    atomic_store_explicit(&table_of(n, n->rank)->claim, 0, memory_order_release);
}
