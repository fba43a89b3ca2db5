/* The associative list processing unit: FIFOs and the governing state machine, over the matching
 * store and a map of the cells.
 *
 * Entry k of the store lies in the (k + 1)th used cell from the top: both lose and gain entries in
 * the same functions only (enter_cell, take_match, and a RESET), so they agree at the end of every
 * cycle. */
#include <errno.h>
#include <stdlib.h>

#include "match/cells.h"
#include "nicemu/alpu_unit.h"
#include "nicemu/match.h"

/* One width for all three FIFOs: op is a command or a response, tag also a response's value. */
struct word { uint64_t bits, mask; uint32_t tag, op; };

struct fifo {
    struct word *at;
    unsigned depth, first, count;
};

enum work { IDLE, MATCHING, STARTING, INSERTING, STOPPING, RESETTING, DISCARDING };

struct nic_alpu_unit {
    struct nic_alpu_unit_config config;
    struct nic_alpu_cells cells;
    struct nic_match_list *store;
    struct fifo headers, commands, results;
    enum nic_alpu_state state;
    enum work work;
    unsigned left;                  /* cycles of the work; 0 when idle */
    bool entered;                   /* INSERTING: the entry has its cell */
    bool held;                      /* `input` failed in insert mode */
    bool retry_due;                 /* and something has been inserted since */
    bool followed;                  /* the last cycle ended a match */
    struct word input, command;     /* in work; input also while held */
    struct nic_alpu_counts counts;
};

#define NAME(name) #name,
static const char *const op_names[] = { NIC_ALPU_OPS(NAME) };
static const char *const response_names[] = { NIC_ALPU_RESPONSES(NAME) };
static const char *const state_names[] = { NIC_ALPU_STATES(NAME) };

const char *nic_alpu_op_name(unsigned op) { return op < NIC_ALPU_OP_COUNT ? op_names[op] : "?"; }
const char *nic_alpu_response_name(unsigned response)
{
    return response < NIC_ALPU_RESPONSE_COUNT ? response_names[response] : "?";
}
const char *nic_alpu_state_name(unsigned state)
{
    return state < NIC_ALPU_STATE_COUNT ? state_names[state] : "?";
}

/* -- FIFOs */

static int fifo_init(struct fifo *f, unsigned depth)
{
    f->depth = depth;
    f->at = calloc(depth, sizeof *f->at);
    return f->at ? 0 : -ENOMEM;
}

static bool is_full(const struct fifo *f) { return f->count == f->depth; }

static int push(struct fifo *f, struct word word, uint64_t *peak)
{
    if (is_full(f))
        return -EAGAIN;
    f->at[(f->first + f->count++) % f->depth] = word;
    if (f->count > *peak)
        *peak = f->count;
    return 0;
}

static struct word pop(struct fifo *f)
{
    struct word word = f->at[f->first];
    f->first = (f->first + 1) % f->depth;
    f->count--;
    return word;
}

/* -- making */

static unsigned or_default(unsigned value, unsigned other) { return value ? value : other; }

static void fill_in(struct nic_alpu_unit_config *c)
{
    c->cells = or_default(c->cells, 256);
    c->block = or_default(c->block, 16);
    c->match_bits = or_default(c->match_bits, 42);
    c->tag_bits = or_default(c->tag_bits, 16);
    c->header_depth = or_default(c->header_depth, 64);
    c->command_depth = or_default(c->command_depth, 64);
    c->result_depth = or_default(c->result_depth, 64);
    c->match_cycles = or_default(c->match_cycles, c->cells > 8 * c->block ? 7 : 6);
    c->insert_cycles = or_default(c->insert_cycles, 2);
    c->command_cycles = or_default(c->command_cycles, 1);
}

