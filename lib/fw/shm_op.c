/* One short collective by stores, as one rank does it; see shm_coll.h. */
#include <string.h>

#include "fw/shm_slot.h"

enum { LOOKED_AT = 64 };        /* ranks, for what does not agree, before each sleep */

/* -- kinds */

/* Who gives and who takes: all to all, but for these; and where all take, once they have arrived
 * past `few`, each does its own work, or the last to arrive that of all.  Of a prefix reduction
 * only the ranks below count, and its own. */
enum { TO_ROOT = 1, FROM_ROOT = 2, EACH = 4, FOLDS = 8, PREFIX = 16 };

static const uint8_t shapes[FW_SHM_KIND_COUNT] = {
    [FW_SHM_ALLREDUCE] = FOLDS,
    [FW_SHM_REDUCE] = TO_ROOT | FOLDS,
    [FW_SHM_BCAST] = FROM_ROOT,
    [FW_SHM_GATHER] = TO_ROOT,
    [FW_SHM_SCATTER] = FROM_ROOT,
    [FW_SHM_ALLGATHER] = EACH,
    [FW_SHM_ALLTOALL] = EACH,
    [FW_SHM_REDUCE_SCATTER] = EACH | FOLDS,
    [FW_SHM_SCAN] = EACH | FOLDS | PREFIX,
};

static uint32_t useful_ranks(const struct fw_shm_coll *s, uint8_t shape, uint64_t info)
{
    if (!(shape & PREFIX))
        return s->size;
    return s->rank + (fw_shm_info_root(info) != FW_SHM_EXCLUSIVE);
}

/* Past `few` a prefix reduction goes along the chain of ranks. */
static bool is_chain(const struct fw_shm_op *op)
{
    return op->shape & PREFIX && !op->slots->few;
}

/* -- one operation */

static void note_chain(struct fw_shm_coll *s, uint64_t k)
{
    if (k != s->chain_last + 1)
        s->chain_first = k;
    s->chain_last = k;
}

static inline void begin(struct fw_shm_coll *s, struct fw_shm_op *op, uint64_t info,
                         fw_combine *combine, const void *context)
{
    op->slots = s;
    op->k = ++s->begun;
    if (*s->high < s->begun)
        *s->high = s->begun;
    op->info = info;
    op->shape = shapes[fw_shm_info_kind(info)];
    op->until = useful_ranks(s, op->shape, info);
    op->combine = combine;
    op->context = context;
    op->next = op->looked = 0;
    op->turn = 0;
    op->least = UINT64_MAX;
    op->put = op->finished = op->mismatch = false;
    if (is_chain(op))
        note_chain(s, op->k);
}

/* Who gives and takes nothing runs ahead of who reads, which holds the lines of the slots that it
 * read last time round.  Each would be waited for in turn, as stores become visible in order: the
 * next but one is asked for now. */
static void expect_write(const struct fw_shm_op *op)
{
    nic_fetch_to_write(&op->slots->own->own[(op->k + 2) % FW_SHM_WINDOW]);
}

/* Who only takes, and found all there at once several times in a row, is behind who gives: what
 * comes next is there too, and is asked for now.  Who is about to catch up would take the line away
 * from its writer. */
static inline void expect_read(const struct fw_shm_op *op)
{
    struct fw_shm_coll *s = op->slots;
    uint32_t root = fw_shm_info_root(op->info);
    if (op->shape & FROM_ROOT && root != s->rank)
        nic_fetch_to_read(&fw_shm_area_of(s, root)->own[(op->k + 1) % FW_SHM_WINDOW]);
    else if (op->shape & TO_ROOT && root == s->rank && s->few)
        for (uint32_t i = 0; i < s->size; i++)
            nic_fetch_to_read(&fw_shm_area_of(s, i)->own[(op->k + 1) % FW_SHM_WINDOW]);
}

static struct fw_shm_slot *result_slot(const struct fw_shm_op *op)
{
    return &fw_shm_area_of(op->slots, 0)->result[op->k % FW_SHM_WINDOW];
}

