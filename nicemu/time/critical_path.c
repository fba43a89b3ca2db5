/* Ways: how they grow; see time/critical_path.h. */
#include "time/critical_path.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "time/critical_path_state.h"

static_assert((int)NIC_UNIT_HOST == (int)NIC_RES_HOST && (int)NIC_UNIT_BUS == (int)NIC_RES_BUS
              && (int)NIC_UNIT_PROCESSOR == (int)NIC_RES_PROCESSOR
              && (int)NIC_UNIT_ALPU == (int)NIC_RES_ALPU && (int)NIC_UNIT_TX == (int)NIC_RES_TX
                  && (int)NIC_UNIT_RX == (int)NIC_RES_RX
              && (int)NIC_UNIT_LINK == (int)NIC_RES_LINK
                  && (int)NIC_UNIT_COUNT == (int)NIC_RESOURCES, "a unit is a resource");

/* -- what is what */

/* By resource, but for: */
static enum nic_part special(enum nic_cost cost)
{
    switch (cost) {
    case NIC_COST_LIST_ENTRY: case NIC_COST_LIST_MISS: case NIC_COST_LIST_APPEND:
    case NIC_COST_LIST_UNLINK: case NIC_COST_UPDATE:
    case NIC_COST_ALPU_COMMAND: case NIC_COST_ALPU_RESULT:
        return NIC_PART_MATCH;
    case NIC_COST_BUS_READ: case NIC_COST_BUS_READ_BYTE:
    case NIC_COST_BUS_WRITE: case NIC_COST_BUS_WRITE_BYTE:
        return NIC_PART_BUS;
    default:
        return NIC_PART_COUNT;
    }
}

static enum nic_part part_of(const struct nic_explain *x, enum nic_cost cost, unsigned resource)
{
    static const unsigned char part[NIC_RESOURCES] = {
        [NIC_RES_HOST] = NIC_PART_HOST, [NIC_RES_BUS] = NIC_PART_BUS,
            [NIC_RES_PROCESSOR] = NIC_PART_PROCESSOR, [NIC_RES_ALPU] = NIC_PART_MATCH,
        [NIC_RES_TX] = NIC_PART_DMA, [NIC_RES_RX] = NIC_PART_DMA, [NIC_RES_LINK] = NIC_PART_WIRE,
    };
    enum nic_part other = special(cost);
    return other != NIC_PART_COUNT ? other : x->on_host && resource == NIC_RES_PROCESSOR
           ? NIC_PART_HOST : (enum nic_part)part[resource];
}

static bool compares(enum nic_cost cost)
{
    return cost == NIC_COST_LIST_ENTRY || cost == NIC_COST_LIST_MISS
           || cost == NIC_COST_MATCH_ENTRY;
}

/* What must hold wherever a way ends and something else begins. */
static void expect(struct nic_explain *x, bool holds) { x->sum.strays += !holds; }

/* How much of that lies past `end`. */
static uint64_t past(uint64_t end, uint64_t from, uint64_t to)
{
    from = nic_time_later(from, end);
    return to > from ? to - from : 0;
}

/* Only what lies past all that was counted before: so a resource is never more than busy. */
static void occupy(struct nic_explain *x, unsigned resource, uint64_t from, uint64_t to)
{
    uint64_t *until = &x->busy_until[resource];
    if (from < *until)
        from = *until;
    if (to <= from)
        return;
    if (from > *until)
        x->busy_from[resource] = from;
    if (x->ended)
        x->sum.after[resource] += past(x->sum.end, from, to);
    x->sum.busy[resource] += to - from;
    *until = to;
}

/* -- ways that wait.  Out of memory is the end, as for events. */

static void more_room(struct nic_explain *x)
{
    uint32_t room = x->room ? 2 * x->room : 256;
    x->kept = realloc(x->kept, room * sizeof *x->kept);
    if (!x->kept) {
        fputs("nicemu: no memory to explain the model clock\n", stderr);
        abort();
    }
    for (uint32_t i = room - 1; i >= x->room && i; i--) {
        x->kept[i].next = x->free;
        x->free = i;
    }
    x->room = room;
}

