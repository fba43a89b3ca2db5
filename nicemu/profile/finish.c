/* A profile that has been read becomes numbers, which are checked. */
#include <errno.h>
#include <string.h>

#include "profile/finish.h"
#include "profile/keys.h"
#include "profile/mistake.h"
#include "profile/parse.h"

enum { ALLOWED_TEXT = 1024 };

static struct nic_place place_of(const struct nic_parse *d, const struct nic_item *item)
{
    return (struct nic_place){ .file = d->files ? d->file[item->file] : NULL,
                               .line = item->origin == NIC_ITEM_FILE ? item->line : 0,
                               .assignment = item->origin == NIC_ITEM_SET ? item->text : NULL };
}

/* part: of these ranks; NULL: of all. */
static const struct nic_item *item_of(const struct nic_parse *d, const struct nic_part_items *part,
                                      const struct nic_profile_key *key)
{
    const struct nic_item *own = part ? &part->items[key - nic_profile_keys] : NULL;
    return own && own->origin != NIC_ITEM_DEFAULT ? own : &d->items[key - nic_profile_keys];
}

static int finish_key(struct nic_parse *d, const struct nic_part_items *part,
                      const struct nic_profile_key *key, struct nic_profile *p)
{
    const struct nic_item *item = item_of(d, part, key);
    const char *section = item->amount.clock ? item->amount.clock
                          : nic_profile_sections[key->section_index].clock;
    char clock[64];
    uint64_t value = key->fallback;
    if (item->origin == NIC_ITEM_DEFAULT) {
        nic_profile_put(p, key, value);
        return 0;
    }
    snprintf(clock, sizeof clock, "%s.clock", section);
    const char *wrong = nic_quantity_value(&item->amount, key,
                                         nic_profile_value(p, nic_profile_find(clock)), &value);
    if (!wrong && (value < key->least || value > key->most))
        wrong = "out of range";
    if (wrong) {
        struct nic_place at = place_of(d, item);
        const char *text = at.assignment ? strchr(at.assignment, '=') + 1 : item->text;
        return nic_mistake_in_value(d, &at, key, text, wrong);
    }
    nic_profile_put(p, key, value);
    return 0;
}

/* One key's complaint about another. */
static int refuse(struct nic_parse *d, const char *name, const struct nic_profile *p,
                  const char *format, unsigned long long limit)
{
    const struct nic_profile_key *key = nic_profile_find(name);
    struct nic_place at = place_of(d, item_of(d, d->finished, key));
    char value[NIC_QUANTITY_TEXT], allowed[ALLOWED_TEXT];
    nic_profile_format(key, nic_profile_value(p, key), value);
    snprintf(allowed, sizeof allowed, format, limit);
    return nic_mistake_at(d, &at, "%s = %s: does not fit the rest; allowed: %s", name, value,
                          allowed);
}

static int check_processor(struct nic_parse *d, const char *section,
                           const struct nic_profile_processor *r, const struct nic_profile *p)
{
    char name[64];
    snprintf(name, sizeof name, "%s.entry_read", section);
    if (r->entry_read > r->entry_bytes)
        return refuse(d, name, p, "at most entry_bytes, %llu bytes", r->entry_bytes);
    snprintf(name, sizeof name, "%s.cache", section);
    if (r->cache % (r->cache_line * (r->cache_ways ? r->cache_ways : 1)))
        return refuse(d, name, p, "a multiple of cache_line * cache_ways, %llu bytes",
                      r->cache_line * (r->cache_ways ? r->cache_ways : 1));
    return 0;
}

static int check_ring(struct nic_parse *d, const struct nic_profile *p)
{
    uint64_t slot = p->scratchpad.slot_bytes;
    if (p->protocol.header > slot)
        return refuse(d, "protocol.header", p, "at most scratchpad.slot_bytes, %llu bytes", slot);
    if (p->scratchpad.slots < 2)
        return refuse(d, "scratchpad.slots", p, "%llu or more, one of which is always empty", 2);
    if (p->protocol.eager_limit + p->protocol.header > slot)
        return refuse(d, "protocol.eager_limit", p,
                      "what a slot holds behind the header, %llu bytes",
                      slot - p->protocol.header);
    return 0;
}