static bool is_valid(const struct nic_alpu_unit_config *c)
{
    return (c->kind == NIC_ALPU_POSTED || c->kind == NIC_ALPU_UNEXPECTED)
           && c->block <= NIC_ALPU_BLOCK_MAX && (c->block & (c->block - 1)) == 0
           && c->cells <= NIC_ALPU_CELLS_MAX
           && c->match_bits <= 64 && c->tag_bits <= 32
           && c->header_depth <= NIC_ALPU_FIFO_MAX && c->command_depth <= NIC_ALPU_FIFO_MAX
               && c->result_depth <= NIC_ALPU_FIFO_MAX;
}

static int init(struct nic_alpu_unit *u)
{
    const struct nic_alpu_unit_config *c = &u->config;
    u->store = nic_match_list_new();
    if (!u->store || nic_match_list_reserve(u->store, c->cells))
        return -ENOMEM;
    u->cells.total = c->cells;
    u->cells.block = c->block;
    nic_alpu_cells_clear(&u->cells);
    if (fifo_init(&u->headers, c->header_depth) || fifo_init(&u->commands, c->command_depth))
        return -ENOMEM;
    return fifo_init(&u->results, c->result_depth);
}

int nic_alpu_unit_new(const struct nic_alpu_unit_config *config, struct nic_alpu_unit **unit)
{
    struct nic_alpu_unit_config c = *config;
    fill_in(&c);
    if (!is_valid(&c))
        return -EINVAL;
    struct nic_alpu_unit *u = calloc(1, sizeof *u);
    if (!u)
        return -ENOMEM;
    u->config = c;
    if (init(u)) {
        nic_alpu_unit_delete(u);
        return -ENOMEM;
    }
    *unit = u;
    return 0;
}

void nic_alpu_unit_delete(struct nic_alpu_unit *u)
{
    if (!u)
        return;
    nic_match_list_delete(u->store);
    free(u->headers.at);
    free(u->commands.at);
    free(u->results.at);
    free(u);
}

/* -- the processor's side */

const struct nic_alpu_unit_config *nic_alpu_unit_config(const struct nic_alpu_unit *u)
{
    return &u->config;
}
const struct nic_alpu_counts *nic_alpu_unit_counts(const struct nic_alpu_unit *u)
{
    return &u->counts;
}

static uint64_t low_bits(uint64_t value, unsigned bits)
{
    return value & (UINT64_MAX >> (64 - bits));
}

int nic_alpu_unit_header(struct nic_alpu_unit *u, uint64_t bits, uint64_t mask)
{
    unsigned width = u->config.match_bits;
    struct word word = { .bits = low_bits(bits, width),
                         .mask = u->config.kind == NIC_ALPU_UNEXPECTED ? low_bits(mask, width)
                             : 0 };
    int rc = push(&u->headers, word, &u->counts.header_peak);
    u->counts.header_refusals += rc != 0;
    return rc;
}

int nic_alpu_unit_command(struct nic_alpu_unit *u, const struct nic_alpu_command *command)
{
    unsigned width = u->config.match_bits;
    struct word word = { .bits = low_bits(command->bits, width),
                         .mask = u->config.kind == NIC_ALPU_POSTED ? low_bits(command->mask, width)
                             : 0,
                         .tag = (uint32_t)low_bits(command->tag, u->config.tag_bits),
                             .op = (uint32_t)command->op };
    int rc = push(&u->commands, word, &u->counts.command_peak);
    u->counts.command_refusals += rc != 0;
    return rc;
}

bool nic_alpu_unit_result(struct nic_alpu_unit *u, struct nic_alpu_result *result)
{
    if (!u->results.count)
        return false;
    struct word word = pop(&u->results);
    *result = (struct nic_alpu_result){ (enum nic_alpu_response)word.op, word.tag };
    return true;
}

void nic_alpu_unit_status(const struct nic_alpu_unit *u, struct nic_alpu_unit_status *s)
{
    *s = (struct nic_alpu_unit_status){
        .state = u->state, .busy = u->work != IDLE, .matching = u->work == MATCHING,
            .held = u->held,
        .entries = u->cells.used, .free = u->cells.total - u->cells.used,
        .headers = u->headers.count, .commands = u->commands.count, .results = u->results.count,
    };
}