static uint32_t keep(struct nic_explain *x, const struct nic_critical_path *w, uint64_t moved)
{
    if (!x->free)
        more_room(x);
    uint32_t i = x->free;
    x->free = x->kept[i].next;
    x->kept[i] = (struct nic_kept_way){ .way = *w, .moved = moved };
    return i;
}

static void drop(struct nic_explain *x, uint32_t i)
{
    if (!i)
        return;
    x->kept[i].next = x->free;
    x->free = i;
}

/* -- the host */

static uint64_t host_of(const struct nic_explain *x) { return x->clock->free_at[NIC_RES_HOST]; }

static struct nic_critical_path host_way(const struct nic_explain *x)
{
    struct nic_critical_path w = { .began = x->call.from, .time = x->call.from, .rank = x->rank };
    if (x->call.resumes)
        w = x->resumed;
    uint64_t worked = w.time + x->costs, now = host_of(x);
    worked = worked < now ? worked : now;
    nic_explain_extend(&w, worked - x->packing, NIC_PART_HOST);
    nic_explain_extend(&w, worked, NIC_PART_PACK);
    nic_explain_extend(&w, now, NIC_PART_WAIT);
    return w;
}

void nic_explain_enter(struct nic_explain *x)
{
    x->call = (struct nic_explained_call){ .from = host_of(x) };
    x->costs = x->packing = 0;
}

static void add_call(struct nic_explained_calls *sum, const struct nic_explained_call *c,
                     uint64_t end)
{
    uint64_t part = c->part ? c->part : c->until;
    sum->count++;
    sum->before += part - c->from;
    sum->during += c->until - part;
    sum->after += end - c->until;
}

/* Only calls that were about one message, from its beginning to its end. */
void nic_explain_leave(struct nic_explain *x)
{
    const struct nic_explained_call *c = &x->call;
    if (c->seen == 1 && c->sends + c->receives == 1 && c->part <= c->until)
        add_call(c->sends ? &x->sum.sends : &x->sum.receives, c, host_of(x));
    x->call.seen = 0;
}

void nic_explain_computed(struct nic_explain *x, uint64_t time)
{
    x->sum.computed += time;
}

void nic_explain_waits(struct nic_explain *x)
{
    if (x->call.receives && !x->call.waits)
        x->call.part = host_of(x);
    x->call.waits = true;
}

/* The host's time has moved on by that already. */
static void observe_host_charge(struct nic_explain *x, enum nic_cost cost, uint64_t price)
{
    uint64_t now = host_of(x);
    x->costs += price;
    x->packing += cost == NIC_COST_PACK || cost == NIC_COST_PACK_BYTE ? price : 0;
    occupy(x, NIC_RES_HOST, now - price, now);
    x->call.sends += cost == NIC_COST_SEND_BEFORE;
    x->call.receives += cost == NIC_COST_RECV_BEFORE;
    if (cost == NIC_COST_COMMAND && x->call.sends && !x->call.transfer)
        x->call.part = now;
}

/* -- handlers */

uint32_t nic_explain_event(struct nic_explain *x, const struct nic_event_key *key,
                           uint64_t crossing)
{
    struct nic_critical_path w = x->in ? x->way : host_way(x);
    if (x->in && x->has_dma_done && x->dma_done.time > w.time && x->dma_done.time <= key->time)
        w = x->dma_done;
    if (!x->in)
        w.sequence = key->sequence;
    if (crossing) {
        occupy(x, NIC_RES_BUS, w.time, w.time + crossing);
        nic_explain_extend(&w, nic_time_sooner(w.time + crossing, key->time), NIC_PART_BUS);
    }
    nic_explain_extend(&w, key->time, NIC_PART_WAIT);
    expect(x, w.time == key->time);
    return keep(x, &w, w.time);
}

