/* A prefix reduction past `few`: along the chain of ranks.  Each lays down what all up to it come
 * to, so one that has a turn gets through a window of operations, and so do those behind.
 *
 * One alone had to wait for a turn of each rank in order.  So in the first few of a row who has to
 * wait lays down what it gives too, where results lie otherwise, and looks back: from the next
 * lower rank to one that has its prefix, over those that have given theirs, which it then combines
 * itself, in the same order and from the same side as they will.  Not where the row is taken to be
 * long: the first wait sorts the turns of ranks that share a core, which is slow, but good for what
 * follows (64 ranks, rows of 2,000 on 2 cores: 3.1 us each, in place of 4.5; one alone 1,300 us, in
 * place of 90). */
#include "fw/shm_chain.h"

#include "fw/shm_blame.h"
#include "fw/shm_window.h"

enum { LOOKED_OVER = 64 };      /* ranks at most: nobody has to map everybody's pages */

/* What a rank gives; rank 0's is its prefix.  It is written over when all have finished: see
 * mpi_fw_shm_note_chain. */
static struct fw_shm_slot *given_by(const struct fw_shm_op *op, uint32_t rank)
{
    return &fw_shm_area_of(op->slots, rank)->result[op->k % FW_SHM_WINDOW];
}

/* The next one may be the only one that waits; who looks back may have all that it needs, so of
 * those that sleep each wakes two more. */
static void notify_above(struct fw *fw, const struct fw_shm_op *op)
{
    struct fw_shm_coll *s = op->slots;
    if (s->rank + 1 < s->size)
        fw_shm_notify(fw, s, s->rank + 1);
    if (!op->looks_back)
        return;
    for (uint32_t i = 2 * s->rank + 1; i <= 2 * s->rank + 2; i++)
        if (i < s->size && i > s->rank + 1)
            fw_shm_notify(fw, s, i);
}

static void pass_on(struct fw *fw, const struct fw_shm_op *op, const void *sum)
{
    struct fw_shm_slot *own = fw_shm_slot_of(op, op->slots->rank);
    if (op->mismatch)
        mpi_fw_shm_write_blame(op, own);
    else
        fw_shm_write(own, op->k, op->info | FW_SHM_LAG_MASK, sum, op->data.row);
    fw_shm_expect_write(op);
    notify_above(fw, op);
}

/* What this rank gets: also of itself, or, exclusive, of those below. */
static void keep_prefix(const struct fw_shm_op *op, const void *with_own, const void *below)
{
    bool exclusive = fw_shm_info_root(op->info) == FW_SHM_EXCLUSIVE;
    const void *prefix = exclusive ? below : with_own;
    if (prefix && op->data.row && prefix != op->data.out)
        fw_shm_copy(op->data.out, prefix, op->data.row);
}

static bool has_prefix(const struct fw_shm_op *op, uint32_t rank)
{
    return fw_shm_is_stamped(fw_shm_slot_of(op, rank), op->k);
}

static bool has_given(const struct fw_shm_op *op, uint32_t rank)
{
    return fw_shm_is_stamped(given_by(op, rank), op->k);
}

void mpi_fw_shm_begin_chain(struct fw *fw, struct fw_shm_op *op)
{
    struct fw_shm_coll *s = op->slots;
    if (op->k == s->chain_first && s->told < s->done)
        mpi_fw_shm_tell_done(fw, s);        /* a window's worth of the chain waits for it */
    op->next = s->rank;
    if (!s->rank) {
        pass_on(fw, op, op->data.in);
        keep_prefix(op, op->data.in, NULL);
        fw_shm_finish(fw, op);
    } else if (op->looks_back && !has_prefix(op, s->rank - 1)) {
        fw_shm_write(given_by(op, s->rank), op->k, op->info | FW_SHM_LAG_MASK, op->data.in,
                     op->data.row);
    }
}

/* op->next is the lowest rank seen to have given, or this one. */
static bool may_look_below(const struct fw_shm_op *op)
{
    return op->looks_back && op->next && op->slots->rank - op->next < LOOKED_OVER;
}

bool mpi_fw_shm_chain_is_ready(const struct fw_shm_op *op)
{
    if (has_prefix(op, op->slots->rank - 1))
        return true;
    return may_look_below(op) && (has_prefix(op, op->next - 1) || has_given(op, op->next - 1));
}

/* The rank whose prefix is there, with what all between give; else -1. */
static int64_t find_prefix(struct fw_shm_op *op)
{
    const uint32_t below = op->slots->rank - 1;
    if (has_prefix(op, below))
        return below;
    for (; may_look_below(op); op->next--) {
        if (has_prefix(op, op->next - 1))
            return op->next - 1;
        if (!has_given(op, op->next - 1))
            break;
    }
    return -1;
}

static void check(struct fw_shm_op *op, uint32_t rank, const struct fw_shm_slot *slot)
{
    uint64_t info = atomic_load_explicit(&slot->info, memory_order_relaxed);
    if (!fw_shm_take_blame(op, slot, info) && !fw_shm_info_agrees(info, op->info))
        mpi_fw_shm_blame_rank(op, rank, info);
}

/* sum[turn] = sum so far op what comes next, which the user's function gets both of. */
static void add(struct fw_shm_op *op, const void *next)
{
    unsigned char *sum = op->sum[op->turn], *into = op->sum[!op->turn];
    fw_shm_copy(into, next, op->data.row);
    op->combine(op->context, sum, into, op->data.row);
    op->turn = !op->turn;
}

/* From the prefix of `rank` on. */
static void combine_from(struct fw_shm_op *op, uint32_t rank)
{
    const struct fw_shm_slot *slot = fw_shm_slot_of(op, rank);
    check(op, rank, slot);
    if (!op->mismatch)
        fw_shm_copy(op->sum[op->turn], slot->data, op->data.row);
    for (rank++; rank < op->slots->rank; rank++) {
        slot = given_by(op, rank);
        check(op, rank, slot);
        if (!op->mismatch && op->data.row)
            add(op, slot->data);
    }
    if (!op->mismatch && op->data.row)
        add(op, op->data.in);
}

bool mpi_fw_shm_go_on_with_chain(struct fw *fw, struct fw_shm_op *op)
{
    const int64_t rank = find_prefix(op);
    if (rank < 0)
        return false;
    combine_from(op, (uint32_t)rank);
    pass_on(fw, op, op->sum[op->turn]);
    if (!op->mismatch)
        keep_prefix(op, op->sum[op->turn], op->sum[!op->turn]);
    return true;
}