static _Atomic uint32_t *arrival_count(const struct fw_shm_op *op)
{
    return &fw_shm_area_of(op->slots, 0)->arrived[op->k % FW_SHM_WINDOW].count;
}

/* S4: a place is written again after `done` says that it has been read. */
static uint64_t done_of(const struct fw_shm_coll *s, uint32_t rank)
{
    return atomic_load_explicit(&fw_shm_area_of(s, rank)->done, memory_order_acquire);
}

static bool is_behind(const struct fw_shm_op *op, uint32_t rank)
{
    return done_of(op->slots, rank) + fw_shm_window_of(op) < op->k;
}

/* That rank is to ring when it has come on: see mpi_fw_shm_tell_done. */
static void ask(struct fw_shm_coll *s, uint32_t rank, uint32_t mark)
{
    s->asked = rank;
    s->heard = atomic_fetch_or(&fw_shm_area_of(s, rank)->awaited, mark) / FW_SHM_HEARD;
}

/* It will. */
static bool is_asked(const struct fw_shm_coll *s, uint32_t rank)
{
    const _Atomic uint32_t *awaited = &fw_shm_area_of(s, rank)->awaited;
    return s->asked == rank
           && atomic_load_explicit(awaited, memory_order_relaxed) / FW_SHM_HEARD == s->heard;
}

/* What was a window back in this place went along the chain too, and was for the rank above only:
 * so each rank may be a window ahead of the next, and the chain as deep as it is long. */
static bool is_for_one(const struct fw_shm_op *op)
{
    return is_chain(op) && op->k >= op->slots->chain_first + FW_SHM_WINDOW;
}

static bool one_is_open(const struct fw_shm_op *op)
{
    struct fw_shm_coll *s = op->slots;
    if (op->k <= s->above + FW_SHM_WINDOW || s->rank + 1 == s->size)
        return true;
    s->above = done_of(s, s->rank + 1);
    if (op->k <= s->above + FW_SHM_WINDOW)
        return true;
    ask(s, s->rank + 1, FW_SHM_BELOW);
    return false;
}

/* Whether all ranks have finished what is a window back.  Where it is not known, all are asked in
 * turn; one that is behind is told that it is awaited, and asked again. */
static bool window_is_open(const struct fw_shm_op *op)
{
    struct fw_shm_coll *s = op->slots;
    uint64_t window = fw_shm_window_of(op);
    if (__builtin_expect(op->k > s->done + window, 0))
        return false;
    if (__builtin_expect(op->k <= s->known + window, 1))
        return true;
    if (is_for_one(op))
        return one_is_open(op);
    if (!s->scan)
        s->least = UINT64_MAX;
    for (; s->scan < s->size; s->scan++) {
        if (is_behind(op, s->scan)) {
            ask(s, s->scan, FW_SHM_SOME);
            return false;
        }
        uint64_t done = done_of(s, s->scan);
        s->least = done < s->least ? done : s->least;
    }
    s->scan = 0;
    s->known = s->least;
    return op->k <= s->known + window;      /* the first may have been asked for an older one */
}

static void learn(struct fw_shm_coll *s, uint64_t done)
{
    if (done > s->known)
        s->known = done;
}

static void put_own(const struct fw_shm_op *op)
{
    struct fw_shm_coll *s = op->slots;
    fw_shm_copy(fw_shm_row_in(op, s->own), op->data.in, op->data.row);
    uint64_t lag = op->k - s->done;
    fw_shm_stamp(&s->own->own[op->k % FW_SHM_WINDOW], op->k, op->info | lag << FW_SHM_LAG_SHIFT);
}

/* One of a non-blocking call, or one that such are begun before. */
static __attribute__((noinline)) void finish_out_of_order(struct fw_shm_coll *s, uint64_t k)
{
    s->finished |= UINT64_C(1) << (k - s->done - 1);
    for (; s->finished & 1; s->finished >>= 1)
        s->done++;
}