void nic_explain_begin(struct nic_explain *x, uint32_t way, uint64_t key, uint64_t start,
                       bool off_processor)
{
    x->base = way ? x->kept[way].way : (struct nic_critical_path){ .began = key, .time = key,
                                                         .rank = x->rank };
    if (way && x->kept[way].crossing)
        occupy(x, NIC_RES_BUS, key - x->kept[way].crossing, key);
    drop(x, way);
    expect(x, way && x->base.time == key);
    x->way = x->base;
    nic_explain_extend(&x->way, start, NIC_PART_WAIT);
    x->in = true;
    x->off_processor = off_processor;
    x->start = start;
    x->has_dma_done = x->moves[NIC_EXPLAIN_TX] = x->moves[NIC_EXPLAIN_RX] = x->carries = false;
}

void nic_explain_end(struct nic_explain *x)
{
    expect(x, x->way.time == x->clock->now);
    if (!x->off_processor)
        occupy(x, x->on_host ? NIC_RES_HOST : NIC_RES_PROCESSOR, x->start, x->clock->now);
}

void nic_explain_over(struct nic_explain *x) { x->in = false; }

void nic_explain_catch_up(struct nic_explain *x, uint64_t now)
{
    if (!x->in) {
        x->way = host_way(x);
        x->has_dma_done = x->moves[NIC_EXPLAIN_TX] = x->moves[NIC_EXPLAIN_RX] = false;
    }
    nic_explain_extend(&x->way, now, NIC_PART_WAIT);
}

void nic_explain_reach_engine(const struct nic_explain *x, struct nic_critical_path *w,
                              uint64_t time)
{
    uint64_t there = w->time + x->clock->to_engine;
    nic_explain_extend(w, there < time ? there : time, NIC_PART_BUS);
}

static void charge_dma_engine(struct nic_explain *x, const struct nic_charge *c, unsigned m)
{
    struct nic_critical_path *w = &x->dma_engine[m];
    if (!x->moves[m] || w->time != c->start) {
        *w = x->way;
        if (m == NIC_EXPLAIN_TX)
            nic_explain_reach_engine(x, w, c->start);
    }
    x->moves[m] = true;
    nic_explain_extend(w, c->start, NIC_PART_WAIT);
    nic_explain_extend(w, c->end, part_of(x, c->cost, c->resource));
    if (!x->has_dma_done || w->time > x->dma_done.time)
        x->dma_done = *w;
    x->has_dma_done = true;
}

/* Where the host does it by itself. */
static void see_transfer(struct nic_explain *x, const struct nic_charge *c)
{
    if (!x->on_host || !x->call.sends || x->call.transfer
        || (c->cost != NIC_COST_RDMA_SETUP && c->resource != NIC_RES_TX))
        return;
    x->call.transfer = true;
    x->call.part = c->start;
}

static void observe_charge(struct nic_explain *x, const struct nic_charge *c)
{
    bool by_handler = x->in && !x->off_processor
                      && c->resource == (x->on_host ? NIC_RES_HOST : NIC_RES_PROCESSOR);
    /* what is a handler's is counted when it ends */
    if (!by_handler && !(x->in && x->on_host && c->resource == NIC_RES_PROCESSOR))
        occupy(x, c->resource, c->start, c->end);
    if (!x->in)
        nic_explain_catch_up(x, x->clock->now);
    see_transfer(x, c);
    if (c->dma_engine) {
        charge_dma_engine(x, c, c->resource == NIC_RES_TX ? NIC_EXPLAIN_TX : NIC_EXPLAIN_RX);
        return;
    }
    nic_explain_extend(&x->way, c->start, NIC_PART_WAIT);
    nic_explain_extend(&x->way, c->end, part_of(x, c->cost, c->resource));
    if (compares(c->cost))
        x->way.compared += c->units;
}

/* There is room for all keys that a program may have. */
void nic_explain_named(struct nic_explain *x, const char *name, uint64_t count, uint64_t time)
{
    struct nic_explained_own *own = x->sum.own, *end = own + NIC_EXPLAINED_OWN;
    while (own < end && *own->name && strncmp(own->name, name, sizeof own->name - 1))
        own++;
    expect(x, own < end);
    if (own == end)
        return;
    snprintf(own->name, sizeof own->name, "%s", name);
    own->count += count;
    own->time += time;
}

