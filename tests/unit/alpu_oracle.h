/* The associative list processing unit beside a linear list and cells that move one by one: what it
 * does is checked cycle by cycle. */
#ifndef ALPU_ORACLE_H
#define ALPU_ORACLE_H

#include "loop.h"

/* -- the oracle: a linear list, the FIFOs, the mode; and the cells, literally. It follows what the
 * unit says it does, and says whether it may. */

enum { QUEUE_MAX = 128 };
struct header { uint64_t bits, mask; };
union place { struct header header; struct nic_alpu_command command; struct nic_alpu_result result;
              };
struct queue { unsigned first, count; union place at[QUEUE_MAX]; };

struct oracle {
    struct nic_alpu_unit *unit;
    struct nic_alpu_unit_config config;
    struct nic_match_entry list[NIC_ALPU_CELLS_MAX];
    unsigned entries;
    struct { bool valid; struct nic_match_entry entry; } cell[NIC_ALPU_CELLS_MAX];
    struct queue headers, commands, results;
    struct header header;               /* being matched, or held */
    struct nic_alpu_command command;    /* being executed */
    bool inserting, held;
};

static inline void *put(struct queue *q)
{
    must(q->count < QUEUE_MAX);
    return &q->at[(q->first + q->count++) % QUEUE_MAX];
}

static inline void *take(struct queue *q)
{
    must(q->count);
    q->count--;
    return &q->at[q->first++ % QUEUE_MAX];
}

static inline unsigned list_find(const struct oracle *o)
{
    unsigned i = 0;
    while (i < o->entries
           && ((o->list[i].bits ^ o->header.bits) & ~(o->list[i].mask | o->header.mask)))
        i++;
    return i;
}

static inline void expect(struct oracle *o, enum nic_alpu_response response, uint32_t value)
{
    *(struct nic_alpu_result *)put(&o->results) = (struct nic_alpu_result){ response, value };
}

static inline bool cell_matches(const struct oracle *o, int i)
{
    uint64_t differ = o->cell[i].entry.bits ^ o->header.bits;
    return o->cell[i].valid && !(differ & ~(o->cell[i].entry.mask | o->header.mask));
}

/* The highest cell that matches is taken; those below move up. */
static inline void cells_delete(struct oracle *o)
{
    int i = (int)o->config.cells - 1;
    while (i >= 0 && !cell_matches(o, i))
        i--;
    must(i >= 0);
    for (; i > 0; i--)
        o->cell[i] = o->cell[i - 1];
    o->cell[0].valid = false;
}

/* A higher cell of its block is empty, or the lowest cell of the next block. */
static inline bool space_above(const struct oracle *o, unsigned i)
{
    unsigned next_block = (i / o->config.block + 1) * o->config.block;
    for (unsigned j = i + 1; j < next_block && j < o->config.cells; j++)
        if (!o->cell[j].valid)
            return true;
    return next_block < o->config.cells && !o->cell[next_block].valid;
}

static inline bool cells_open(const struct oracle *o)
{
    return !o->cell[0].valid || space_above(o, 0);
}

/* All at once: whether a cell moves depends on what was valid before. */
static inline void cells_step(struct oracle *o, const struct nic_match_entry *insert)
{
    static bool moves[NIC_ALPU_CELLS_MAX];
    bool space = false;
    for (unsigned i = o->config.cells; i-- > 0;) {
        if ((i + 1) % o->config.block == 0)
            space = i + 1 < o->config.cells && !o->cell[i + 1].valid;
        moves[i] = o->cell[i].valid && space;
        space = space || !o->cell[i].valid;
    }
    for (unsigned i = o->config.cells; i-- > 0;)
        if (moves[i]) {
            must(!o->cell[i + 1].valid);
            o->cell[i + 1] = o->cell[i];
            o->cell[i].valid = false;
        }
    if (insert) {
        must(!o->cell[0].valid);
        o->cell[0].valid = true;
        o->cell[0].entry = *insert;
    }
}

static inline void check_cells(const struct oracle *o)
{
    struct nic_match_entry e;
    unsigned n = 0;
    for (unsigned i = o->config.cells; i-- > 0;) {
        must(nic_alpu_unit_cell(o->unit, i, &e) == o->cell[i].valid);
        if (!o->cell[i].valid)
            continue;
        must(e.bits == o->cell[i].entry.bits && e.mask == o->cell[i].entry.mask
             && e.tag == o->cell[i].entry.tag);
        must(n < o->entries && e.tag == o->list[n].tag && e.bits == o->list[n].bits
             && e.mask == o->list[n].mask);
        n++;
    }
    must(n == o->entries);
    must(!nic_alpu_unit_cell(o->unit, o->config.cells, &e));
}

