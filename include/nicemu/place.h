/* Placement: where the NIC's own thread runs, and on which memory node a rank's part of the job
 * lies.  Part of nicemu.h.
 *
 * Nothing about placement can make a job fail: where the kernel refuses (containers), a thread runs
 * and memory lies where it may. Any thread may call. */
#ifndef NICEMU_PLACE_H
#define NICEMU_PLACE_H

#include "../nicemu.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Processor numbers (the kernel's) reach from 0 to NIC_CPUS_MAX - 1; memory nodes from 0 to
 * NIC_NODES_MAX - 1. */
enum { NIC_CPUS_MAX = 8192, NIC_NODES_MAX = 1024 };

/* Set by a launcher that binds a rank: the processors of its NIC's thread,
 * "3" or "2-3,7".  See struct nic_config.thread_cpus. */
#define NIC_ENV_THREAD_CPUS "NICEMU_THREAD_CPUS"

/* Who steps the NIC, for those who read it from the environment: a name of enum nic_progress. */
#define NIC_ENV_PROGRESS "NICEMU_PROGRESS"
#define NIC_PROGRESS_VALUES "auto, thread, host"

/* "auto", "thread" or "host".  -EINVAL for anything else, *progress stays. */
int nic_progress_parse(const char *text, enum nic_progress *progress);

/* Reads a list of numbers and ranges, each below 64 * words, into the bits of `mask`.  -EINVAL if
 * it is no such list or empty; the mask is then undefined. */
int nic_cpus_parse(const char *text, uint64_t *mask, size_t words);

/* Asks for the inbox ring and the scratchpad of `rank` to lie on this memory node while it has
 * room, whoever touches them first.  Memory that has been touched stays where it is: a launcher
 * calls this before it starts ranks.  A rank that nobody has called this for prefers, on machines
 * of several nodes, the node on which it calls nic_open.  -EINVAL; -EPERM or -ENOSYS where the
 * kernel refuses. */
int nic_job_prefer_node(struct nic_job *job, unsigned rank, unsigned node);

/* Where a rank sits: what holds its processor, from the largest object to the smallest.  Numbers of
 * one level are different for different objects; where a machine does not tell a level, all may
 * have the same one, or each the next smaller object's. */
enum nic_seat_level {
    NIC_SEAT_SOCKET, NIC_SEAT_NODE, NIC_SEAT_L3, NIC_SEAT_L2, NIC_SEAT_CORE, NIC_SEAT_LEVELS
};
struct nic_seat { uint16_t in[NIC_SEAT_LEVELS]; };

/* A launcher that binds ranks tells them all where each sits, before it starts them.  -EINVAL. */
int nic_job_set_seat(struct nic_job *job, unsigned rank, const struct nic_seat *seat);
/* 0; -ENOENT: nobody has told. */
int nic_job_seat(const struct nic_job *job, unsigned rank, struct nic_seat *seat);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
