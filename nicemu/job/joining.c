/* Ranks that no launcher of ours has started: what they tell each other in the segment. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>

#include "job/segment.h"

enum { CPU_WORDS = sizeof(((struct nic_job_header *)0)->cpus) / sizeof(uint64_t) };

/* Writable until this process has opened its NIC. */
static struct nic_job_header *header(const struct nic_job *j)
{
    return (struct nic_job_header *)j->base;
}

void nic_job_set_token(struct nic_job *j, uint64_t token)
{
    header(j)->token = j->layout.token = token;
}

uint64_t nic_job_token(const struct nic_job *j) { return j->layout.token; }

void nic_job_add_cpus(struct nic_job *j)
{
    uint64_t own[CPU_WORDS] = { 0 };
    if (sched_getaffinity(0, sizeof own, (cpu_set_t *)own) < 0)
        return;
    for (unsigned i = 0; i < CPU_WORDS; i++)
        atomic_fetch_or(&header(j)->cpus[i], own[i]);
}

void nic_job_count_cpus(struct nic_job *j)
{
    uint32_t cores = 0;
    for (unsigned i = 0; i < CPU_WORDS; i++) {
        uint64_t word = atomic_load(&header(j)->cpus[i]);
        atomic_store(&j->layout.cpus[i], word);
        cores += (uint32_t)__builtin_popcountll(word);
    }
    j->layout.cores = cores ? cores : 1;
}

/* -- who lives: a lock of each rank's process behind the file's end, which the kernel takes back.
 * It goes with the process, not with the descriptor, so that what the rank starts has no part of
 * it. */

static struct flock lock_of(const struct nic_job *j, unsigned rank)
{
    return (struct flock){ .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1,
                           .l_start = (off_t)(j->layout.total + rank) };
}

int nic_job_hold(struct nic_job *j, unsigned rank)
{
    struct flock lock = lock_of(j, rank);
    return fcntl(j->fd, F_SETLK, &lock) < 0 ? -errno : 0;
}

/* One's own locks are in nobody's way. */
bool nic_job_held(const struct nic_job *j, unsigned rank)
{
    struct flock lock = lock_of(j, rank);
    return fcntl(j->fd, F_GETLK, &lock) < 0 || lock.l_type != F_UNLCK;
}

int nic_job_holder(const struct nic_job *j, unsigned rank)
{
    struct flock lock = lock_of(j, rank);
    return fcntl(j->fd, F_GETLK, &lock) < 0 || lock.l_type == F_UNLCK || lock.l_pid < 0
           ? 0 : (int)lock.l_pid;
}