/* A NIC that ranks share serves their hosts by events: of a ring, or a unit, it knows nothing. */
static int check_node(struct nic_parse *d, const struct nic_profile *p)
{
    if (p->node.ranks > 1 && p->pgas.unit)
        return refuse(d, "node.ranks", p, "%llu, as there is a unit, for which pgas.ranks says it",
                      1);
    if (p->node.ranks > 1 && p->protocol.eager == NIC_EAGER_RING)
        return refuse(d, "node.ranks", p, "%llu, as hosts write their rings past the NIC", 1);
    if (p->node.cpus > p->node.ranks)
        return refuse(d, "node.cpus", p, "at most node.ranks, %llu", p->node.ranks);
    return 0;
}

/* Ranks that pass packets on from router to router run ahead of each other by a hop. */
static int check_link(struct nic_parse *d, const struct nic_profile *p)
{
    bool routers = p->link.topology != NIC_TOPOLOGY_CROSSBAR;
    if (p->link.contention == NIC_CONTENTION_SHARED && routers && !p->link.router)
        return refuse(d, "link.router", p, "%llu ps or more, where links are shared", 1);
    if (p->link.contention == NIC_CONTENTION_SHARED && p->link.latency < 2)
        return refuse(d, "link.latency", p, "%llu ps or more, where links are shared", 2);
    return 0;
}

/* What keys have to do with each other, in profiles each of whose values is right by itself. */
static void check(struct nic_parse *d, const struct nic_profile *p)
{
    int rc = check_processor(d, "host", &p->host, p);
    if (!rc || d->all)
        rc = check_processor(d, "nic", &p->nic, p);
    if ((!rc || d->all) && (p->alpu.block & (p->alpu.block - 1)))
        rc = refuse(d, "alpu.block", p, "a power of two, 1 to %llu cells", 32);
    if ((!rc || d->all) && p->pgas.unit && p->pgas.ranks > 1 && !p->bus.latency)
        rc = refuse(d, "pgas.ranks", p, "%llu, as bus.latency is 0 and ranks could not run ahead",
                    1);
    if (!rc || d->all)
        rc = check_node(d, p);
    if (!rc || d->all)
        rc = check_link(d, p);
    if ((!rc || d->all) && p->protocol.eager == NIC_EAGER_RING)
        check_ring(d, p);
}

/* First the clocks, by which cycles are converted. */
static void finish_keys(struct nic_parse *d, const struct nic_part_items *part,
                        struct nic_profile *p)
{
    int rc = 0;
    d->finished = part;
    for (int clocks = 1; clocks >= 0; clocks--)
        for (const struct nic_profile_key *k = nic_profile_keys; (!rc || d->all)
             && k < nic_profile_keys + NIC_PROFILE_KEYS; k++)
            if ((k->kind == NIC_KEY_CLOCK) == clocks)
                rc = finish_key(d, part, k, p);
    if (!d->mistakes)
        check(d, p);
}

static void finish_part(struct nic_parse *d, const struct nic_part_items *items,
                        struct nic_profile_part *part)
{
    struct nic_profile own = { .name = "" };
    finish_keys(d, items, &own);
    part->first = items->first;
    part->count = items->count;
    memcpy(part->value, (const char *)&own + NIC_PROFILE_NAME_MAX, sizeof part->value);
}

int nic_parse_finish(struct nic_parse *d, struct nic_profile *p)
{
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "%s", d->name);
    for (unsigned i = 0; i < d->owns; i++)
        p->own[i] = d->own[i].own;
    finish_keys(d, NULL, p);
    for (unsigned i = 0; i < d->parts && !d->mistakes; i++)
        finish_part(d, &d->part[i], &p->part[i]);
    return d->mistakes ? -EINVAL : 0;
}

int nic_profile_load(const char *name, const char *const *sets, size_t count,
                     struct nic_profile *p, char *error, size_t room)
{
    struct nic_parse d;
    nic_parse_init(&d, error, room);
    int rc = nic_parse_load(&d, name);
    for (size_t i = 0; !rc && i < count; i++)
        rc = nic_parse_set(&d, sets[i]);
    if (!rc)
        rc = nic_parse_finish(&d, p);
    nic_parse_drop(&d);
    return rc;
}