bool nic_alpu_unit_cell(const struct nic_alpu_unit *u, unsigned cell, struct nic_match_entry *entry)
{
    int position = nic_alpu_cells_position(&u->cells, cell);
    return position >= 0 && nic_match_list_at(u->store, (size_t)position, entry);
}

/* -- what begins when nothing is under way */

static void begin(struct nic_alpu_unit *u, enum work work, unsigned cycles)
{
    u->work = work;
    u->left = cycles;
}

static void begin_match(struct nic_alpu_unit *u)
{
    unsigned cycles = u->config.match_cycles;
    if (u->held)
        u->counts.retries++;
    else
        u->input = pop(&u->headers);
    u->retry_due = false;
    begin(u, MATCHING, u->config.overlap && u->followed && cycles > 1 ? cycles - 1 : cycles);
}

/* Which work a command is in which state; what is not listed is discarded. */
static const enum work commands[NIC_ALPU_STATE_COUNT][NIC_ALPU_OP_COUNT] = {
    [NIC_ALPU_STATE_READ_COMMAND] = { [NIC_ALPU_START_INSERT] = STARTING,
                                      [NIC_ALPU_RESET] = RESETTING },
    [NIC_ALPU_STATE_INSERT] = { [NIC_ALPU_INSERT] = INSERTING, [NIC_ALPU_STOP_INSERT] = STOPPING },
};

static void begin_command(struct nic_alpu_unit *u)
{
    u->command = pop(&u->commands);
    enum work work = u->command.op < NIC_ALPU_OP_COUNT ? commands[u->state][u->command.op] : IDLE;
    if (work == INSERTING && u->cells.used == u->cells.total) {
        u->counts.overflows++;
        begin(u, DISCARDING, u->config.command_cycles);
    } else if (work == IDLE) {
        u->counts.discards++;
        begin(u, DISCARDING, u->config.command_cycles);
    } else {
        u->entered = false;
        begin(u, work, work == INSERTING ? u->config.insert_cycles : u->config.command_cycles);
    }
}

/* A match may begin, as far as commands let it. */
static bool has_input(const struct nic_alpu_unit *u)
{
    if (!u->held)
        return u->headers.count > 0;
    return u->state != NIC_ALPU_STATE_INSERT || (u->config.retry_inserts && u->retry_due);
}

static void dispatch(struct nic_alpu_unit *u)
{
    /* outside of insert mode a held match is the current one, and commands wait for its end */
    bool command = u->commands.count && !(u->held && u->state != NIC_ALPU_STATE_INSERT);
    if (u->state != NIC_ALPU_STATE_INSERT)
        u->state = command ? NIC_ALPU_STATE_READ_COMMAND : NIC_ALPU_STATE_MATCH;
    if (command)
        begin_command(u);
    else if (has_input(u))
        begin_match(u);
}

/* -- what ends with its last cycle.  False: no room for the result, once more in the next cycle. */

static bool respond(struct nic_alpu_unit *u, enum nic_alpu_response response, uint32_t value)
{
    return !push(&u->results, (struct word){ .op = response, .tag = value },
                 &u->counts.result_peak);
}

static bool take_match(struct nic_alpu_unit *u)
{
    size_t position;
    uint32_t tag;
    if (is_full(&u->results))
        return false;
    if (!nic_match_list_match(u->store, u->input.bits, u->input.mask, &tag, &position))
        return respond(u, NIC_ALPU_MATCH_FAILURE, 0);
    nic_alpu_cells_take(&u->cells, (unsigned)position);
    return respond(u, NIC_ALPU_MATCH_SUCCESS, tag);
}

