/* The slots and rows of one operation, and what makes them visible; see shm_coll.h. */
#ifndef FW_SHM_SLOT_H
#define FW_SHM_SLOT_H

#include <string.h>

#include "fw/shm_area.h"
#include "fw/shm_info.h"

static inline struct fw_shm_slot *fw_shm_slot_of(const struct fw_shm_op *op, uint32_t rank)
{
    return &fw_shm_area_of(op->slots, rank)->own[op->k % FW_SHM_WINDOW];
}

static inline bool fw_shm_is_wide(const struct fw_shm_op *op)
{
    return op->data.row > FW_SHM_BYTES;
}

/* Operations from this one back that may be under way: what they have written is not written over.
 * So a wide one waits for more. */
static inline uint64_t fw_shm_window_of(const struct fw_shm_op *op)
{
    return fw_shm_is_wide(op) ? FW_SHM_WIDE_WINDOW : FW_SHM_WINDOW;
}

/* What a rank gives, once its slot is stamped. */
static inline unsigned char *fw_shm_row_in(const struct fw_shm_op *op, struct fw_shm_area *a)
{
    return fw_shm_is_wide(op) ? a->wide[op->k % FW_SHM_WIDE_WINDOW]
           : a->own[op->k % FW_SHM_WINDOW].data;
}

static inline unsigned char *fw_shm_row_of(const struct fw_shm_op *op, uint32_t rank)
{
    return fw_shm_row_in(op, fw_shm_area_of(op->slots, rank));
}

/* S1: the slot's data are read after its stamp. */
static inline bool fw_shm_is_stamped(const struct fw_shm_slot *slot, uint64_t k)
{
    return atomic_load_explicit(&slot->stamp, memory_order_acquire) == k;
}

static inline void fw_shm_copy(void *to, const void *from, size_t bytes)
{
    if (bytes <= 64)
        nic_copy_short(to, from, bytes);
    else
        memcpy(to, from, bytes);
}

/* The data are there already. */
static inline void fw_shm_stamp(struct fw_shm_slot *slot, uint64_t k, uint64_t info)
{
    atomic_store_explicit(&slot->info, info, memory_order_relaxed);
    atomic_store_explicit(&slot->stamp, k, memory_order_release);   /* S0: info and data first */
}

static inline void fw_shm_write(struct fw_shm_slot *slot, uint64_t k, uint64_t info,
                                const void *data, size_t bytes)
{
    fw_shm_copy(slot->data, data, bytes);
    fw_shm_stamp(slot, k, info);
}

/* Who gives and takes nothing runs ahead of who reads, which holds the lines of the slots that it
 * read last time round.  Each would be waited for in turn, as stores become visible in order: the
 * next but one is asked for now. */
static inline void fw_shm_expect_write(const struct fw_shm_op *op)
{
    nic_fetch_to_write(&op->slots->own->own[(op->k + 2) % FW_SHM_WINDOW]);
}

#endif