static void finish(struct fw *fw, struct fw_shm_op *op)
{
    struct fw_shm_coll *s = op->slots;
    op->finished = true;
    FW_COUNT(fw, collectives_shm, 1);
    if (__builtin_expect(op->k == s->done + 1 && !s->finished, 1))
        s->done = op->k;
    else
        finish_out_of_order(s, op->k);
    if (s->done - s->told >= s->grain)
        mpi_fw_shm_tell_done(fw, s);
}

static void read_row(const struct fw_shm_op *op, uint32_t rank, uint64_t *row)
{
    const struct fw_shm_slot *slot = fw_shm_slot_of(op, rank);
    if (fw_shm_is_stamped(slot, op->k))
        memcpy(row, slot->data, 2 * sizeof *row);
}

static void blame(struct fw_shm_op *op, uint32_t rank, uint64_t info)
{
    if (op->mismatch)
        return;
    op->blame[4] = op->blame[5] = 0;
    read_row(op, rank, &op->blame[4]);
    op->mismatch = true;
    op->blame[0] = op->slots->rank;
    op->blame[1] = op->info;
    op->blame[2] = rank;
    op->blame[3] = info;
}

static bool is_either(uint64_t info)
{
    return fw_shm_info_kind(info) == FW_SHM_BARRIER && info & FW_SHM_EITHER;
}

static struct fw_shm_call call_of(const struct fw_shm_coll *s, uint32_t rank, uint64_t info)
{
    uint32_t shown = s->shown && rank < s->size ? (uint32_t)s->shown[rank] : rank;
    return (struct fw_shm_call){ .rank = shown, .root = fw_shm_info_root(info),
                                 .kind = fw_shm_info_kind(info), .bytes = fw_shm_info_bytes(info),
                                 .part = fw_shm_info_part(info), .later = info & FW_SHM_LATER,
                                 .either = is_either(info) };
}

void mpi_fw_shm_blame(const struct fw_shm_op *op, struct fw_shm_call *one,
                      struct fw_shm_call *other)
{
    *one = call_of(op->slots, (uint32_t)op->blame[0], op->blame[1]);
    *other = call_of(op->slots, (uint32_t)op->blame[2], op->blame[3]);
    read_row(op, (uint32_t)op->blame[0], one->row);
    memcpy(other->row, &op->blame[4], sizeof other->row);
}

void mpi_fw_shm_own(const struct fw_shm_op *op, struct fw_shm_call *own)
{
    *own = call_of(op->slots, op->slots->rank, op->info);
}

bool mpi_fw_shm_instead(const struct fw_shm_coll *s, uint32_t number, uint32_t part,
                        struct fw_shm_call *other)
{
    uint64_t next = s->begun + 1;
    for (uint32_t rank = 0; rank < s->size; rank++) {
        const struct fw_shm_slot *slot = &fw_shm_area_of(s, rank)->own[next % FW_SHM_WINDOW];
        if (!fw_shm_is_stamped(slot, next))
            continue;
        uint64_t info = atomic_load_explicit(&slot->info, memory_order_relaxed);
        *other = call_of(s, rank, info);
        memcpy(other->row, slot->data, sizeof other->row);
        bool same = !((info ^ (uint64_t)number << FW_SHM_NUMBER_SHIFT) & FW_SHM_NUMBER_MASK);
        if (same && (!other->part || other->part != part))
            return true;
    }
    return false;
}

/* Ranks further down the chain may have written over what they gave to this one. */
static void look_at(struct fw_shm_op *op, uint32_t rank)
{
    if (is_chain(op) && rank + 1 < op->slots->rank)
        return;
    const struct fw_shm_slot *slot = fw_shm_slot_of(op, rank);
    if (!fw_shm_is_stamped(slot, op->k))
        return;
    uint64_t info = atomic_load_explicit(&slot->info, memory_order_relaxed);
    if (!fw_shm_info_agrees(info, op->info))
        blame(op, rank, info);
}

/* Of many ranks those next to it, and the next ones the next time: all who wait look, and so see
 * where ranks differ, but nobody has to map everybody's pages. */
static uint32_t first_looked_at(struct fw_shm_op *op, uint32_t looks)
{
    if (looks == op->slots->size)
        return 0;
    op->looked += looks;
    return op->slots->rank + 1 + op->looked - looks;
}

