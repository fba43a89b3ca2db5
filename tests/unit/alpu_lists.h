/* The list that a processor keeps with the help of an associative list processing unit, beside a
 * linear list that says what each call should come to. */
#ifndef ALPU_LISTS_H
#define ALPU_LISTS_H

#include <errno.h>
#include "core/nic.h"
#include "loop.h"
#include "modelled.h"

/* -- the oracle */

enum { ENTRIES_MAX = 8192, HEADERS_MAX = 256 };

struct entry { uint64_t bits, mask; uint32_t tag; };
static struct entry list[ENTRIES_MAX];
static size_t entries;

/* Headers that have arrived, and from `undecided` on wait for the list to decide; those before it
 * have their outcome. */
static struct { uint64_t bits, mask; bool hit; uint32_t tag; } headers[HEADERS_MAX];
static size_t arrived, undecided, taken;        /* since the beginning; places modulo HEADERS_MAX */

static struct nic_assisted_list *l;
static struct nic_match_list *plain;
static struct nic_assisted_list_config config;
static uint64_t random_state;
static uint32_t next_tag;

static inline unsigned below(unsigned limit) { return loop_below(&random_state, limit); }

static inline uint64_t compared(uint64_t bits)
{
    return bits & (UINT64_MAX >> (64 - config.unit.match_bits));
}
static inline uint64_t entry_mask(uint64_t mask)
{
    return config.unit.kind == NIC_ALPU_POSTED ? compared(mask) : 0;
}
static inline uint64_t input_mask(uint64_t mask)
{
    return config.unit.kind == NIC_ALPU_UNEXPECTED ? compared(mask) : 0;
}

static inline size_t oracle_find(uint64_t bits, uint64_t mask)
{
    size_t i = 0;
    while (i < entries && ((list[i].bits ^ compared(bits)) & ~(list[i].mask | input_mask(mask))))
        i++;
    return i;
}

static inline void oracle_delete(size_t i)
{
    memmove(&list[i], &list[i + 1], (--entries - i) * sizeof *list);
}

/* The list has decided so many headers in all: so does the oracle, now. */
static inline void oracle_decide(size_t decided)
{
    must(decided >= undecided && decided <= arrived);
    for (; undecided < decided; undecided++) {
        size_t k = undecided % HEADERS_MAX, i = oracle_find(headers[k].bits, headers[k].mask);
        headers[k].hit = i < entries;
        if (i < entries) {
            headers[k].tag = list[i].tag;
            oracle_delete(i);
        }
    }
}

/* -- calls that are checked */

static inline void open_list(struct nic_assisted_list_config c)
{
    must(nic_assisted_list_new(&c, &l) == 0);
    must(plain = nic_match_list_new());
    config = c;
    config.unit = *nic_alpu_unit_config(nic_assisted_list_unit(l));
    config.access_cycles = c.access_cycles ? c.access_cycles : 10;
    entries = arrived = undecided = taken = 0;
    next_tag = 0;
}

static inline void close_list(void)
{
    nic_assisted_list_delete(l);
    nic_match_list_delete(plain);
}

static inline size_t decided(void) { return taken + nic_assisted_list_decided(l); }

static inline void check_work(const struct nic_alpu_work *w)
{
    must(w->cycles == config.access_cycles * (w->commands + w->results) + w->waited);
    must(nic_assisted_list_count(l) == entries);
    must(nic_assisted_list_loaded(l) <= entries);
    must(nic_assisted_list_loaded(l) <= config.unit.cells);
    must(!w->inserted || w->commands >= w->inserted + 2);
    must(w->unit_hits + w->unit_misses <= w->results);
    must(!nic_assisted_list_loaded(l) || nic_assisted_list_in_use(l));
}

