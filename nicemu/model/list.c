/* Lists of the NIC's processor on the model clock: the list manager of match/assisted.c does the
 * work, and what it says that it did is charged here. */
#include "model/lists.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "base/cache.h"
#include "model/state.h"
#include "nicemu/list.h"

/* Lists lie apart from each other in the cache; entries of one side by side, by slot. */
enum { LIST_APART = 1 << 30 };
#define CACHE_MOST (UINT64_C(1) << 26)      /* bytes; no list gets that long */

struct nic_timed_list {
    struct nic *nic;
    struct nic_timed_list *next;          /* of the same NIC */
    struct nic_assisted_list *entries;
    uint64_t base;                  /* in bytes of the modelled memory */
    uint64_t cells;                 /* of its unit, 0: none */
    uint64_t updated;               /* the unit has run up to this time */
    uint64_t hits, misses;          /* entries compared in the call under way */
};

static const struct nic_profile *profile_of(const struct nic_timed_list *l)
{
    return l->nic->model->profile;
}

/* -- memory: the first bytes of an entry are read, all of them written */

static bool touch(const struct nic_timed_list *l, uint32_t slot, uint64_t bytes)
{
    const struct nic_profile_processor *p = l->nic->model->processor;
    struct nic_cache *cache = l->nic->model->cache;
    uint64_t from = l->base + slot * p->entry_bytes, last = (from + bytes - 1) / p->cache_line;
    bool hit = true;
    for (uint64_t line = from / p->cache_line; cache && line <= last; line++)
        hit &= nic_cache_touch(cache, line);
    return hit;
}

static void read_entry(void *context, uint32_t slot)
{
    struct nic_timed_list *l = context;
    const struct nic_profile_processor *p = l->nic->model->processor;
    if (touch(l, slot, p->entry_read < p->entry_bytes ? p->entry_read : p->entry_bytes))
        l->hits++;
    else
        l->misses++;
}

static void write_entry(void *context, uint32_t slot)
{
    const struct nic_timed_list *l = context;
    touch(l, slot, l->nic->model->processor->entry_bytes);
}

/* -- calls */

void nic_alpu_work_charge(struct nic *nic, const struct nic_alpu_work *work)
{
    NIC_CHARGE(nic, ALPU_COMMAND, work->commands);
    NIC_CHARGE(nic, ALPU_RESULT, work->results);
    NIC_CHARGE(nic, ALPU_CYCLE, work->waited);
    NIC_CHARGE(nic, LIST_ENTRY, work->traversed);
}

/* The unit has worked while the processor did something else. */
static void begin(struct nic_timed_list *l)
{
    uint64_t now = l->nic->model->clock.now, cycle = l->nic->model->clock.cost[NIC_COST_ALPU_CYCLE];
    l->hits = l->misses = 0;
    for (; l->cells && l->updated + cycle <= now
         && !nic_alpu_unit_idle(nic_assisted_list_unit(l->entries)); l->updated += cycle)
        nic_assisted_list_cycles(l->entries, 1);
}

static void finish(struct nic_timed_list *l, const struct nic_alpu_work *work)
{
    struct nic_alpu_work charged = *work;
    uint64_t free = l->nic->model->processor->entry_free;
    charged.traversed = l->hits > free ? l->hits - free : 0;
    nic_alpu_work_charge(l->nic, &charged);
    NIC_CHARGE(l->nic, LIST_MISS, l->misses);
    l->updated = l->nic->model->clock.now;
}

int nic_timed_list_append(struct nic_timed_list *l, uint64_t bits, uint64_t mask, uint32_t tag)
{
    struct nic_alpu_work work;
    begin(l);
    int rc = nic_assisted_list_append(l->entries, bits, mask, tag, &work);
    NIC_CHARGE(l->nic, LIST_APPEND, 1);
    finish(l, &work);
    return rc;
}

bool nic_timed_list_match(struct nic_timed_list *l, uint64_t bits, uint64_t mask, uint32_t *tag)
{
    struct nic_alpu_work work;
    begin(l);
    bool hit = nic_assisted_list_match(l->entries, bits, mask, tag, &work);
    finish(l, &work);
    NIC_CHARGE(l->nic, LIST_UNLINK, hit);
    return hit;
}

