/* Sets of lines, each in order of use.  A line is found by its number and takes its place in the
 * order in a few steps, however many ways there are: the lists that the model clock is asked about
 * are longer than the cache, and each of their entries is one or two lines. */
#include "base/cache.h"

#include <stdlib.h>

/* In a set's ring the one behind the oldest is the newest; `next` has the same bucket. */
struct line { uint64_t number; uint32_t set, older, newer, next; };

/* Lines are counted from 1, 0: none.  A set's are side by side, those from `used` on empty. */
struct set { uint32_t newest, used; };

struct nic_cache {
    uint64_t sets, ways;
    struct set *set;
    uint32_t *bucket;       /* 2^(64 - shift) of them */
    unsigned shift;
    struct line *line;
};

struct nic_cache *nic_cache_new(uint64_t bytes, uint64_t line_bytes, uint64_t ways)
{
    uint64_t lines = bytes / line_bytes ? bytes / line_bytes : 1;
    if (lines >= UINT32_MAX)
        return NULL;
    if (!ways || ways > lines)
        ways = lines;
    struct nic_cache *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->sets = lines / ways;
    c->ways = ways;
    for (c->shift = 63; UINT64_C(1) << (64 - c->shift) < lines; c->shift--);
    c->set = calloc(c->sets, sizeof *c->set);
    c->bucket = calloc(UINT64_C(1) << (64 - c->shift), sizeof *c->bucket);
    c->line = calloc(c->sets * ways + 1, sizeof *c->line);
    if (c->set && c->bucket && c->line)
        return c;
    nic_cache_delete(c);
    return NULL;
}

void nic_cache_delete(struct nic_cache *c)
{
    if (!c)
        return;
    free(c->line);
    free(c->bucket);
    free(c->set);
    free(c);
}

/* Neighbours differ in the low bits, which the product brings to the top (Knuth 6.4). */
static uint32_t *bucket_of(const struct nic_cache *c, uint64_t number)
{
    return &c->bucket[number * UINT64_C(0x9e3779b97f4a7c15) >> c->shift];
}

static void put(struct nic_cache *c, uint32_t l)
{
    uint32_t *bucket = bucket_of(c, c->line[l].number);
    c->line[l].next = *bucket;
    *bucket = l;
}

static void take(struct nic_cache *c, uint32_t l)
{
    uint32_t *link = bucket_of(c, c->line[l].number);
    while (*link != l)
        link = &c->line[*link].next;
    *link = c->line[l].next;
}

/* The ring of a set that has more than this line, without it. */
static void unlink_line(struct nic_cache *c, const struct line *l)
{
    c->line[l->newer].older = l->older;
    c->line[l->older].newer = l->newer;
}

/* Between the oldest and the newest, as the newest; or alone. */
static void link_line(struct nic_cache *c, struct set *s, uint32_t l)
{
    uint32_t newest = s->newest ? s->newest : l;
    uint32_t oldest = s->newest ? c->line[newest].newer : l;
    c->line[l].older = newest;
    c->line[l].newer = oldest;
    c->line[oldest].older = c->line[newest].newer = l;
    s->newest = l;
}

static void use(struct nic_cache *c, uint32_t l)
{
    struct set *s = &c->set[c->line[l].set];
    if (s->newest == l)
        return;
    unlink_line(c, &c->line[l]);
    link_line(c, s, l);
}

/* In an empty place, or in place of the oldest. */
static void load(struct nic_cache *c, uint64_t number)
{
    uint64_t index = number % c->sets;
    struct set *s = &c->set[index];
    uint32_t l;

    if (s->used < c->ways) {
        l = (uint32_t)(index * c->ways + ++s->used);
        c->line[l].set = (uint32_t)index;
        link_line(c, s, l);
    } else {
        l = c->line[s->newest].newer;
        take(c, l);
        s->newest = l;      /* the ring as it is, begun one earlier */
    }
    c->line[l].number = number;
    put(c, l);
}

bool nic_cache_touch(struct nic_cache *c, uint64_t number)
{
    uint32_t l = *bucket_of(c, number);
    while (l && c->line[l].number != number)
        l = c->line[l].next;
    if (l)
        use(c, l);
    else
        load(c, number);
    return l;
}