/* A key may be charged by several costs. */
void nic_explain_charged(struct nic_explain *x, const char *key, unsigned unit, uint64_t times,
                         uint64_t time)
{
    struct nic_explained_charge *c = x->sum.charge, *end = c + NIC_EXPLAINED_CHARGES;
    while (c < end && *c->key && (strcmp(c->key, key) || c->unit != unit))
        c++;
    expect(x, c < end);
    if (c == end)
        return;
    snprintf(c->key, sizeof c->key, "%s", key);
    c->unit = unit;
    c->times += times;
    c->time += time;
}

void nic_explain_expect(struct nic_explain *x, bool holds) { expect(x, holds); }

static void observe_depart_begin(struct nic_explain *x, uint64_t begin)
{
    if (!x->in)
        nic_explain_catch_up(x, x->clock->now);
    const struct nic_critical_path *w = &x->dma_engine[NIC_EXPLAIN_TX];
    x->leaving = x->moves[NIC_EXPLAIN_TX] && w->time == begin ? *w : x->way;
    nic_explain_reach_engine(x, &x->leaving, begin);
    nic_explain_extend(&x->leaving, begin, NIC_PART_WAIT);
}

static void observe_write_begin(struct nic_explain *x)
{
    x->before = x->dma_done;
    x->had_before = x->has_dma_done;
}

static void observe_write_end(struct nic_explain *x)
{
    x->dma_done = x->before;
    x->has_dma_done = x->had_before;
    x->carries = true;
}

/* The request goes there and the first byte comes back; of reads that follow each other the engine
 * is the one to wait for. */
static void observe_read(struct nic_explain *x, uint64_t begin, uint64_t start, uint64_t end)
{
    const struct nic_critical_path *last = &x->dma_engine[NIC_EXPLAIN_RX];
    struct nic_critical_path w = x->moves[NIC_EXPLAIN_RX] && last->time == start ? *last : x->way;
    uint64_t there = begin - x->clock->cost[NIC_COST_RDMA];
    nic_explain_reach_engine(x, &w, there);
    nic_explain_extend(&w, there, NIC_PART_WIRE);
    nic_explain_extend(&w, begin, NIC_PART_DMA);
    nic_explain_extend(&w, start, NIC_PART_WAIT);
    nic_explain_extend(&w, end, NIC_PART_DMA);
    occupy(x, NIC_RES_RX, start, end);
    x->dma_engine[NIC_EXPLAIN_RX] = x->leaving = w;
    x->moves[NIC_EXPLAIN_RX] = x->carries = true;
}

void nic_explain_read_moves(struct nic_explain *x)
{
    if (!x->has_dma_done || x->dma_engine[NIC_EXPLAIN_RX].time > x->dma_done.time)
        x->dma_done = x->dma_engine[NIC_EXPLAIN_RX];
    x->has_dma_done = true;
    x->carries = false;
}

static void observe_depart(struct nic_explain *x, const struct nic_departure *d)
{
    struct nic_critical_path *w = &x->leaving;
    uint64_t ahead = d->left + d->hop - d->arrival;
    occupy(x, NIC_RES_LINK, d->wire_begin, d->wire_end);
    if (ahead) {        /* the engine has not come to its end when the first byte arrives */
        nic_explain_extend(w, nic_time_sooner(d->wire_begin, d->left - ahead), NIC_PART_WAIT);
        nic_explain_extend(w, d->left - ahead, NIC_PART_DMA);
    } else if (d->wire_end < d->left) {
        *w = x->dma_engine[NIC_EXPLAIN_TX];
    } else {
        nic_explain_extend(w, d->wire_begin, NIC_PART_WAIT);
        nic_explain_extend(w, d->wire_end, NIC_PART_WIRE);
    }
    nic_explain_extend(w, d->left - ahead, NIC_PART_DMA);
    nic_explain_extend(w, d->arrival, NIC_PART_WIRE);
    expect(x, w->time == d->arrival);
}