bool mpi_fw_shm_odd(struct fw_shm_op *op)
{
    uint32_t size = op->slots->size, looks = size < LOOKED_AT ? size : LOOKED_AT;
    if (!op->put || op->finished)
        return false;
    uint32_t first = first_looked_at(op, looks);
    for (uint32_t i = 0; !op->mismatch && i < looks; i++)
        look_at(op, (first + i) % size);
    return op->mismatch;
}

/* The part of a row that this rank takes comes in rank order: sum[turn] = sum so far op part. */
static void fold(struct fw_shm_op *op, const unsigned char *row)
{
    size_t bytes = op->data.part;
    unsigned char *into = op->sum[op->next ? !op->turn : op->turn];
    if (!bytes)
        return;
    fw_shm_copy(into, row + op->data.at, bytes);
    if (op->next) {
        op->combine(op->context, op->sum[op->turn], into, bytes);
        op->turn = !op->turn;
    }
}

static void lay_down(struct fw_shm_op *op, const unsigned char *row)
{
    unsigned char *to = (unsigned char *)op->data.out + (size_t)op->next * op->data.part;
    if (to != row + op->data.at)        /* in place */
        fw_shm_copy(to, row + op->data.at, op->data.part);
}

/* Of rank op->next. */
static void use(struct fw_shm_op *op, const unsigned char *row)
{
    if (op->next >= op->until || !op->data.part)
        return;
    if (op->shape & FOLDS)
        fold(op, row);
    else
        lay_down(op, row);
}

/* The slot of rank op->next has come: looks whether that rank called the same, and uses its
 * contribution. */
static void take(struct fw_shm_op *op, const struct fw_shm_slot *slot)
{
    uint64_t info = atomic_load_explicit(&slot->info, memory_order_relaxed);
    uint64_t lag = fw_shm_info_lag(info);
    if (__builtin_expect(!fw_shm_info_agrees(info, op->info), 0))
        blame(op, op->next, info);
    else
        use(op, fw_shm_row_of(op, op->next));
    if (op->k - lag < op->least)
        op->least = op->k - lag;
}

/* Collects from all ranks below `end` in order, as far as they have come; false: one has not. */
static bool collect(struct fw_shm_op *op, uint32_t end)
{
    struct fw_shm_coll *s = op->slots;
    for (; op->next < end; op->next++) {
        if (op->next == s->rank) {
            if (op->data.in)
                use(op, op->data.in);
            continue;
        }
        const struct fw_shm_slot *slot = fw_shm_slot_of(op, op->next);
        if (!fw_shm_is_stamped(slot, op->k))
            return false;
        take(op, slot);
    }
    return true;
}

/* It says nothing of its call: blocking like this one, or whatever. */
static void blame_barrier(struct fw_shm_op *op)
{
    bool either = op->info & FW_SHM_LATER;
    blame(op, op->next, FW_SHM_BARRIER | (either ? FW_SHM_EITHER : 0));
}

/* All have arrived.  Only a barrier arrives without a contribution. */
static void collect_arrived(struct fw_shm_op *op)
{
    for (; !collect(op, op->slots->size); op->next++)
        blame_barrier(op);
}

static void keep_sum(struct fw_shm_op *op)
{
    if (op->shape & FOLDS && op->until && !op->mismatch)
        fw_shm_copy(op->data.out, op->sum[op->turn], op->data.part);
}

/* What all had finished when this operation came to them. */
static uint64_t least_of(const struct fw_shm_op *op)
{
    return op->least < op->slots->done ? op->least : op->slots->done;
}

/* Who reads the slot hears of it too. */
static void write_blame(const struct fw_shm_op *op, struct fw_shm_slot *slot)
{
    const uint64_t none = FW_SHM_NONE | FW_SHM_LAG_MASK;
    fw_shm_write(slot, op->k, none, op->blame, sizeof op->blame);
}

static bool take_blame(struct fw_shm_op *op, const struct fw_shm_slot *slot, uint64_t info)
{
    if (__builtin_expect(fw_shm_info_kind(info) != FW_SHM_NONE, 1))
        return false;
    op->mismatch = true;
    memcpy(op->blame, slot->data, sizeof op->blame);
    return true;
}