static bool end_match(struct nic_alpu_unit *u)
{
    uint32_t tag;
    if (u->state == NIC_ALPU_STATE_INSERT
        && !nic_match_list_find(u->store, u->input.bits, u->input.mask, &tag, NULL)) {
        u->held = true;
        u->counts.holds++;
        return true;
    }
    size_t before = u->cells.used;
    if (!take_match(u))
        return false;
    u->held = false;
    if (u->cells.used < before)
        u->counts.hits++;
    else
        u->counts.misses++;
    return true;
}

static bool end_start(struct nic_alpu_unit *u)
{
    if (!respond(u, NIC_ALPU_START_ACKNOWLEDGE, u->cells.total - u->cells.used))
        return false;
    u->state = NIC_ALPU_STATE_INSERT;
    u->counts.starts++;
    return true;
}

static void reset(struct nic_alpu_unit *u)
{
    nic_match_list_clear(u->store);
    nic_alpu_cells_clear(&u->cells);
    u->state = NIC_ALPU_STATE_MATCH;
    u->counts.resets++;
}

static bool end(struct nic_alpu_unit *u)
{
    switch (u->work) {
    case MATCHING:
        return end_match(u);
    case STARTING:
        return end_start(u);
    case RESETTING:
        reset(u);
        return true;
    case STOPPING:
        u->state = NIC_ALPU_STATE_MATCH;
        u->counts.stops++;
        return true;
    case DISCARDING:
        if (u->state == NIC_ALPU_STATE_READ_COMMAND && !u->commands.count)
            u->state = NIC_ALPU_STATE_MATCH;
        return true;
    default:
        return true;
    }
}

/* -- cycles */

/* The map and the store in one function: they must agree. */
static void enter_cell(struct nic_alpu_unit *u)
{
    nic_alpu_cells_step(&u->cells, true);
    /* has room: init reserved it */
    nic_match_list_append(u->store, u->command.bits, u->command.mask, u->command.tag);
    u->entered = u->retry_due = true;
    u->counts.inserts++;
}

/* The cells' part of a cycle of insert mode without a match.
 *  True: an INSERT waits for its cell. */
static bool move_cells(struct nic_alpu_unit *u)
{
    bool entering = u->work == INSERTING && !u->entered;
    if (entering && nic_alpu_cells_open(&u->cells)) {
        enter_cell(u);
        return false;
    }
    nic_alpu_cells_step(&u->cells, false);
    u->counts.insert_stalls += entering;
    return entering;
}

void nic_alpu_unit_cycle(struct nic_alpu_unit *u)
{
    u->counts.cycles++;
    if (u->work == IDLE)
        dispatch(u);
    u->followed = false;
    if (u->state == NIC_ALPU_STATE_INSERT && u->work != MATCHING && move_cells(u))
        return;
    if (u->work == IDLE)
        return;
    if (u->left) {
        u->counts.match_cycles += u->work == MATCHING;
        u->left--;
    } else {
        u->counts.result_stalls++;
    }
    if (u->left || !end(u))
        return;
    u->followed = u->work == MATCHING;
    u->work = IDLE;
}

/* Another cycle counts, and changes nothing else. */
static bool is_at_rest(const struct nic_alpu_unit *u)
{
    if (u->work != IDLE || u->followed || u->commands.count || has_input(u))
        return false;
    return u->state == NIC_ALPU_STATE_INSERT ? u->cells.settled : u->state == NIC_ALPU_STATE_MATCH;
}

void nic_alpu_unit_cycles(struct nic_alpu_unit *u, unsigned cycles)
{
    for (; cycles && !is_at_rest(u); cycles--)
        nic_alpu_unit_cycle(u);
    u->counts.cycles += cycles;
}

bool nic_alpu_unit_idle(const struct nic_alpu_unit *u)
{
    if (u->work != IDLE)
        return !u->left && is_full(&u->results);
    return !u->commands.count && !has_input(u);
}

uint64_t nic_alpu_unit_run(struct nic_alpu_unit *u)
{
    uint64_t before = u->counts.cycles;
    while (!nic_alpu_unit_idle(u))
        nic_alpu_unit_cycle(u);
    return u->counts.cycles - before;
}
