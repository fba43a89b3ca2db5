/* nicemu/spad.h: the scratchpad (see nicemu.h) by uses.
 *
 * Its size is chosen per job (struct nic_job_config, NICEMU_SCRATCHPAD): the systems of the papers
 * have 16 KB (a quarter of a cache), 384 KB (SeaStar) or more.  Whatever it is, all users share it
 * through one allocator, which counts per use what each has.  Being exhausted is normal in a small
 * one: whoever asks has another way (Katsamani, section on the eager rings: 2 * 64 * 8 bytes per
 * peer are what limits the number of ranks there).
 *
 * All functions need the baton. */
#ifndef NICEMU_SPAD_H
#define NICEMU_SPAD_H

#include "../nicemu.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* What a piece is used for; each line: identifier, name in reports. */
#define NIC_SPAD_USES(X) \
    X(BUFFERS, "buffers")           /* eager and staging buffers */ \
    /* claims: words of transfers that both ends copy, bytes of sends */ \
    X(CLAIMS, "claims") \
    X(COUNTERS, "counters")         /* counters and what they notify */ \
    X(QUEUES, "queues")             /* hardware queues and command queues */ \
    X(SLOTS, "slots")               /* slots of collectives */ \
    X(ATOMICS, "atomics")           /* words of remote atomics, and their results */ \
    X(REGISTRATIONS, "registrations") /* table of registered memory */ \
    X(USER, "user")                 /* the program's own */

#define NIC_SPAD_USE_ENUM(name, text) NIC_SPAD_##name,
enum nic_spad_use { NIC_SPAD_USES(NIC_SPAD_USE_ENUM) NIC_SPAD_USE_COUNT };

const char *nic_spad_use_name(enum nic_spad_use use);

/* As nic_spad_take, which is for NIC_SPAD_USER: for that use. */
uint64_t nic_spad_alloc(struct nic *nic, enum nic_spad_use use, size_t bytes, size_t align);

/* The largest piece, a multiple of `align`, that could be had now at that alignment; 0: none. */
size_t nic_spad_largest(const struct nic *nic, size_t align);

/* What a use has. */
struct nic_spad_usage {
    uint64_t bytes, pieces;         /* now */
    uint64_t high;                  /* most bytes at any time */
    uint64_t refusals;              /* requests for which there was no room */
};
void nic_spad_used(const struct nic *nic, enum nic_spad_use use, struct nic_spad_usage *usage);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