bool nic_timed_list_find(struct nic_timed_list *l, uint64_t bits, uint64_t mask, uint32_t *tag)
{
    struct nic_alpu_work work;
    begin(l);
    bool hit = nic_assisted_list_find(l->entries, bits, mask, tag, &work);
    finish(l, &work);
    return hit;
}

bool nic_timed_list_remove(struct nic_timed_list *l, uint32_t tag)
{
    struct nic_alpu_work work;
    begin(l);
    bool hit = nic_assisted_list_remove(l->entries, tag, &work);
    finish(l, &work);
    NIC_CHARGE(l->nic, LIST_UNLINK, hit);
    return hit;
}

size_t nic_timed_list_count(const struct nic_timed_list *l)
{
    return nic_assisted_list_count(l->entries);
}

void nic_timed_lists_update(struct nic *n)
{
    bool looked = false;
    for (struct nic_timed_list *l = n->model->lists; l; l = l->next) {
        struct nic_alpu_work work;
        if (!l->cells)
            continue;
        if (!looked)
            NIC_CHARGE(n, UPDATE, 1);
        looked = true;
        begin(l);
        nic_assisted_list_update(l->entries, &work);
        finish(l, &work);
    }
}

/* -- life */

static unsigned access_cycles(const struct nic_profile *p)
{
    uint64_t cycles = p->alpu.write * p->alpu.clock / UINT64_C(1000000000000);
    return cycles < 1 ? 1 : cycles < 1000 ? (unsigned)cycles : 1000;
}

/* A list without a unit is one that never gets past the threshold. */
static int make(struct nic_timed_list *l, enum nic_alpu_kind kind)
{
    const struct nic_profile *p = profile_of(l);
    const struct nic_assisted_list_config config = {
        .unit = { .kind = kind, .cells = (unsigned)l->cells, .block = (unsigned)p->alpu.block,
                  .match_bits = (unsigned)p->alpu.match_bits,
                  .tag_bits = (unsigned)p->alpu.tag_bits,
                      .header_depth = (unsigned)p->alpu.header_fifo,
                          .command_depth = (unsigned)p->alpu.command_fifo,
                  .result_depth = (unsigned)p->alpu.result_fifo,
                      .match_cycles = (unsigned)p->alpu.match,
                          .insert_cycles = (unsigned)p->alpu.insert,
                  .command_cycles = (unsigned)p->alpu.other, .overlap = p->alpu.overlap,
                      .retry_inserts = p->alpu.retry_inserts },
        .threshold = l->cells ? (unsigned)p->alpu.threshold : UINT_MAX,
            .batch = (unsigned)p->alpu.batch, .room = (unsigned)p->alpu.room,
        .access_cycles = access_cycles(p), .read = read_entry, .write = write_entry, .context = l,
    };
    return nic_assisted_list_new(&config, &l->entries);
}

static int make_cache(struct nic_model *m)
{
    const struct nic_profile_processor *p = m->processor;
    if (m->cache || !p->cache || p->cache > CACHE_MOST)
        return 0;
    m->cache = nic_cache_new(p->cache, p->cache_line, p->cache_ways);
    return m->cache ? 0 : -ENOMEM;
}

int nic_timed_list_new(struct nic *n, enum nic_alpu_kind kind, struct nic_timed_list **list)
{
    struct nic_model *m = n->model;
    if (!m)
        return -ENOSYS;
    struct nic_timed_list *l = calloc(1, sizeof *l);
    if (!l)
        return -ENOMEM;
    l->nic = n;
    if (!m->on_host)    /* from which the units are out of reach */
        l->cells = kind == NIC_ALPU_POSTED ? m->profile->alpu.posted
                   : m->profile->alpu.unexpected;
    l->base = m->lists ? m->lists->base + LIST_APART : 0;
    int rc = make_cache(m);
    rc = rc ? rc : make(l, kind);
    if (rc) {
        free(l);
        return rc;
    }
    l->next = m->lists;
    m->lists = l;
    *list = l;
    return 0;
}

void nic_timed_lists_delete(struct nic_model *m)
{
    while (m->lists) {
        struct nic_timed_list *l = m->lists;
        m->lists = l->next;
        nic_assisted_list_delete(l->entries);
        free(l);
    }
    nic_cache_delete(m->cache);
}
