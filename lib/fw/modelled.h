/* What the model clock is told: work that costs time, and which way led to what happens next
 * (nicemu/explain.h).  On the live clock each is a test that fails. */
#ifndef FW_MODELLED_H
#define FW_MODELLED_H

#include "fw/state.h"

/* A control message is made or handled. */
static inline void fw_control(const struct fw *fw)
{
    if (__builtin_expect(fw->modelled, 0))
        nic_work(fw->nic, NIC_WORK_CONTROL);
}

/* The host copies data of an eager message into or out of a buffer of the NIC's. */
static inline void fw_buffered(const struct fw *fw, size_t bytes)
{
    if (__builtin_expect(fw->modelled, 0) && fw->profile->protocol.copies
        && (fw->offload == FW_OFFLOAD_NONE || fw->offload == FW_OFFLOAD_FORWARD))
        nic_copied(fw->nic, bytes);
}

/* Keeps the way that led here, for a request or for what a handler has found. */
static inline void fw_critical_path_save(const struct fw *fw, uint32_t *way)
{
    if (__builtin_expect(!fw->modelled, 1))
        return;
    nic_critical_path_drop(fw->nic, way);
    *way = nic_critical_path_save(fw->nic);
}

/* What happens now had to wait for the end of a kept way too, which is kept no more. */
static inline void fw_critical_path_join(const struct fw *fw, uint32_t *way, enum nic_part reason)
{
    if (__builtin_expect(!fw->modelled, 1))
        return;
    nic_critical_path_join(fw->nic, *way, reason);
    nic_critical_path_drop(fw->nic, way);
}

static inline void fw_critical_path_drop(const struct fw *fw, uint32_t *way)
{
    if (__builtin_expect(fw->modelled, 0))
        nic_critical_path_drop(fw->nic, way);
}

#endif
