/* nicemu/alpu_unit.h: the associative list processing unit (ALPU) as hardware, and the list that a
 * processor keeps with it.
 *
 * After Brightwell, Hemmert, Murphy, Rodrigues, Underwood, "A Hardware Acceleration Unit for MPI
 * Queue Processing"; sections in brackets.
 *
 * The unit is a chain of cells in blocks [III]. An entry is inserted into the lowest cell and moves
 * towards the highest, so the oldest entry has the highest cell and priority. A successful match
 * deletes: everything below moves up by one cell. Matching runs by itself on the headers in one
 * FIFO; commands come through a second, and results leave by a third. What matches is decided by
 * the matching store of nicemu.h; the unit adds where the entries lie and how long things take, and
 * cannot disagree with the live clock's queues.
 *
 * Threads: none of these functions locks; one caller at a time per unit or list. Nothing here
 * depends on wall time or addresses: the same calls give the same results and cycle counts on every
 * machine. */
#ifndef NICEMU_ALPU_UNIT_H
#define NICEMU_ALPU_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct nic;
struct nic_match_entry;          /* nicemu/match.h */

/* ------------------------------------------------------------- hardware -- */

/* Two kinds of cells [III-A, figure 2]: for posted receives each cell stores mask bits beside its
 * match bits; for unexpected messages it does not, and the mask comes with the input. Mask bits set
 * are not compared. What a kind has no mask for is compared in full: masks given to it are
 * ignored. */
enum nic_alpu_kind { NIC_ALPU_POSTED, NIC_ALPU_UNEXPECTED };

enum { NIC_ALPU_CELLS_MAX = 1024, NIC_ALPU_BLOCK_MAX = 32, NIC_ALPU_FIFO_MAX = 65536 };

/* Zero in a field, kind and flags apart, stands for the default. */
struct nic_alpu_unit_config {
    enum nic_alpu_kind kind;
    /* 1 .. NIC_ALPU_CELLS_MAX; default 256 [VI-A].  If they are no multiple of a block the highest
     * block, that of the oldest entries, is the smaller. */
    unsigned cells;
    /* cells in a block: a power of two, 1 .. NIC_ALPU_BLOCK_MAX, 8 to 32 in [VI-A]; default 16 */
    unsigned block;
    /* 1 .. 64; the low bits of bits and masks that are kept and compared; default 42 [VI-A] */
    unsigned match_bits;
    /* 1 .. 32; the low bits of a tag that are kept; default 16 [VI-A]; 20 in the simulation
     * [III-A] */
    unsigned tag_bits;
    /* entries of each FIFO, 1 .. NIC_ALPU_FIFO_MAX; the text gives none; default 64 */
    unsigned header_depth;
    unsigned command_depth;     /* default 64 */
    unsigned result_depth;      /* default 64 */
    /* cycles per match; default as measured [tables IV, V]: 6 with up to 8 blocks, else 7; the
     * simulation took 7 [V-D] */
    unsigned match_cycles;
    unsigned insert_cycles;     /* cycles per insert; default 2 [V-D] */
    /* cycles to read and execute any other command; the text gives none; default 1 */
    unsigned command_cycles;
    /* a match that follows another begins during its last stage, and so takes a cycle less [V-D] */
    bool overlap;
    /* a held match is retried after inserts too, not only after STOP INSERT (see below) */
    bool retry_inserts;
};

/* Commands [table I].  The value of op may be anything: what is no command of the unit's present
 * state is discarded. */
#define NIC_ALPU_OPS(X) \
    X(START_INSERT)             /* to insert mode; answered by START ACKNOWLEDGE */ \
    X(INSERT)                   /* bits, mask (posted kind) and tag into the lowest cell */ \
    X(STOP_INSERT)              /* back to matching */ \
    X(RESET)                    /* clears all cells; not the FIFOs */

/* Responses [table II]. */
#define NIC_ALPU_RESPONSES(X) \
    X(START_ACKNOWLEDGE)        /* value: free cells */ \
    X(MATCH_SUCCESS)            /* value: tag of the entry, which is deleted */ \
    X(MATCH_FAILURE)            /* value: 0 */

