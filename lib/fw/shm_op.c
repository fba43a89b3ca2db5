/* One short collective by stores, as one rank does it; see shm_coll.h. */
#include <string.h>

#include "fw/shm_blame.h"
#include "fw/shm_chain.h"
#include "fw/shm_window.h"

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
    [FW_SHM_GATHERV] = TO_ROOT,
};

/* Beside the count of those who have arrived: the root is among them, and waits for nobody; and how
 * many of them, modulo 256, gave to a root. */
enum { IDLE_ROOT = 1 << 23, ARRIVED = IDLE_ROOT - 1, GAVE = IDLE_ROOT << 1 };

static uint32_t useful_ranks(const struct fw_shm_op *op)
{
    const struct fw_shm_coll *s = op->slots;
    if (__builtin_expect(op->vector && !op->vector->takes, 0))
        return 0;
    if (!(op->shape & PREFIX))
        return s->size;
    return s->rank + (fw_shm_info_root(op->info) != FW_SHM_EXCLUSIVE);
}

/* -- one operation */

static inline void begin(struct fw_shm_coll *s, struct fw_shm_op *op, uint64_t info,
                         fw_combine *combine, const void *context)
{
    op->slots = s;
    op->k = ++s->begun;
    if (*s->high < s->begun)
        *s->high = s->begun;
    op->info = info;
    op->shape = shapes[fw_shm_info_kind(info)];
    op->until = useful_ranks(op);
    op->combine = combine;
    op->context = context;
    op->next = op->looked = 0;
    op->turn = 0;
    op->least = UINT64_MAX;
    op->put = op->finished = op->held = op->mismatch = false;
    /* past `few` a prefix reduction goes along the chain of ranks */
    op->chain = op->shape & PREFIX && !s->few;
    op->looks_back = op->for_one = false;
    if (op->chain)
        mpi_fw_shm_note_chain(op);
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

static void put_own(const struct fw_shm_op *op)
{
    struct fw_shm_coll *s = op->slots;
    if (__builtin_expect(op->vector != NULL, 0))
        op->vector->lay(op->vector, fw_shm_row_in(op, s->own));
    else
        fw_shm_copy(fw_shm_row_in(op, s->own), op->data.in, op->data.row);
    uint64_t lag = op->k - s->done;
    fw_shm_stamp(&s->own->own[op->k % FW_SHM_WINDOW], op->k, op->info | lag << FW_SHM_LAG_SHIFT);
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
    if (__builtin_expect(op->vector != NULL, 0))
        op->vector->take(op->vector, op->next, row);
    else if (op->shape & FOLDS)
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
        mpi_fw_shm_blame_rank(op, op->next, info);
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
    mpi_fw_shm_blame_rank(op, op->next, FW_SHM_BARRIER | (either ? FW_SHM_EITHER : 0));
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
    if (op->mismatch) {
        mpi_fw_shm_write_blame(op, slot);
    } else if (fw_shm_info_kind(op->info) == FW_SHM_BARRIER) {
        fw_shm_write(slot, op->k, op->info | FW_SHM_LAG_MASK, &op->slots->rank,
                     sizeof op->slots->rank);
    } else {
        uint64_t info = op->info | (op->k - least_of(op)) << FW_SHM_LAG_SHIFT;
        keep_sum(op);
        if (!(op->shape & EACH))
            lay_result(op, slot);
        fw_shm_stamp(slot, op->k, info);
        fw_shm_learn(op->slots, least_of(op));
    }
}

/* Nothing is left to be done here. */
static inline void end(struct fw *fw, struct fw_shm_op *op)
{
    if (__builtin_expect(op->vector != NULL, 0))
        op->finished = op->held = true;
    else
        fw_shm_finish(fw, op);
}

/* The last to arrive does the work in rank order, whoever it is. */
static void work_for_all(struct fw *fw, struct fw_shm_op *op)
{
    if (fw_shm_info_kind(op->info) != FW_SHM_BARRIER)
        collect_arrived(op);
    atomic_store_explicit(arrival_count(op), 0, memory_order_relaxed);  /* the stamp publishes it */
    write_result(op);
    fw_shm_notify_others(fw, op->slots);
    end(fw, op);
}

/* S2: the own contribution comes before, those of all others before the last one's count.  What
 * the count is then. */
static uint32_t count_own(const struct fw_shm_op *op, uint32_t own)
{
    return atomic_fetch_add_explicit(arrival_count(op), own, memory_order_acq_rel) + own;
}

static void arrive(struct fw *fw, struct fw_shm_op *op)
{
    if (fw_shm_info_kind(op->info) != FW_SHM_BARRIER)
        put_own(op);
    uint32_t count = count_own(op, 1);
    if ((count & ARRIVED) != op->slots->size)
        return;
    if (__builtin_expect(count > ARRIVED, 0))       /* which only barriers do not see anyway */
        mpi_fw_shm_look_at_all(op);
    work_for_all(fw, op);
}

/* Past `few` the root has one turn, when all are there. */
static bool all_but_the_root(const struct fw_shm_op *op)
{
    uint32_t count = atomic_load_explicit(arrival_count(op), memory_order_acquire);
    return (count & ARRIVED) + 1 >= op->slots->size;
}

static void take_result(struct fw_shm_op *op)
{
    const struct fw_shm_slot *slot = result_slot(op);
    uint64_t info = atomic_load_explicit(&slot->info, memory_order_relaxed);
    if (fw_shm_take_blame(op, slot, info))
        return;
    if (__builtin_expect(!fw_shm_info_agrees(info, op->info), 0)) {
        uint32_t rank = 0;
        if (fw_shm_info_kind(info) == FW_SHM_BARRIER)
            memcpy(&rank, slot->data, sizeof rank);
        mpi_fw_shm_blame_rank(op, rank, info);
    } else {
        if (!(op->shape & EACH))
            copy_result(op, slot);
        else
            collect_arrived(op);
        if (fw_shm_info_lag(info) != FW_SHM_LAG_UNKNOWN)
            fw_shm_learn(op->slots, op->k - fw_shm_info_lag(info));
        if (op->shape & EACH)
            keep_sum(op);
    }
}

/* Behind an idle root the last to count ends the count, and writes it again only behind its own
 * `done`. */
static void end_count(const struct fw_shm_op *op, uint32_t count)
{
    if ((count & ARRIVED) == op->slots->size)
        atomic_store_explicit(arrival_count(op), 0, memory_order_relaxed);
}

static void give_to_root(struct fw *fw, struct fw_shm_op *op, uint32_t root)
{
    struct fw_shm_coll *s = op->slots;
    put_own(op);
    fw_shm_expect_write(op);
    uint32_t count = s->few ? 0 : count_own(op, 1 + GAVE);
    if (__builtin_expect(count & IDLE_ROOT, 0))
        end_count(op, count);
    else if (s->few || (count & ARRIVED) == s->size - 1)
        fw_shm_notify(fw, s, root);
    end(fw, op);
}

static void wait_for_nobody(struct fw *fw, struct fw_shm_op *op)
{
    if (!op->slots->few)
        end_count(op, count_own(op, 1 + IDLE_ROOT));
    end(fw, op);
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
        else if (__builtin_expect(!op->until, 0))
            wait_for_nobody(fw, op);
    } else if (op->shape & FROM_ROOT) {
        if (s->rank != root)
            return;
        put_own(op);
        fw_shm_expect_write(op);
        fw_shm_notify_others(fw, s);
        fw_shm_finish(fw, op);
    } else if (op->chain) {
        mpi_fw_shm_begin_chain(fw, op);
    } else if (s->few) {
        put_own(op);
        if (op->until < s->size)        /* the lower ranks of a scan */
            fw_shm_expect_write(op);
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
        mpi_fw_shm_blame_rank(op, root, info);
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
    if (op->chain)
        return mpi_fw_shm_go_on_with_chain(fw, op);
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
        fw_shm_learn(op->slots, least_of(op));
    return true;
}

bool mpi_fw_shm_advance(struct fw *fw, struct fw_shm_op *op)
{
    if (!op->put) {
        if (!fw_shm_window_is_open(op))
            return false;
        first_part(fw, op);
    }
    if (!op->finished && second_part(fw, op))
        end(fw, op);
    return op->finished;
}

const unsigned char *mpi_fw_shm_row(const struct fw_shm_op *op, uint32_t rank)
{
    bool there = fw_shm_is_stamped(fw_shm_slot_of(op, rank), op->k);
    return there ? fw_shm_row_of(op, rank) : NULL;
}

void mpi_fw_shm_leave(struct fw *fw, struct fw_shm_op *op)
{
    if (op->held)
        fw_shm_finish(fw, op);
    op->held = false;
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

void mpi_fw_shm_give_up(struct fw *fw, struct fw_shm_op *op) { fw_shm_finish(fw, op); }

bool mpi_fw_shm_ready(const struct fw_shm_op *op)
{
    const struct fw_shm_coll *s = op->slots;
    if (!op->put)
        return s->done + fw_shm_window_of(op) >= op->k && !mpi_fw_shm_is_held_up(op);
    if (op->shape & FROM_ROOT)
        return fw_shm_is_stamped(fw_shm_slot_of(op, fw_shm_info_root(op->info)), op->k);
    if (op->chain)
        return mpi_fw_shm_chain_is_ready(op);
    if (s->few)
        return fw_shm_is_stamped(fw_shm_slot_of(op, op->next), op->k);
    return op->shape & TO_ROOT ? all_but_the_root(op) : fw_shm_is_stamped(result_slot(op), op->k);
}