static inline bool is_legal(const struct oracle *o, unsigned op)
{
    return o->inserting ? op == NIC_ALPU_INSERT || op == NIC_ALPU_STOP_INSERT
           : op == NIC_ALPU_START_INSERT || op == NIC_ALPU_RESET;
}

static inline void follow_begin(struct oracle *o, const struct nic_alpu_unit_status *was,
                                const struct nic_alpu_unit_status *is,
                         const struct nic_alpu_counts *before, const struct nic_alpu_counts *after)
{
    if (is->commands < was->commands) {
        must(!was->busy);
        must(!o->held || o->inserting);
        o->command = *(struct nic_alpu_command *)take(&o->commands);
        must((after->discards > before->discards) == !is_legal(o, o->command.op));
        must((after->overflows > before->overflows)
             == (o->inserting && o->command.op == NIC_ALPU_INSERT
                 && o->entries == o->config.cells));
    } else {
        must(after->discards == before->discards && after->overflows == before->overflows);
    }
    if (is->headers < was->headers || after->retries > before->retries) {
        must(!was->busy);
        must(!was->commands || (o->held && !o->inserting));
        must((after->retries > before->retries) == o->held);
        must(!o->held || !o->inserting || o->config.retry_inserts);
        if (!o->held)
            o->header = *(struct header *)take(&o->headers);
    }
}

static inline void follow_end(struct oracle *o, const struct nic_alpu_counts *before,
                              const struct nic_alpu_counts *after)
{
    bool matched = after->hits + after->misses + after->holds > before->hits + before->misses
                   + before->holds;
    unsigned i = matched ? list_find(o) : 0;
    if (after->hits > before->hits) {
        must(i < o->entries);
        expect(o, NIC_ALPU_MATCH_SUCCESS, o->list[i].tag);
        cells_delete(o);
        memmove(&o->list[i], &o->list[i + 1], (--o->entries - i) * sizeof *o->list);
        o->held = false;
    } else if (after->misses > before->misses) {
        must(i == o->entries && !o->inserting);
        expect(o, NIC_ALPU_MATCH_FAILURE, 0);
        o->held = false;
    } else if (after->holds > before->holds) {
        must(i == o->entries && o->inserting);
        o->held = true;
    } else if (after->starts > before->starts) {
        must(o->command.op == NIC_ALPU_START_INSERT && !o->inserting);
        expect(o, NIC_ALPU_START_ACKNOWLEDGE, o->config.cells - o->entries);
        o->inserting = true;
    } else if (after->stops > before->stops) {
        must(o->command.op == NIC_ALPU_STOP_INSERT && o->inserting);
        o->inserting = false;
    } else if (after->resets > before->resets) {
        must(o->command.op == NIC_ALPU_RESET && !o->inserting);
        o->entries = 0;
        for (unsigned k = 0; k < o->config.cells; k++)
            o->cell[k].valid = false;
    }
}

static inline void cycle(struct oracle *o)
{
    struct nic_alpu_unit_status was, is;
    struct nic_alpu_counts before = *nic_alpu_unit_counts(o->unit), after;
    nic_alpu_unit_status(o->unit, &was);
    must((was.state == NIC_ALPU_STATE_INSERT) == o->inserting && was.held == o->held);
    nic_alpu_unit_cycle(o->unit);
    nic_alpu_unit_status(o->unit, &is);
    after = *nic_alpu_unit_counts(o->unit);
    follow_begin(o, &was, &is, &before, &after);
    bool match = was.matching || is.matching || after.hits > before.hits
                 || after.holds > before.holds;
    if (after.insert_stalls > before.insert_stalls)
        must(o->inserting && !match && !cells_open(o) && o->entries < o->config.cells);
    if (after.inserts > before.inserts) {
        must(o->inserting && !match && cells_open(o) && o->command.op == NIC_ALPU_INSERT);
        struct nic_match_entry e = { o->command.bits, o->command.mask, o->command.tag };
        cells_step(o, &e);
        o->list[o->entries++] = e;
    } else if (o->inserting && !match) {
        cells_step(o, NULL);
    }
    follow_end(o, &before, &after);
    must(is.entries == o->entries && is.free == o->config.cells - o->entries);
    must(is.headers == o->headers.count && is.commands == o->commands.count
         && is.results == o->results.count);
}