/* -- by kind: what is done first, and what is done when something has come */

/* One that is too long for a slot lies where its writer's contribution was, which nobody else
 * needed, and the slot says whose that is. */
static void lay_result(const struct fw_shm_op *op, struct fw_shm_slot *slot)
{
    const struct fw_shm_coll *s = op->slots;
    if (fw_shm_is_wide(op)) {
        memcpy(fw_shm_row_in(op, s->own), op->data.out, op->data.part);
        memcpy(slot->data, &s->rank, sizeof s->rank);
    } else {
        fw_shm_copy(slot->data, op->data.out, op->data.part);
    }
}

static void copy_result(const struct fw_shm_op *op, const struct fw_shm_slot *slot)
{
    uint32_t writer;
    if (fw_shm_is_wide(op)) {
        memcpy(&writer, slot->data, sizeof writer);
        if (writer < op->slots->size)       /* whatever others have written there */
            memcpy(op->data.out, fw_shm_row_of(op, writer), op->data.part);
    } else {
        fw_shm_copy(op->data.out, slot->data, op->data.part);
    }
}

static void write_result(struct fw_shm_op *op)
{
    struct fw_shm_slot *slot = result_slot(op);
    if (fw_shm_info_kind(op->info) == FW_SHM_BARRIER) {
        fw_shm_write(slot, op->k, op->info | FW_SHM_LAG_MASK, &op->slots->rank,
                     sizeof op->slots->rank);
    } else if (op->mismatch) {
        write_blame(op, slot);
    } else {
        uint64_t info = op->info | (op->k - least_of(op)) << FW_SHM_LAG_SHIFT;
        keep_sum(op);
        if (!(op->shape & EACH))
            lay_result(op, slot);
        fw_shm_stamp(slot, op->k, info);
        learn(op->slots, least_of(op));
    }
}

/* The last to arrive does the work in rank order, whoever it is. */
static void work_for_all(struct fw *fw, struct fw_shm_op *op)
{
    if (fw_shm_info_kind(op->info) != FW_SHM_BARRIER)
        collect_arrived(op);
    atomic_store_explicit(arrival_count(op), 0, memory_order_relaxed);  /* the stamp publishes it */
    write_result(op);
    fw_shm_notify_others(fw, op->slots);
    finish(fw, op);
}

/* S2: the own contribution comes before, those of all others before the last one's count.  True:
 * so many have. */
static bool is_last(const struct fw_shm_op *op, uint32_t ranks)
{
    return atomic_fetch_add_explicit(arrival_count(op), 1, memory_order_acq_rel) + 1 == ranks;
}

static void arrive(struct fw *fw, struct fw_shm_op *op)
{
    if (fw_shm_info_kind(op->info) != FW_SHM_BARRIER)
        put_own(op);
    if (is_last(op, op->slots->size))
        work_for_all(fw, op);
}

/* Past `few` the root has one turn, when all are there. */
static bool all_but_the_root(const struct fw_shm_op *op)
{
    return atomic_load_explicit(arrival_count(op), memory_order_acquire) + 1 >= op->slots->size;
}

static void take_result(struct fw_shm_op *op)
{
    const struct fw_shm_slot *slot = result_slot(op);
    uint64_t info = atomic_load_explicit(&slot->info, memory_order_relaxed);
    if (take_blame(op, slot, info))
        return;
    if (__builtin_expect(!fw_shm_info_agrees(info, op->info), 0)) {
        uint32_t rank = 0;
        if (fw_shm_info_kind(info) == FW_SHM_BARRIER)
            memcpy(&rank, slot->data, sizeof rank);
        blame(op, rank, info);
    } else {
        if (!(op->shape & EACH))
            copy_result(op, slot);
        else
            collect_arrived(op);
        if (fw_shm_info_lag(info) != FW_SHM_LAG_UNKNOWN)
            learn(op->slots, op->k - fw_shm_info_lag(info));
        if (op->shape & EACH)
            keep_sum(op);
    }
}