/* States of the governing machine [III-C, figure 3]. Whenever no match, insert or other command is
 * under way:
 *
 *   MATCH          a held match is retried; else, with a command in the FIFO, on to READ_COMMAND;
 *   else the next header is matched
 *   READ_COMMAND   START INSERT: on to INSERT; RESET: clears, on to MATCH; others are discarded; no
 *   command left: on to MATCH
 *   INSERT         the next command is executed: INSERT; STOP INSERT: on to MATCH; others are
 *   discarded.  Without a command the next header is
 *                  matched, until a match fails: that one is held, and nothing else is matched
 *                  before it
 *
 * A match is never interrupted: commands wait for its end. MATCH FAILURE never appears between
 * START ACKNOWLEDGE and the end of STOP INSERT. */
#define NIC_ALPU_STATES(X) X(MATCH) X(READ_COMMAND) X(INSERT)

/* What has happened since the unit was made, in order of printing. */
#define NIC_ALPU_COUNTS(X) \
    X(cycles)                   /* of the unit's clock */ \
    X(match_cycles)             /* of them, with a match under way (without stalls) */ \
    X(result_stalls)            /* of them, waiting for room in the result FIFO */ \
    /* of them, with an INSERT waiting for the holes between blocks to reach the lowest cell */ \
    X(insert_stalls) \
    X(hits)                     /* MATCH SUCCESS */ \
    X(misses)                   /* MATCH FAILURE */ \
    X(holds)                    /* matches that failed in insert mode and were held, each time */ \
    X(retries)                  /* held matches tried again */ \
    X(starts)                   /* START INSERT executed */ \
    X(inserts)                  /* INSERT executed */ \
    X(stops)                    /* STOP INSERT executed */ \
    X(resets)                   /* RESET executed */ \
    X(discards)                 /* commands invalid in their state, discarded */ \
    /* INSERT without a free cell, discarded: software did not keep to START ACKNOWLEDGE */ \
    X(overflows) \
    X(header_refusals)          /* headers refused, FIFO full */ \
    X(command_refusals)         /* commands refused, FIFO full */ \
    X(header_peak)              /* most entries ever in the header FIFO */ \
    X(command_peak)             /* in the command FIFO */ \
    X(result_peak)              /* in the result FIFO */

#define NIC_ALPU_OP_ENUM(name) NIC_ALPU_##name,
#define NIC_ALPU_STATE_ENUM(name) NIC_ALPU_STATE_##name,
#define NIC_ALPU_COUNT_FIELD(name) uint64_t name;
enum nic_alpu_op { NIC_ALPU_OPS(NIC_ALPU_OP_ENUM) NIC_ALPU_OP_COUNT };
enum nic_alpu_response { NIC_ALPU_RESPONSES(NIC_ALPU_OP_ENUM) NIC_ALPU_RESPONSE_COUNT };
enum nic_alpu_state { NIC_ALPU_STATES(NIC_ALPU_STATE_ENUM) NIC_ALPU_STATE_COUNT };
struct nic_alpu_counts { NIC_ALPU_COUNTS(NIC_ALPU_COUNT_FIELD) };

/* "START_INSERT", "MATCH_FAILURE", "READ_COMMAND"; "?" for a value out of range. */
const char *nic_alpu_op_name(unsigned op);
const char *nic_alpu_response_name(unsigned response);
const char *nic_alpu_state_name(unsigned state);

struct nic_alpu_command { enum nic_alpu_op op; uint32_t tag; uint64_t bits, mask; };
struct nic_alpu_result { enum nic_alpu_response response; uint32_t value; };

struct nic_alpu_unit_status {
    enum nic_alpu_state state;
    bool busy;                              /* a match or a command is under way */
    bool matching;                          /* it is a match */
    bool held;                              /* a match is held for a retry */
    unsigned entries, free;                 /* cells in use, and not */
    unsigned headers, commands, results;    /* in the FIFOs */
};

struct nic_alpu_unit;

/* 0, -EINVAL (a value out of range), -ENOMEM. */
int nic_alpu_unit_new(const struct nic_alpu_unit_config *config, struct nic_alpu_unit **unit);
void nic_alpu_unit_delete(struct nic_alpu_unit *unit);