static inline uint64_t low_bits(uint64_t v, unsigned bits)
{
    return v & (UINT64_MAX >> (64 - bits));
}

static inline bool push_header(struct oracle *o, uint64_t bits, uint64_t mask)
{
    bool room = o->headers.count < o->config.header_depth;
    must(nic_alpu_unit_header(o->unit, bits, mask) == (room ? 0 : -11));
    if (!room)
        return false;
    bool masked = o->config.kind == NIC_ALPU_UNEXPECTED;
    *(struct header *)put(&o->headers) = (struct header){
        low_bits(bits, o->config.match_bits), masked ? low_bits(mask, o->config.match_bits) : 0 };
    return true;
}

static inline bool push_command(struct oracle *o, unsigned op, uint64_t bits, uint64_t mask,
                                uint32_t tag)
{
    struct nic_alpu_command c = { (enum nic_alpu_op)op, tag, bits, mask };
    bool room = o->commands.count < o->config.command_depth;
    must(nic_alpu_unit_command(o->unit, &c) == (room ? 0 : -11));
    c.bits = low_bits(bits, o->config.match_bits);
    c.mask = o->config.kind == NIC_ALPU_POSTED ? low_bits(mask, o->config.match_bits) : 0;
    c.tag = (uint32_t)low_bits(tag, o->config.tag_bits);
    if (room)
        *(struct nic_alpu_command *)put(&o->commands) = c;
    return room;
}

static inline bool pop_result(struct oracle *o, struct nic_alpu_result *got)
{
    struct nic_alpu_result result;
    bool any = nic_alpu_unit_result(o->unit, &result);
    must(any == (o->results.count > 0));
    if (any) {
        struct nic_alpu_result *want = take(&o->results);
        must(result.response == want->response && result.value == want->value);
        if (got)
            *got = result;
    }
    return any;
}

static inline void run(struct oracle *o)
{
    for (unsigned n = 0; !nic_alpu_unit_idle(o->unit); n++) {
        must(n < 1000000);
        cycle(o);
    }
}

static inline void open_unit(struct oracle *o, struct nic_alpu_unit_config config)
{
    memset(o, 0, sizeof *o);
    must(nic_alpu_unit_new(&config, &o->unit) == 0);
    o->config = *nic_alpu_unit_config(o->unit);
}

static inline void close_unit(struct oracle *o) { nic_alpu_unit_delete(o->unit); }

static inline const struct nic_alpu_counts *counts(const struct oracle *o)
{
    return nic_alpu_unit_counts(o->unit);
}

static inline struct nic_alpu_unit_status status(const struct oracle *o)
{
    struct nic_alpu_unit_status s;
    nic_alpu_unit_status(o->unit, &s);
    return s;
}

static struct oracle oracle;

/* -- one thing each */

static inline void start(struct oracle *o)
{
    must(push_command(o, NIC_ALPU_START_INSERT, 0, 0, 0));
    run(o);
    must(o->inserting);
}

static inline void insert(struct oracle *o, uint64_t bits, uint32_t tag)
{
    must(push_command(o, NIC_ALPU_INSERT, bits, 0, tag));
}

static inline void stop(struct oracle *o)
{
    must(push_command(o, NIC_ALPU_STOP_INSERT, 0, 0, 0));
    run(o);
    must(!o->inserting);
}

/* Entries with bits 0, 1, 2 ... and tags 100, 101, ... */
static inline void fill(struct oracle *o, unsigned n)
{
    start(o);
    for (unsigned i = 0; i < n; i++) {
        insert(o, i, 100 + i);
        run(o);
    }
    stop(o);
    while (pop_result(o, NULL))
        ;
}

static inline void expect_result(struct oracle *o, enum nic_alpu_response response, uint32_t value)
{
    struct nic_alpu_result r = { 0 };
    must(pop_result(o, &r));
    if (r.response != response || r.value != value)
        ck_abort_msg("%s %u, expected %s %u", nic_alpu_response_name(r.response), r.value,
                     nic_alpu_response_name(response), value);
}

#endif
