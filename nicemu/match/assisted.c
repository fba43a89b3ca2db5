/* A list kept by a processor with the help of an associative list processing unit.
 *
 * The copy of the whole list is a chain of entries in order; an entry's index is its tag in the
 * unit. Entries in front of `waiting` are in the unit as well (loaded); `rest` has the others, in a
 * matching store, which stands for the processor's search from `waiting` on: it says what that
 * finds and how many entries it passes. An entry leaves chain and count when the result of its
 * match is read, so count and loaded are what the processor knows; the unit may be ahead by the
 * results in its FIFO, and its free cells are never fewer than the processor thinks.
 *
 * That a MATCH FAILURE is searched for in `rest` only is right because none is read between the
 * first INSERT and STOP INSERT: whatever was in `rest` when the unit failed is there still, or it
 * is a later entry. */
#include <errno.h>
#include <stdlib.h>

#include "nicemu/alpu_unit.h"
#include "nicemu/match.h"

enum { NONE = UINT32_MAX, ENTRIES_FIRST = 64, ACCESS_CYCLES = 10 };

struct entry { uint64_t bits, mask; uint32_t tag, prev, next; bool loaded; };

struct header { uint64_t bits, mask, cookie; uint32_t tag; bool hit; };

/* The processor's copies of the headers, in order: `decided` ones whose outcome nobody took yet,
 * then `outstanding` ones, which the unit has. */
struct ring { struct header *at; unsigned size, first, decided, outstanding; };

struct nic_assisted_list {
    struct nic_assisted_list_config config;
    struct nic_alpu_unit *unit;
    struct nic_match_list *rest;
    struct entry *entries;
    /* spare: chains of unused entries; [1]: those whose index is too wide for the unit's tags */
    uint32_t capacity, spare[2];
    uint32_t head, tail, waiting;           /* waiting: the oldest that is not loaded */
    size_t count, loaded;
    bool in_use;
    bool acknowledged;                      /* START ACKNOWLEDGE read */
    uint32_t free;                          /* and the free cells in it */
    struct ring ring;
    struct nic_alpu_work work;              /* of the call under way */
};

/* -- the copy */

static bool is_wide(const struct nic_assisted_list *l, uint32_t i)
{
    return i >> 1 >> (l->config.unit.tag_bits - 1);
}

static void put_spare(struct nic_assisted_list *l, uint32_t i)
{
    uint32_t *chain = &l->spare[is_wide(l, i)];
    l->entries[i].next = *chain;
    *chain = i;
}

/* The chain to take from. */
static uint32_t *spares(struct nic_assisted_list *l) { return &l->spare[l->spare[0] == NONE]; }

static int add_spares(struct nic_assisted_list *l)
{
    uint32_t capacity = l->capacity ? l->capacity * 2 : ENTRIES_FIRST;
    struct entry *entries = realloc(l->entries, capacity * sizeof *entries);
    if (!entries)
        return -ENOMEM;
    l->entries = entries;
    for (uint32_t i = capacity; i-- > l->capacity;)
        put_spare(l, i);
    l->capacity = capacity;
    return 0;
}

static void link_last(struct nic_assisted_list *l, uint32_t i)
{
    struct entry *e = &l->entries[i];
    e->prev = l->tail;
    e->next = NONE;
    if (l->tail == NONE)
        l->head = i;
    else
        l->entries[l->tail].next = i;
    l->tail = i;
    if (l->waiting == NONE)
        l->waiting = i;
    l->count++;
}

/* Out of the chain; the caller takes it out of the unit or of `rest`. */
static void unlink_entry(struct nic_assisted_list *l, uint32_t i)
{
    struct entry *e = &l->entries[i];
    if (e->prev == NONE)
        l->head = e->next;
    else
        l->entries[e->prev].next = e->next;
    if (e->next == NONE)
        l->tail = e->prev;
    else
        l->entries[e->next].prev = e->prev;
    if (l->waiting == i)
        l->waiting = e->next;
    l->loaded -= e->loaded;
    l->count--;
    put_spare(l, i);
}

/* The processor compares so many entries, from this one on. */
static void traverse(struct nic_assisted_list *l, uint32_t i, size_t entries)
{
    l->work.traversed += entries;
    for (; l->config.read && entries--; i = l->entries[i].next)
        l->config.read(l->config.context, i);
}

/* The processor's search of what the unit does not have. */
static bool take_from_rest(struct nic_assisted_list *l, struct header *h)
{
    size_t position = nic_match_list_count(l->rest);
    uint32_t i;
    bool hit = nic_match_list_match(l->rest, h->bits, h->mask, &i, &position);
    traverse(l, l->waiting, position + hit);
    if (!hit)
        return false;
    h->tag = l->entries[i].tag;
    unlink_entry(l, i);
    return true;
}

