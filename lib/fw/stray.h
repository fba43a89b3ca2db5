/* Packets that make no sense are counted and otherwise ignored. */
#ifndef FW_STRAY_H
#define FW_STRAY_H

#include "fw/state.h"

/* A packet of no sense by itself. */
static inline void fw_stray_packet(struct fw *fw)
{
    fw->strays++;
    FW_COUNT(fw, strays_malformed, 1);
}

/* A packet for a request that does not exist (NULL), or not for its state. */
static inline void fw_stray(struct fw *fw, const struct fw_req *r)
{
    if (r) {
        fw_stray_packet(fw);
        return;
    }
    fw->strays++;
    FW_COUNT(fw, strays_request, 1);
}

#endif