/* The configuration with its defaults filled in. */
const struct nic_alpu_unit_config *nic_alpu_unit_config(const struct nic_alpu_unit *unit);

/* Into the header FIFO: a header (posted kind), or the copy of a new receive with its mask
 * (unexpected kind). 0, or -EAGAIN: full. */
int nic_alpu_unit_header(struct nic_alpu_unit *unit, uint64_t bits, uint64_t mask);
/* Into the command FIFO.  0, or -EAGAIN: full. */
int nic_alpu_unit_command(struct nic_alpu_unit *unit, const struct nic_alpu_command *command);
/* Out of the result FIFO.  False: empty. */
bool nic_alpu_unit_result(struct nic_alpu_unit *unit, struct nic_alpu_result *result);

/* One cycle of the unit's clock.  With the result FIFO full, whatever has a result to write waits,
 * and everything behind it. */
void nic_alpu_unit_cycle(struct nic_alpu_unit *unit);
/* So many of them. */
void nic_alpu_unit_cycles(struct nic_alpu_unit *unit, unsigned cycles);
/* True: a cycle changes nothing until something enters a FIFO or, the result FIFO being full,
 * leaves it; closing of holes apart. */
bool nic_alpu_unit_idle(const struct nic_alpu_unit *unit);
/* Cycles until that.  Returns how many. */
uint64_t nic_alpu_unit_run(struct nic_alpu_unit *unit);

void nic_alpu_unit_status(const struct nic_alpu_unit *unit, struct nic_alpu_unit_status *status);
const struct nic_alpu_counts *nic_alpu_unit_counts(const struct nic_alpu_unit *unit);

/* What lies in a cell, 0 the lowest (newest).  False: nothing, or no such cell. */
bool nic_alpu_unit_cell(const struct nic_alpu_unit *unit, unsigned cell,
                        struct nic_match_entry *entry);

/* Holes [III-B]. A delete leaves none: everything below the match moves up. Inserts leave some,
 * since the lowest cell moves on whether or not something follows it. In insert mode, in each cycle
 * without a match, an entry moves up by one cell if a higher cell of its block is empty or the
 * lowest cell of the next block is; so a hole takes one cycle per block on its way down. What is
 * left at STOP INSERT stays until the next insert mode.
 *
 * Held matches [III-C, IV-C]. A match that failed in insert mode is tried again after STOP INSERT,
 * as the text puts it; with retry_inserts also when inserts have been executed since it failed and
 * no command waits. Results are the same, times differ. */

/* ----------------------------------------------------------------- list --
 * The processor's part [IV-B to IV-D, V-C]: a copy of the whole list in its memory, the older part
 * of which is in the unit too. Headers go to the unit while it is in use; where it fails, the
 * processor searches the rest. The unit is used from when the list is longer than a threshold until
 * nothing is left in it. The list takes the place of a plain matching store, call for call, and
 * says what each call took. */

struct nic_assisted_list_config {
    struct nic_alpu_unit_config unit;
    /* entries: the unit is used when the list is longer; with 5 it breaks even [VI-B]; 0: always */
    unsigned threshold;
    /* entries waiting for the unit before a call begins to insert of its own accord; 0: only
     * nic_assisted_list_update does */
    unsigned batch;
    /* free cells worth an insert mode, unless fewer entries wait; 0: 1 */
    unsigned room;
    /* cycles of the unit per command written or result read; 0: 10, that is 20 ns [V-B] at 500 MHz
     * [table III] */
    unsigned access_cycles;
    /* The processor compares the entry in that slot of its copy, or writes it: for a model of its
     * memory. A slot is free again once its entry is gone, and which is taken next depends on the
     * calls only.  NULL: nobody wants to know. */
    void (*read)(void *context, uint32_t slot);
    void (*write)(void *context, uint32_t slot);
    void *context;
};

/* What a call took.  Bus and unit work at the same time: cycles = access_cycles * (commands +
 * results) + waited. */
