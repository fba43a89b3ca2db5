/* A prefix reduction past `few`: along the chain of ranks.  Each lays down what all up to it come
 * to, so one that has a turn gets through a window of operations, and so do those behind. */
#include "fw/shm_chain.h"

#include "fw/shm_blame.h"
#include "fw/shm_window.h"

static void pass_on(struct fw *fw, const struct fw_shm_op *op, const void *sum)
{
    struct fw_shm_coll *s = op->slots;
    struct fw_shm_slot *own = fw_shm_slot_of(op, s->rank);
    if (op->mismatch)
        mpi_fw_shm_write_blame(op, own);
    else
        fw_shm_write(own, op->k, op->info | FW_SHM_LAG_MASK, sum, op->data.row);
    fw_shm_expect_write(op);
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

void mpi_fw_shm_begin_chain(struct fw *fw, struct fw_shm_op *op)
{
    struct fw_shm_coll *s = op->slots;
    if (op->k == s->chain_first && s->told < s->done)
        mpi_fw_shm_tell_done(fw, s);        /* a window's worth of the chain waits for it */
    if (s->rank)
        return;
    pass_on(fw, op, op->data.in);
    keep_prefix(op, op->data.in, NULL);
    fw_shm_finish(fw, op);
}

bool mpi_fw_shm_go_on_with_chain(struct fw *fw, struct fw_shm_op *op)
{
    const struct fw_shm_slot *below = fw_shm_slot_of(op, op->slots->rank - 1);
    if (!fw_shm_is_stamped(below, op->k))
        return false;
    uint64_t info = atomic_load_explicit(&below->info, memory_order_relaxed);
    unsigned char *sum = op->sum[0], *lower = op->sum[1];   /* the user's function has both */
    if (!fw_shm_take_blame(op, below, info) && !fw_shm_info_agrees(info, op->info))
        mpi_fw_shm_blame_rank(op, op->slots->rank - 1, info);
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