static inline void append(uint64_t bits, uint64_t mask)
{
    struct nic_alpu_work w;
    must(entries < ENTRIES_MAX);
    list[entries++] = (struct entry){ compared(bits), entry_mask(mask), next_tag };
    must(nic_assisted_list_append(l, bits, mask, next_tag, &w) == 0);
    must(nic_match_list_append(plain, compared(bits), entry_mask(mask), next_tag) == 0);
    next_tag++;
    oracle_decide(decided());
    check_work(&w);
}

/* What a search took: nothing by the processor if the unit
 * has it, else the rest up to the entry. */
static inline void check_search(const struct nic_alpu_work *w, size_t i, bool in_use, size_t loaded)
{
    bool by_unit = i < loaded;
    must(w->unit_hits == by_unit);
    must(w->unit_misses == (in_use && !by_unit));
    must(w->searched == (in_use ? loaded : 0));
    must(w->traversed == (by_unit ? 0 : i - loaded + (i < entries)));
}

/* Matches in both, when nothing is outstanding, so that all figures are known. */
static inline void match(uint64_t bits, uint64_t mask)
{
    size_t i = oracle_find(bits, mask), loaded = nic_assisted_list_loaded(l);
    bool in_use = nic_assisted_list_in_use(l);
    struct nic_alpu_work w;
    uint32_t tag = UINT32_MAX, plain_tag = UINT32_MAX;
    bool hit = nic_assisted_list_match(l, bits, mask, &tag, &w);
    must(hit == (i < entries) && (!hit || tag == list[i].tag));
    must(nic_match_list_match(plain, compared(bits), input_mask(mask), &plain_tag, NULL) == hit
         && plain_tag == tag);
    check_search(&w, i, in_use, loaded);
    if (hit)
        oracle_delete(i);
    check_work(&w);
}

static inline void find(uint64_t bits, uint64_t mask)
{
    struct nic_alpu_work w;
    uint32_t tag;
    bool hit = nic_assisted_list_find(l, bits, mask, &tag, &w);
    oracle_decide(arrived);
    size_t i = oracle_find(bits, mask);
    must(hit == (i < entries) && (!hit || tag == list[i].tag));
    must(arrived != taken || w.traversed == i + hit);
    check_work(&w);
}

static inline void remove_tag(uint32_t tag)
{
    struct nic_alpu_work w;
    bool hit = nic_assisted_list_remove(l, tag, &w);
    oracle_decide(arrived);
    size_t i = 0;
    while (i < entries && list[i].tag != tag)
        i++;
    must(hit == (i < entries));
    if (hit)
        oracle_delete(i);
    nic_match_list_remove(plain, tag);
    check_work(&w);
}

static inline size_t update(void)
{
    struct nic_alpu_work w;
    size_t n = nic_assisted_list_update(l, &w);
    oracle_decide(decided());
    must(w.inserted >= n);
    check_work(&w);
    return n;
}

static inline bool arrive(uint64_t bits, uint64_t mask)
{
    struct nic_alpu_work w;
    if (arrived - taken == HEADERS_MAX)
        return false;
    int rc = nic_assisted_list_arrive(l, bits, mask, arrived, &w);
    must(rc == 0 || (rc == -EAGAIN && arrived > taken));
    if (rc == 0) {
        headers[arrived % HEADERS_MAX].bits = bits;
        headers[arrived % HEADERS_MAX].mask = mask;
        arrived++;
    }
    oracle_decide(decided());
    check_work(&w);
    return rc == 0;
}

static inline bool outcome(struct nic_alpu_work *w)
{
    struct nic_alpu_outcome o;
    struct nic_alpu_work local;
    bool any = nic_assisted_list_outcome(l, &o, w ? w : &local);
    must(any == (taken < arrived));
    if (!any)
        return false;
    oracle_decide(taken + 1 + nic_assisted_list_decided(l));
    size_t k = taken % HEADERS_MAX;
    must(o.cookie == taken && o.hit == headers[k].hit && (!o.hit || o.tag == headers[k].tag));
    taken++;
    check_work(w ? w : &local);
    return true;
}

static inline void append_many(unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        append(next_tag, 0);
}

#endif