/* -- the bus */

static void tick(struct nic_assisted_list *l, unsigned cycles)
{
    l->work.cycles += cycles;
    nic_alpu_unit_cycles(l->unit, cycles);
}

static unsigned results(const struct nic_assisted_list *l)
{
    struct nic_alpu_unit_status status;
    nic_alpu_unit_status(l->unit, &status);
    return status.results;
}

/* The unit is done with the oldest outstanding header. */
static struct header *decide(struct nic_assisted_list *l)
{
    struct ring *r = &l->ring;
    r->outstanding--;
    l->work.searched += l->loaded;
    return &r->at[(r->first + r->decided++) % r->size];
}

static void matched(struct nic_assisted_list *l, uint32_t i)
{
    struct header *h = decide(l);
    l->work.unit_hits++;
    h->hit = true;
    h->tag = l->entries[i].tag;
    unlink_entry(l, i);
}

static void failed(struct nic_assisted_list *l)
{
    struct header *h = decide(l);
    l->work.unit_misses++;
    h->hit = take_from_rest(l, h);
}

static void read_result(struct nic_assisted_list *l)
{
    struct nic_alpu_result result;
    while (!results(l)) {
        tick(l, 1);
        l->work.waited++;
    }
    tick(l, l->config.access_cycles);
    nic_alpu_unit_result(l->unit, &result);
    l->work.results++;
    if (result.response == NIC_ALPU_MATCH_SUCCESS)
        matched(l, result.value);
    else if (result.response == NIC_ALPU_MATCH_FAILURE)
        failed(l);
    else {
        l->acknowledged = true;
        l->free = result.value;
    }
}

/* A full command FIFO may be due to a full result FIFO: results
 * are drained before waiting, so it always empties. */
static void write_command(struct nic_assisted_list *l, const struct nic_alpu_command *command)
{
    while (nic_alpu_unit_command(l->unit, command)) {
        if (results(l)) {
            read_result(l);
        } else {
            tick(l, 1);
            l->work.waited++;
        }
    }
    l->work.commands++;
    tick(l, l->config.access_cycles);
}

static void write_op(struct nic_assisted_list *l, enum nic_alpu_op op)
{
    write_command(l, &(struct nic_alpu_command){ .op = op });
}

static void drain(struct nic_assisted_list *l)
{
    while (l->ring.outstanding)
        read_result(l);
}

/* -- inserting */

/* There is an entry to load, and its index is no wider than the unit's tags. */
static bool may_load(const struct nic_assisted_list *l)
{
    return l->waiting != NONE && !is_wide(l, l->waiting);
}

static void load_one(struct nic_assisted_list *l)
{
    uint32_t i = l->waiting;
    struct entry *e = &l->entries[i];
    write_command(l,
                  &(struct nic_alpu_command){ .op = NIC_ALPU_INSERT, .bits = e->bits,
                                              .mask = e->mask, .tag = i });
    nic_match_list_remove(l->rest, i);
    l->waiting = e->next;
    e->loaded = true;
    l->loaded++;
    l->work.inserted++;
}

/* START INSERT, wait, insert, STOP INSERT. What is read while waiting may take entries from `rest`,
 * so their number is looked at afterwards. */
static size_t load(struct nic_assisted_list *l)
{
    size_t n = 0;
    l->acknowledged = false;
    write_op(l, NIC_ALPU_START_INSERT);
    while (!l->acknowledged)
        read_result(l);
    for (; n < l->free && may_load(l); n++)
        load_one(l);
    write_op(l, NIC_ALPU_STOP_INSERT);
    return n;
}

static size_t update(struct nic_assisted_list *l)
{
    size_t waiting = l->count - l->loaded, free = l->config.unit.cells - l->loaded;
    size_t worth = waiting < l->config.room ? waiting : l->config.room;
    return l->in_use && free && free >= worth && may_load(l) ? load(l) : 0;
}

/* -- calls: between begin and finish the work is counted */

static void begin(struct nic_assisted_list *l) { l->work = (struct nic_alpu_work){ 0 }; }

static void finish(struct nic_assisted_list *l, struct nic_alpu_work *work)
{
    if (l->config.batch && l->count - l->loaded >= l->config.batch)
        update(l);
    if (l->in_use && !l->loaded && !l->ring.outstanding && l->config.threshold
        && l->count <= l->config.threshold)
        l->in_use = false;
    if (work)
        *work = l->work;
}

