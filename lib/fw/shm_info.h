/* What all ranks of a short collective must agree on, in the word that stands beside a slot's stamp
 * (shm_coll.h).  And how far its writer is behind, which of the communicator's collectives this is
 * (of those by messages too), and, for reports, that its call does not block.
 *
 *     part 8 | later 1 | root 18 | number 15 | bytes 11 | lag 7 | kind 4 */
#ifndef FW_SHM_INFO_H
#define FW_SHM_INFO_H

#include "fw/shm_coll.h"

enum {
    FW_SHM_LAG_SHIFT = 4, FW_SHM_BYTES_SHIFT = 11, FW_SHM_NUMBER_SHIFT = 22,
    FW_SHM_ROOT_SHIFT = 37, FW_SHM_PART_SHIFT = 56,
    FW_SHM_BYTES_MASK = 2047, FW_SHM_ROOT_MASK = (1 << 18) - 1,
    FW_SHM_LAG_UNKNOWN = 127    /* window + 1 at most, or unknown */
};
#define FW_SHM_LAG_MASK (UINT64_C(127) << FW_SHM_LAG_SHIFT)
#define FW_SHM_NUMBER_MASK ((uint64_t)FW_SHM_NUMBER << FW_SHM_NUMBER_SHIFT)
#define FW_SHM_LATER (UINT64_C(1) << 55)
/* Of a barrier of another rank, which has no root: it is not known whether its call blocks. */
#define FW_SHM_EITHER (UINT64_C(1) << FW_SHM_ROOT_SHIFT)
static_assert(FW_SHM_KIND_COUNT <= 16 && (int)FW_SHM_WINDOW + 1 < FW_SHM_LAG_UNKNOWN
              && (int)FW_SHM_WIDE_BYTES <= FW_SHM_BYTES_MASK, "room in an info");

/* Inline, as a call makes one in a few instructions.
 * bytes: as the user is told; the rows' lengths follow from it.  root: or the number of the call,
 * where the kind has no root (FW_SHM_EXCLUSIVE of a scan).  part: what the host says that it is a
 * part of, or 0.  number: of the communicator's collective, these and those by messages; it is for
 * mpi_fw_shm_instead only. */
static inline uint64_t fw_shm_info(enum fw_shm_kind kind, size_t bytes, uint32_t root,
                                   uint32_t part, uint32_t number)
{
    return (uint64_t)kind | (uint64_t)bytes << FW_SHM_BYTES_SHIFT
           | (uint64_t)(number & FW_SHM_NUMBER) << FW_SHM_NUMBER_SHIFT
           | (uint64_t)root << FW_SHM_ROOT_SHIFT | (uint64_t)part << FW_SHM_PART_SHIFT;
}

static inline enum fw_shm_kind fw_shm_info_kind(uint64_t info)
{
    return (enum fw_shm_kind)(info & 15);
}
static inline size_t fw_shm_info_bytes(uint64_t info)
{
    return info >> FW_SHM_BYTES_SHIFT & FW_SHM_BYTES_MASK;
}
static inline uint32_t fw_shm_info_root(uint64_t info)
{
    return (uint32_t)(info >> FW_SHM_ROOT_SHIFT) & FW_SHM_ROOT_MASK;
}
static inline uint32_t fw_shm_info_part(uint64_t info)
{
    return (uint32_t)(info >> FW_SHM_PART_SHIFT);
}
static inline uint64_t fw_shm_info_lag(uint64_t info)
{
    return (info & FW_SHM_LAG_MASK) >> FW_SHM_LAG_SHIFT;
}

static inline bool fw_shm_info_agrees(uint64_t one, uint64_t other)
{
    return !((one ^ other) & ~(FW_SHM_LAG_MASK | FW_SHM_NUMBER_MASK | FW_SHM_LATER));
}

#endif
