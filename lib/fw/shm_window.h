/* The window of a communicator's short collectives: which may begin, and which are finished. */
#ifndef FW_SHM_WINDOW_H
#define FW_SHM_WINDOW_H

#include "fw/shm_slot.h"
#include "fw/stats.h"

/* S4: a place is written again after `done` says that it has been read. */
static inline uint64_t fw_shm_done_of(const struct fw_shm_coll *s, uint32_t rank)
{
    return atomic_load_explicit(&fw_shm_area_of(s, rank)->done, memory_order_acquire);
}

static inline bool fw_shm_is_behind(const struct fw_shm_op *op, uint32_t rank)
{
    return fw_shm_done_of(op->slots, rank) + fw_shm_window_of(op) < op->k;
}

/* All ranks have finished what is a window back, as far as is known here. */
static inline bool fw_shm_window_is_known(const struct fw_shm_op *op)
{
    const struct fw_shm_coll *s = op->slots;
    return op->k <= s->known + fw_shm_window_of(op);
}

/* Where it is not known: asks them. */
bool mpi_fw_shm_ask_window(const struct fw_shm_op *op);

static inline bool fw_shm_window_is_open(const struct fw_shm_op *op)
{
    if (__builtin_expect(op->k > op->slots->done + fw_shm_window_of(op), 0))
        return false;
    return __builtin_expect(fw_shm_window_is_known(op), 1) || mpi_fw_shm_ask_window(op);
}

/* It waits for a rank that will ring; else there is more to ask. */
bool mpi_fw_shm_is_held_up(const struct fw_shm_op *op);

static inline void fw_shm_learn(struct fw_shm_coll *s, uint64_t done)
{
    if (done > s->known)
        s->known = done;
}

/* Of an operation that goes along the chain of ranks, when it is begun. */
void mpi_fw_shm_note_chain(struct fw_shm_op *op);

/* Operation k is finished here, and is one of a non-blocking call, or one that such are begun
 * before. */
void mpi_fw_shm_finish_out_of_order(struct fw_shm_coll *s, uint64_t k);

static inline void fw_shm_finish(struct fw *fw, struct fw_shm_op *op)
{
    struct fw_shm_coll *s = op->slots;
    op->finished = true;
    FW_COUNT(fw, collectives_shm, 1);
    if (__builtin_expect(op->k == s->done + 1 && !s->finished, 1))
        s->done = op->k;
    else
        mpi_fw_shm_finish_out_of_order(s, op->k);
    if (s->done - s->told >= s->grain)
        mpi_fw_shm_tell_done(fw, s);
}

#endif