static uint64_t compared(const struct nic_assisted_list *l, uint64_t bits)
{
    return bits & (UINT64_MAX >> (64 - l->config.unit.match_bits));
}

static uint64_t entry_mask(const struct nic_assisted_list *l, uint64_t mask)
{
    return l->config.unit.kind == NIC_ALPU_POSTED ? compared(l, mask) : 0;
}

static uint64_t input_mask(const struct nic_assisted_list *l, uint64_t mask)
{
    return l->config.unit.kind == NIC_ALPU_UNEXPECTED ? compared(l, mask) : 0;
}

static int append(struct nic_assisted_list *l, uint64_t bits, uint64_t mask, uint32_t tag)
{
    /* room in `rest` for the whole list: after a RESET all
     * of it goes there, and that must not fail */
    if ((*spares(l) == NONE && add_spares(l)) || nic_match_list_reserve(l->rest, l->count + 1))
        return -ENOMEM;
    uint32_t i = *spares(l);
    struct entry *e = &l->entries[i];
    if (nic_match_list_append(l->rest, compared(l, bits), entry_mask(l, mask), i))
        return -ENOMEM;
    *spares(l) = e->next;
    *e = (struct entry){ .bits = compared(l, bits), .mask = entry_mask(l, mask), .tag = tag };
    link_last(l, i);
    if (l->config.write)
        l->config.write(l->config.context, i);
    return 0;
}

int nic_assisted_list_append(struct nic_assisted_list *l, uint64_t bits, uint64_t mask,
                             uint32_t tag, struct nic_alpu_work *work)
{
    begin(l);
    int rc = append(l, bits, mask, tag);
    if (l->count > l->config.threshold)
        l->in_use = true;
    finish(l, work);
    return rc;
}

/* The header is outstanding, or decided at once by the processor. */
static int arrive(struct nic_assisted_list *l, struct header header)
{
    struct ring *r = &l->ring;
    if (l->in_use && nic_alpu_unit_header(l->unit, header.bits, header.mask))
        return -EAGAIN;
    struct header *h = &r->at[(r->first + r->decided + r->outstanding) % r->size];
    *h = header;
    if (l->in_use) {
        r->outstanding++;
    } else {
        h->hit = take_from_rest(l, h);
        r->decided++;
    }
    return 0;
}

int nic_assisted_list_arrive(struct nic_assisted_list *l, uint64_t bits, uint64_t mask,
                             uint64_t cookie, struct nic_alpu_work *work)
{
    struct ring *r = &l->ring;
    begin(l);
    int rc = -EAGAIN;
    /* the last place is nic_assisted_list_match's */
    if (r->decided + r->outstanding < r->size - 1)
        rc = arrive(l,
                    (struct header){ .bits = compared(l, bits), .mask = input_mask(l, mask),
                                     .cookie = cookie });
    finish(l, work);
    return rc;
}

bool nic_assisted_list_outcome(struct nic_assisted_list *l, struct nic_alpu_outcome *outcome,
                               struct nic_alpu_work *work)
{
    struct ring *r = &l->ring;
    begin(l);
    bool any = r->decided + r->outstanding;
    if (any) {
        if (!r->decided)
            read_result(l);
        struct header *h = &r->at[r->first];
        *outcome = (struct nic_alpu_outcome){ .cookie = h->cookie, .hit = h->hit, .tag = h->tag };
        r->first = (r->first + 1) % r->size;
        r->decided--;
    }
    finish(l, work);
    return any;
}

bool nic_assisted_list_match(struct nic_assisted_list *l, uint64_t bits, uint64_t mask,
                             uint32_t *tag, struct nic_alpu_work *work)
{
    struct ring *r = &l->ring;
    begin(l);
    drain(l);
    /* the header FIFO is empty: accepted */
    arrive(l, (struct header){ .bits = compared(l, bits), .mask = input_mask(l, mask) });
    drain(l);
    struct header *h = &r->at[(r->first + --r->decided) % r->size];
    bool hit = h->hit;
    if (hit)
        *tag = h->tag;
    finish(l, work);
    return hit;
}

/* From the head as far as the unit has it. */
static bool find_loaded(struct nic_assisted_list *l, uint64_t bits, uint64_t mask, uint32_t *tag)
{
    for (uint32_t i = l->head; i != l->waiting; i = l->entries[i].next) {
        const struct entry *e = &l->entries[i];
        traverse(l, i, 1);
        if (!((e->bits ^ bits) & ~(e->mask | mask))) {
            *tag = e->tag;
            return true;
        }
    }
    return false;
}