static void observe_tail(struct nic_explain *x, uint64_t time)
{
    if (!x->has_dma_done)
        x->dma_done = x->way;
    nic_explain_extend(&x->dma_done, time, NIC_PART_WIRE);
    x->has_dma_done = true;
}

void nic_explain_packet(const struct nic_explain *x, uint32_t sequence, struct nic_critical_path *w)
{
    *w = x->leaving;
    if (!x->in)
        w->sequence = sequence;
}

const struct nic_clock_observer nic_explain_observer = {
    .charge = observe_charge, .host_charge = observe_host_charge,
        .depart_begin = observe_depart_begin,
    .depart = observe_depart, .tail = observe_tail,
    .write_begin = observe_write_begin, .write_end = observe_write_end,
        .read = observe_read,
};

uint32_t nic_explain_adopt(struct nic_explain *x, const struct nic_critical_path *w)
{
    return keep(x, w, w->time);
}

/* -- what programs say */

uint32_t nic_explain_keep(struct nic_explain *x)
{
    return x->in ? keep(x, &x->way, x->has_dma_done ? x->dma_done.time : x->way.time) : 0;
}

uint32_t nic_explain_keep_any(struct nic_explain *x)
{
    if (x->in)
        return nic_explain_keep(x);
    struct nic_critical_path w = host_way(x);
    w.sequence = (uint32_t)x->clock->sequence;  /* of the event that the host makes next */
    return keep(x, &w, w.time);
}

uint32_t nic_explain_keep_event(struct nic_explain *x)
{
    return x->in ? keep(x, &x->base, x->base.time) : 0;
}

void nic_explain_resume(struct nic_explain *x, uint32_t *kept, enum nic_part reason)
{
    if (!*kept || x->in)
        return;
    x->resumed = x->kept[*kept].way;
    expect(x, x->resumed.time <= host_of(x));
    nic_explain_extend(&x->resumed, host_of(x), reason);
    x->call.resumes = true;
    x->costs = x->packing = 0;
    nic_explain_drop(x, kept);
}

/* The first `time` of what a handler has done so far lies before what it joins: waiting for the
 * processor, as a rule. */
static void cut(struct nic_critical_path *mine, uint64_t time)
{
    for (unsigned i = 0; i < NIC_PART_COUNT && time; i++) {
        uint64_t *part = &mine->part[(NIC_PART_WAIT + i) % NIC_PART_COUNT],
            least = *part < time ? *part : time;
        *part -= least;
        time -= least;
    }
}

static void join(struct nic_explain *x, const struct nic_kept_way *k, enum nic_part reason)
{
    struct nic_critical_path mine = x->way, base = k->way;
    for (unsigned p = 0; p < NIC_PART_COUNT; p++)
        mine.part[p] -= x->base.part[p];
    mine.compared -= x->base.compared;
    if (base.time > x->base.time)
        cut(&mine, base.time - x->base.time);
    nic_explain_extend(&base, k->moved < x->base.time ? k->moved : x->base.time, NIC_PART_DMA);
    nic_explain_extend(&base, x->base.time, reason);
    x->base = x->way = base;
    for (unsigned p = 0; p < NIC_PART_COUNT; p++)
        x->way.part[p] += mine.part[p];
    x->way.compared += mine.compared;
    x->way.time = mine.time;
    x->has_dma_done = x->moves[NIC_EXPLAIN_TX] = x->moves[NIC_EXPLAIN_RX] = false;
}

/* What was kept later than now cannot have led here. */
void nic_explain_join(struct nic_explain *x, uint32_t kept, enum nic_part reason)
{
    if (!kept || !x->in)
        return;
    if (x->kept[kept].way.time <= x->way.time)
        join(x, &x->kept[kept], reason);
    else
        expect(x, false);
}