static void give_to_root(struct fw *fw, struct fw_shm_op *op, uint32_t root)
{
    struct fw_shm_coll *s = op->slots;
    put_own(op);
    expect_write(op);
    if (s->few || is_last(op, s->size - 1))
        fw_shm_notify(fw, s, root);
    finish(fw, op);
}

/* -- a prefix reduction past `few`: along the chain of ranks.  Each lays down what all up to it
 * come to, so one that has a turn gets through a window of operations, and so do those behind. */

static void pass_on(struct fw *fw, const struct fw_shm_op *op, const void *sum)
{
    struct fw_shm_coll *s = op->slots;
    struct fw_shm_slot *own = fw_shm_slot_of(op, s->rank);
    if (op->mismatch)
        write_blame(op, own);
    else
        fw_shm_write(own, op->k, op->info | FW_SHM_LAG_MASK, sum, op->data.row);
    expect_write(op);
    if (s->rank + 1 < s->size)
        fw_shm_notify(fw, s, s->rank + 1);
}

/* What this rank gets: also of itself, or, exclusive, of those below. */
static void keep_prefix(const struct fw_shm_op *op, const void *with_own, const void *below)
{
    bool exclusive = fw_shm_info_root(op->info) == FW_SHM_EXCLUSIVE;
    const void *prefix = exclusive ? below : with_own;
    if (prefix && op->data.row && prefix != op->data.out)
        fw_shm_copy(op->data.out, prefix, op->data.row);
}

static void begin_chain(struct fw *fw, struct fw_shm_op *op)
{
    struct fw_shm_coll *s = op->slots;
    if (op->k == s->chain_first && s->told < s->done)
        mpi_fw_shm_tell_done(fw, s);        /* a window's worth of the chain waits for it */
    if (s->rank)
        return;
    pass_on(fw, op, op->data.in);
    keep_prefix(op, op->data.in, NULL);
    finish(fw, op);
}

/* False: the rank below is not so far. */
static bool go_on_with_chain(struct fw *fw, struct fw_shm_op *op)
{
    const struct fw_shm_slot *below = fw_shm_slot_of(op, op->slots->rank - 1);
    if (!fw_shm_is_stamped(below, op->k))
        return false;
    uint64_t info = atomic_load_explicit(&below->info, memory_order_relaxed);
    unsigned char *sum = op->sum[0], *lower = op->sum[1];   /* the user's function has both */
    if (!take_blame(op, below, info) && !fw_shm_info_agrees(info, op->info))
        blame(op, op->slots->rank - 1, info);
    if (!op->mismatch && op->data.row) {
        fw_shm_copy(sum, op->data.in, op->data.row);
        fw_shm_copy(lower, below->data, op->data.row);
        op->combine(op->context, lower, sum, op->data.row);
    }
    pass_on(fw, op, sum);
    if (!op->mismatch)
        keep_prefix(op, sum, lower);
    return true;
}

/* -- */

static void first_part(struct fw *fw, struct fw_shm_op *op)
{
    struct fw_shm_coll *s = op->slots;
    uint32_t root = fw_shm_info_root(op->info);
    op->put = true;
    if (op->shape & TO_ROOT) {
        if (s->rank != root)
            give_to_root(fw, op, root);
    } else if (op->shape & FROM_ROOT) {
        if (s->rank != root)
            return;
        put_own(op);
        expect_write(op);
        fw_shm_notify_others(fw, s);
        finish(fw, op);
    } else if (is_chain(op)) {
        begin_chain(fw, op);
    } else if (s->few) {
        put_own(op);
        if (op->until < s->size)        /* the lower ranks of a scan */
            expect_write(op);
        fw_shm_notify_others(fw, s);
    } else {
        arrive(fw, op);
    }
}

static bool take_from_root(struct fw_shm_op *op)
{
    uint32_t root = fw_shm_info_root(op->info);
    const struct fw_shm_slot *slot = fw_shm_slot_of(op, root);
    if (!fw_shm_is_stamped(slot, op->k))
        return false;
    uint64_t info = atomic_load_explicit(&slot->info, memory_order_relaxed);
    if (fw_shm_info_agrees(info, op->info))
        fw_shm_copy(op->data.out, fw_shm_row_of(op, root) + op->data.at, op->data.part);
    else
        blame(op, root, info);
    return true;
}