#define NIC_ALPU_WORK(X) \
    /* entries in the unit, compared by it at once, summed over the searches whose results were \
     * read */ \
    X(searched) \
    X(unit_hits)                /* MATCH SUCCESS read */ \
    X(unit_misses)              /* MATCH FAILURE read */ \
    X(traversed)                /* entries compared by the processor one after the other */ \
    X(commands)                 /* written */ \
    X(results)                  /* read */ \
    X(inserted)                 /* entries that went into the unit */ \
    X(cycles)                   /* of the unit during the call */ \
    X(waited)                   /* of them, with the processor waiting for the unit */

struct nic_alpu_work { NIC_ALPU_WORK(NIC_ALPU_COUNT_FIELD) };

struct nic_assisted_list;

/* 0, -EINVAL, -ENOMEM. */
int nic_assisted_list_new(const struct nic_assisted_list_config *config,
                          struct nic_assisted_list **list);
void nic_assisted_list_delete(struct nic_assisted_list *list);

/* As the functions of struct nic_match_list. *work becomes what this call took, unless NULL. Of
 * bits and masks the low match_bits bits count, in the unit and in the processor's part alike; tags
 * are the caller's, all 32 bits: the unit's are indices of the processor's copy. */

/* 0 or -ENOMEM.  May insert a batch. */
int nic_assisted_list_append(struct nic_assisted_list *list, uint64_t bits, uint64_t mask,
                             uint32_t tag, struct nic_alpu_work *work);
/* Finds and deletes.  Headers that have arrived before are decided first. */
bool nic_assisted_list_match(struct nic_assisted_list *list, uint64_t bits, uint64_t mask,
                             uint32_t *tag, struct nic_alpu_work *work);
/* Finds, by the processor: whatever the unit finds it deletes. */
bool nic_assisted_list_find(struct nic_assisted_list *list, uint64_t bits, uint64_t mask,
                            uint32_t *tag, struct nic_alpu_work *work);
/* Deletes the first entry with that tag. The unit has no command for that: an entry in it takes a
 * RESET, after which all has to be inserted again. Headers that have arrived before are decided
 * first. */
bool nic_assisted_list_remove(struct nic_assisted_list *list, uint32_t tag,
                              struct nic_alpu_work *work);
size_t nic_assisted_list_count(const struct nic_assisted_list *list);
/* Entries of it that are in the unit. */
size_t nic_assisted_list_loaded(const struct nic_assisted_list *list);
/* True while headers go to the unit. */
bool nic_assisted_list_in_use(const struct nic_assisted_list *list);

/* The step of the NIC's loop that inserts what waits, if the list is long enough and the unit has
 * room [V-C]. Returns how many entries. */
size_t nic_assisted_list_update(struct nic_assisted_list *list, struct nic_alpu_work *work);

/* Matches in two halves, as the hardware does them: a header goes to the unit by itself, and the
 * processor asks for the result when it gets to it. Headers are decided in order of arrival, each
 * against the list as it is when the processor reads its result: inside nic_assisted_list_outcome
 * at the latest, in an update (after the entry that an append has brought), before a removal, a
 * find or a match otherwise. */
struct nic_alpu_outcome { uint64_t cookie; bool hit; uint32_t tag; };
/* 0, or -EAGAIN: the header FIFO is full, or too many outcomes wait to be taken. */
int nic_assisted_list_arrive(struct nic_assisted_list *list, uint64_t bits, uint64_t mask,
                             uint64_t cookie, struct nic_alpu_work *work);
/* The next outcome, for which it waits if need be.  False: no header is outstanding. */
bool nic_assisted_list_outcome(struct nic_assisted_list *list, struct nic_alpu_outcome *outcome,
                               struct nic_alpu_work *work);
/* Headers decided whose outcome has not been taken. */
size_t nic_assisted_list_decided(const struct nic_assisted_list *list);
/* So many cycles of the unit, while the processor does something else. */
void nic_assisted_list_cycles(struct nic_assisted_list *list, unsigned cycles);

const struct nic_alpu_unit *nic_assisted_list_unit(const struct nic_assisted_list *list);

/* Charges a call's work to the NIC's clock; nothing on the live clock. */
void nic_alpu_work_charge(struct nic *nic, const struct nic_alpu_work *work);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
