/* Ranks that called different short collectives: who finds it, and how the others hear of it. */
#ifndef FW_SHM_BLAME_H
#define FW_SHM_BLAME_H

#include "fw/shm_slot.h"

/* That rank called what `info` says; the first that is blamed counts. */
void mpi_fw_shm_blame_rank(struct fw_shm_op *op, uint32_t rank, uint64_t info);

/* At what all ranks have laid down; the first that called something else is blamed. */
void mpi_fw_shm_look_at_all(struct fw_shm_op *op);

/* Who reads the slot hears of it too: true, it says so, and the operation has its words. */
void mpi_fw_shm_write_blame(const struct fw_shm_op *op, struct fw_shm_slot *slot);
void mpi_fw_shm_hear_blame(struct fw_shm_op *op, const struct fw_shm_slot *slot);

static inline bool fw_shm_take_blame(struct fw_shm_op *op, const struct fw_shm_slot *slot,
                                         uint64_t info)
{
    if (__builtin_expect(fw_shm_info_kind(info) != FW_SHM_NONE, 1))
        return false;
    mpi_fw_shm_hear_blame(op, slot);
    return true;
}

#endif