static bool find_in_rest(struct nic_assisted_list *l, uint64_t bits, uint64_t mask, uint32_t *tag)
{
    size_t position = nic_match_list_count(l->rest);
    uint32_t i;
    bool hit = nic_match_list_find(l->rest, bits, mask, &i, &position);
    traverse(l, l->waiting, position + hit);
    if (hit)
        *tag = l->entries[i].tag;
    return hit;
}

bool nic_assisted_list_find(struct nic_assisted_list *l, uint64_t bits, uint64_t mask,
                            uint32_t *tag, struct nic_alpu_work *work)
{
    begin(l);
    drain(l);
    bits = compared(l, bits);
    mask = input_mask(l, mask);
    bool hit = find_loaded(l, bits, mask, tag) || find_in_rest(l, bits, mask, tag);
    finish(l, work);
    return hit;
}

/* Empties the unit; everything waits again.  No header is outstanding. */
static void unload(struct nic_assisted_list *l)
{
    write_op(l, NIC_ALPU_RESET);
    nic_match_list_clear(l->rest);
    for (uint32_t i = l->head; i != NONE; i = l->entries[i].next) {
        struct entry *e = &l->entries[i];
        e->loaded = false;
        nic_match_list_append(l->rest, e->bits, e->mask, i);      /* has room: append reserved it */
    }
    l->loaded = 0;
    l->waiting = l->head;
}

static bool take_tag(struct nic_assisted_list *l, uint32_t tag)
{
    uint32_t i = l->head;
    for (; i != NONE && l->entries[i].tag != tag; i = l->entries[i].next)
        traverse(l, i, 1);
    if (i == NONE)
        return false;
    traverse(l, i, 1);
    bool loaded = l->entries[i].loaded;
    if (!loaded)
        nic_match_list_remove(l->rest, i);
    unlink_entry(l, i);
    if (loaded)
        unload(l);
    return true;
}

bool nic_assisted_list_remove(struct nic_assisted_list *l, uint32_t tag, struct nic_alpu_work *work)
{
    begin(l);
    drain(l);
    bool hit = take_tag(l, tag);
    finish(l, work);
    return hit;
}

size_t nic_assisted_list_update(struct nic_assisted_list *l, struct nic_alpu_work *work)
{
    begin(l);
    size_t n = update(l);
    finish(l, work);
    return n;
}

void nic_assisted_list_cycles(struct nic_assisted_list *l, unsigned cycles)
{
    nic_alpu_unit_cycles(l->unit, cycles);
}

size_t nic_assisted_list_count(const struct nic_assisted_list *l) { return l->count; }
size_t nic_assisted_list_loaded(const struct nic_assisted_list *l) { return l->loaded; }
bool nic_assisted_list_in_use(const struct nic_assisted_list *l) { return l->in_use; }
size_t nic_assisted_list_decided(const struct nic_assisted_list *l) { return l->ring.decided; }
const struct nic_alpu_unit *nic_assisted_list_unit(const struct nic_assisted_list *l)
{
    return l->unit;
}

/* -- making */

static int init(struct nic_assisted_list *l)
{
    int rc = nic_alpu_unit_new(&l->config.unit, &l->unit);
    if (rc)
        return rc;
    l->config.unit = *nic_alpu_unit_config(l->unit);
    l->config.room = l->config.room ? l->config.room : 1;
    l->config.access_cycles = l->config.access_cycles ? l->config.access_cycles : ACCESS_CYCLES;
    l->head = l->tail = l->waiting = l->spare[0] = l->spare[1] = NONE;
    l->in_use = !l->config.threshold;
    /* whatever the unit's FIFOs and its pipeline hold, one more that
     * is decided, and the place for nic_assisted_list_match */
    l->ring.size = l->config.unit.header_depth + l->config.unit.result_depth + 3;
    l->ring.at = calloc(l->ring.size, sizeof *l->ring.at);
    l->rest = nic_match_list_new();
    return l->ring.at && l->rest ? 0 : -ENOMEM;
}

int nic_assisted_list_new(const struct nic_assisted_list_config *config,
                          struct nic_assisted_list **list)
{
    struct nic_assisted_list *l = calloc(1, sizeof *l);
    if (!l)
        return -ENOMEM;
    l->config = *config;
    int rc = init(l);
    if (rc)
        nic_assisted_list_delete(l);
    else
        *list = l;
    return rc;
}

void nic_assisted_list_delete(struct nic_assisted_list *l)
{
    if (!l)
        return;
    nic_alpu_unit_delete(l->unit);
    nic_match_list_delete(l->rest);
    free(l->entries);
    free(l->ring.at);
    free(l);
}
