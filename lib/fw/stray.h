/* Packets that make no sense are counted and otherwise ignored. */
#ifndef FW_STRAY_H
#define FW_STRAY_H

#include "fw/state.h"

/* A packet of no sense by itself. */
static inline void fw_stray_packet(struct fw *fw)
{
    FW_COUNT(fw, strays_malformed, 1);
}

/* A packet for a request that does not exist (NULL), or not for its state. */
static inline void fw_stray(struct fw *fw, const struct fw_req *r)
{
    if (r)
        FW_COUNT(fw, strays_malformed, 1);
    else
        FW_COUNT(fw, strays_request, 1);
}

/* All that were ignored. */
static inline uint64_t fw_strays(const struct fw *fw)
{
    const uint64_t *value = fw->stats.value;
    return value[FW_STAT_strays_type] + value[FW_STAT_strays_request]
           + value[FW_STAT_strays_malformed];
}

#endif