void nic_explain_later(struct nic_explain *x, uint32_t *kept, uint32_t *other)
{
    if (*kept && *other && x->kept[*kept].way.time >= x->kept[*other].way.time) {
        nic_explain_drop(x, other);
    } else if (*other) {
        nic_explain_drop(x, kept);
        *kept = *other;
        *other = 0;
    }
}

void nic_explain_drop(struct nic_explain *x, uint32_t *kept)
{
    drop(x, *kept);
    *kept = 0;
}

/* -- ends */

static bool adds_up(const struct nic_critical_path *w)
{
    uint64_t sum = w->began;
    for (unsigned p = 0; p < NIC_PART_COUNT; p++)
        sum += w->part[p];
    return sum == w->time;
}

static void arrive(struct nic_explain *x, const struct nic_critical_path *w,
                   const struct nic_arrival *a)
{
    struct nic_explained e = { .way = *w, .bytes = a->bytes, .tag = a->tag,
                               .to = a->one_sided ? a->target : x->rank,
                               .collective = a->collective, .one_sided = a->one_sided };
    const bool message = !a->collective && !a->one_sided;
    strncpy(e.how, a->how, sizeof e.how - 1);
    x->sum.messages += message;
    x->sum.collectives += a->collective;
    x->sum.one_sided += a->one_sided;
    expect(x, adds_up(w) && (a->collective || w->rank == (message ? a->source : x->rank)));
    x->sum.total += message ? w->time - w->began : 0;
    for (unsigned p = 0; p < NIC_PART_COUNT && message; p++)
        x->sum.part[p] += w->part[p];
    nic_slowest_add(&x->slowest, &e);
}

void nic_explain_notice(struct nic_explain *x, uint32_t *kept, const struct nic_arrival *a,
                        uint64_t seen, uint64_t noticed)
{
    x->call.seen++;
    x->call.until = seen;
    if (*kept && a) {
        struct nic_critical_path *w = &x->kept[*kept].way;
        expect(x, w->time <= seen);
        nic_explain_extend(w, seen, NIC_PART_AWAY);
        nic_explain_extend(w, w->time + (noticed - seen), NIC_PART_HOST);
        nic_explain_extend(w, w->time + (host_of(x) - noticed), NIC_PART_PACK);
        arrive(x, w, a);
    }
    nic_explain_drop(x, kept);
}

void nic_explain_end_of(struct nic_explain *x, uint32_t *kept, const struct nic_arrival *a)
{
    if (*kept)
        arrive(x, &x->kept[*kept].way, a);
    nic_explain_drop(x, kept);
}

/* -- life */

struct nic_explain *nic_explain_new(struct nic_clock *clock, uint32_t rank, unsigned keep_most)
{
    struct nic_explain *x = calloc(1, sizeof *x);
    if (!x || !nic_slowest_init(&x->slowest, keep_most)) {
        free(x);
        return NULL;
    }
    x->clock = clock;
    x->rank = rank;
    return x;
}

void nic_explain_host_runs_handlers(struct nic_explain *x) { x->on_host = true; }
void nic_explain_by_nic(struct nic_explain *x, bool by_nic) { x->on_host = !by_nic; }

/* Units may have been asked in time for what they do later. */
void nic_explain_ends(struct nic_explain *x)
{
    x->ended = true;
    x->sum.end = host_of(x);
    for (unsigned r = 0; r < NIC_RESOURCES; r++)
        x->sum.after[r] = past(x->sum.end, x->busy_from[r], x->busy_until[r]);
}

const struct nic_explained_rank *nic_explain_close(struct nic_explain *x,
        const struct nic_explained **slowest, unsigned *count)
{
    struct nic_explained_rank *s = &x->sum;
    s->waited = s->end - s->computed - s->busy[NIC_UNIT_HOST];
    memcpy(s->until, x->busy_until, sizeof s->until);
    *slowest = x->slowest.heap;
    *count = x->slowest.count;
    return s;
}

void nic_explain_delete(struct nic_explain *x)
{
    if (!x)
        return;
    free(x->kept);
    free(x->slowest.heap);
    free(x);
}
