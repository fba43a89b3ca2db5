/* Sleeping and ringing.  A sleeper sets its bit in the public line's `attention`, runs the heavy
 * half of an asymmetric fence, looks once more for work, and sleeps on the doorbell word.  A sender
 * publishes its packet and then reads `attention`: the fence makes sure that either the sleeper
 * sees the packet or the sender sees the bit. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/doorbell.h"
#include "nicemu/threads.h"

void nic_doorbell_ring(struct nic_public *pub, unsigned bells)
{
    atomic_fetch_add(&pub->doorbell, 1);
    syscall(SYS_futex, &pub->doorbell, FUTEX_WAKE_BITSET, INT_MAX, NULL, NULL, bells);
}

void nic_doorbell_sleep(struct nic_public *pub, uint32_t seen, unsigned bells, uint64_t timeout_ns)
{
    struct timespec until, *limit = NULL;
    if (timeout_ns) {       /* FUTEX_WAIT_BITSET takes an absolute time */
        clock_gettime(CLOCK_MONOTONIC, &until);
        uint64_t ns = (uint64_t)until.tv_nsec + timeout_ns;
        until.tv_sec += (time_t)(ns / 1000000000u);
        until.tv_nsec = (long)(ns % 1000000000u);
        limit = &until;
    }
    /* a signal or a ring that came first ends it at once: the caller looks for work anyway */
    syscall(SYS_futex, &pub->doorbell, FUTEX_WAIT_BITSET, seen, limit, NULL, bells);
}

void nic_job_nudge(const struct nic_job *job)
{
    for (unsigned r = 0; r < job->ranks; r++)
        if (nic_job_here(job, r) && nic_job_rank_state(job, r) == NIC_RANK_OPEN) {
            atomic_fetch_add(&job->publics[r].nudges, 1);
            nic_doorbell_ring(&job->publics[r], NIC_BELL_HOST);
        }
}

bool nic_arm(struct nic *n, uint64_t *timeout_ns)
{
    enum { NAP_NS = 100 * 1000 };
    enum nic_arming arming = n->arm ? n->arm(n) : NIC_WILL_RING;
    if (arming == NIC_NEVER_RINGS && (!*timeout_ns || *timeout_ns > NAP_NS))
        *timeout_ns = NAP_NS;
    return arming != NIC_HAS_COME;
}

static long membarrier(int command) { return syscall(SYS_membarrier, command, 0, 0); }

bool nic_fence_register(void)
{
    const char *env = getenv("NICEMU_MEMBARRIER");      /* "off": for tests of the fenced path */
    if (env && !strcmp(env, "off"))
        return false;
    return !membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED)
           && !membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
}

bool nic_fence_all(void)
{
    atomic_thread_fence(memory_order_seq_cst);
    return !membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
}

bool nic_fence_ranks(void) { return nic_fence_all(); }

bool nic_fences_lightly(const struct nic *n) { return n->asymmetric; }

void nic_fence_process(const struct nic *n)
{
    if (n->asymmetric)
        membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
    else
        atomic_thread_fence(memory_order_seq_cst);
}
