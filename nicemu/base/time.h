/* Times: the real one in nanoseconds, and sums of virtual ones in picoseconds. */
#ifndef NIC_BASE_TIME_H
#define NIC_BASE_TIME_H

#include <stdint.h>

#define NIC_NEVER UINT64_MAX

uint64_t nic_now(void);     /* ns, monotonic */

static inline uint64_t nic_time_later(uint64_t a, uint64_t b) { return a > b ? a : b; }
static inline uint64_t nic_time_sooner(uint64_t a, uint64_t b) { return a < b ? a : b; }
static inline uint64_t nic_time_add(uint64_t a, uint64_t b)
{
    return a > NIC_NEVER - b ? NIC_NEVER : a + b;
}

#endif
