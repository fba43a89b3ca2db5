/* Sizes of a job's memory, as texts: options of a launcher,
 * environment, later profiles.  Any thread. */
#ifndef NICEMU_SIZES_H
#define NICEMU_SIZES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct nic_job_config;

/* Bytes per rank. */
#define NIC_SCRATCHPAD_MIN UINT64_C(4096)
#define NIC_SCRATCHPAD_MAX (UINT64_C(1) << 40)
#define NIC_HEAP_MIN (UINT64_C(64) << 10)
#define NIC_HEAP_MAX (UINT64_C(1) << 40)
#define NIC_HEAP_OFF SIZE_MAX           /* in struct nic_job_config: no heap */

#define NIC_ENV_SCRATCHPAD "NICEMU_SCRATCHPAD"
#define NIC_ENV_HEAP "NICEMU_HEAP"

/* A decimal number of bytes, or of units of 1024, 1024^2, 1024^3 or 1024^4 with the suffix k, M, G
 * or T (either case), which "iB" or "B" may follow. 0, -EINVAL (no such number), -ERANGE (does not
 * fit). */
int nic_size_parse(const char *text, uint64_t *bytes);

/* Sets a size in the configuration: `name` is "scratchpad" or "heap" (of which "none" and 0 mean
 * none), or the variable's.  -EINVAL or -ERANGE, and then `why` holds a text for people, in at most
 * `room` bytes. */
int nic_job_config_set(struct nic_job_config *config, const char *name, const char *text,
                       char *why, size_t room);

/* The same for all sizes that the environment has (NIC_ENV_*). */
int nic_job_config_environment(struct nic_job_config *config, char *why, size_t room);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