/* The root, past `few`. */
static bool take_all(struct fw_shm_op *op)
{
    if (!all_but_the_root(op))
        return false;
    collect_arrived(op);
    /* written again only behind our `done` */
    atomic_store_explicit(arrival_count(op), 0, memory_order_relaxed);
    return true;
}

static bool second_part(struct fw *fw, struct fw_shm_op *op)
{
    const struct fw_shm_coll *s = op->slots;
    if (op->shape & FROM_ROOT)
        return take_from_root(op);
    if (is_chain(op))
        return go_on_with_chain(fw, op);
    if (!(op->shape & TO_ROOT) && !s->few) {
        if (!fw_shm_is_stamped(result_slot(op), op->k))
            return false;
        take_result(op);
        return true;
    }
    if (s->few ? !collect(op, op->until) : !take_all(op))
        return false;
    keep_sum(op);
    if (op->until == s->size)       /* else nobody asked the others */
        learn(op->slots, least_of(op));
    return true;
}

bool mpi_fw_shm_advance(struct fw *fw, struct fw_shm_op *op)
{
    if (!op->put) {
        if (!window_is_open(op))
            return false;
        first_part(fw, op);
    }
    if (!op->finished && second_part(fw, op))
        finish(fw, op);
    return op->finished;
}

void mpi_fw_shm_begin(struct fw_shm_coll *s, struct fw_shm_op *op, uint64_t info,
                      fw_combine *combine, const void *context)
{
    begin(s, op, info, combine, context);
}

bool mpi_fw_shm_start(struct fw *fw, struct fw_shm_coll *s, struct fw_shm_op *op, uint64_t info,
                      fw_combine *combine, const void *context)
{
    begin(s, op, info, combine, context);
    if (!mpi_fw_shm_advance(fw, op)) {
        s->at_once = 0;
        return false;
    }
    if (++s->at_once > FW_SHM_BEHIND)
        expect_read(op);
    return true;
}

/* Where each rank has a core, and all wait for all, the others are mostly about to come.  Who only
 * takes had better not look all the while: it would have each line as soon as it is written, and
 * the writer, which runs ahead, would have to ask for each one back. */
bool mpi_fw_shm_comes_soon(struct fw *fw, struct fw_shm_op *op)
{
    if (!op->slots->few || op->shape & (TO_ROOT | FROM_ROOT | PREFIX))
        return false;
    for (unsigned looks = 0; looks < FW_SHM_LOOKS; looks++) {
        if (mpi_fw_shm_ready(op) && mpi_fw_shm_advance(fw, op))
            return true;
        nic_one_look();
    }
    return false;
}

void mpi_fw_shm_give_up(struct fw *fw, struct fw_shm_op *op) { finish(fw, op); }

/* By a rank that will ring; else there is more to ask. */
static bool is_held_up(const struct fw_shm_op *op)
{
    const struct fw_shm_coll *s = op->slots;
    uint32_t rank = is_for_one(op) ? s->rank + 1 : s->scan;
    return rank < s->size && is_asked(s, rank) && is_behind(op, rank);
}

bool mpi_fw_shm_ready(const struct fw_shm_op *op)
{
    const struct fw_shm_coll *s = op->slots;
    if (!op->put)
        return s->done + fw_shm_window_of(op) >= op->k && !is_held_up(op);
    if (op->shape & FROM_ROOT)
        return fw_shm_is_stamped(fw_shm_slot_of(op, fw_shm_info_root(op->info)), op->k);
    if (is_chain(op))
        return fw_shm_is_stamped(fw_shm_slot_of(op, s->rank - 1), op->k);
    if (s->few)
        return fw_shm_is_stamped(fw_shm_slot_of(op, op->next), op->k);
    return op->shape & TO_ROOT ? all_but_the_root(op) : fw_shm_is_stamped(result_slot(op), op->k);
}
