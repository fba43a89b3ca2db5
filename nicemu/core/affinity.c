/* Placement of the NIC's thread and of a rank's part of the job's memory.
 *
 * Memory has to be placed before anybody touches it, and a peer may send into a ring before its
 * owner has looked at it.  So it is not left to the first touch: the kernel keeps a policy with the
 * memory file itself, for whoever touches it. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/affinity.h"

enum { WORD_BITS = 64, NODE_WORDS = NIC_NODES_MAX / WORD_BITS };

int nic_progress_parse(const char *text, enum nic_progress *progress)
{
    static const char *const names[] = { [NIC_PROGRESS_AUTO] = "auto",
                                         [NIC_PROGRESS_THREAD] = "thread",
                                             [NIC_PROGRESS_HOST] = "host" };
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(text, names[i])) {
            *progress = (enum nic_progress)i;
            return 0;
        }
    return -EINVAL;
}

/* -- processors */

/* A number below `end`; *text goes past it.  `end` if there is none. */
static unsigned long parse_number(const char **text, unsigned long end)
{
    char *after;
    if (**text < '0' || **text > '9')
        return end;
    unsigned long n = strtoul(*text, &after, 10);
    *text = after;
    return n < end ? n : end;
}

int nic_cpus_parse(const char *text, uint64_t *mask, size_t words)
{
    unsigned long end = words * WORD_BITS;
    memset(mask, 0, words * sizeof *mask);
    do {
        unsigned long first = parse_number(&text, end), last = first;
        if (*text == '-' && text++)
            last = parse_number(&text, end);
        if (first >= end || last >= end || last < first)
            return -EINVAL;
        for (; first <= last; first++)
            mask[first / WORD_BITS] |= UINT64_C(1) << first % WORD_BITS;
    } while (*text == ',' && text++);
    return *text ? -EINVAL : 0;
}

/* The thread's processors: those that the launcher chose, else all of the job's, since the host may
 * be bound to one core and the thread helps from any. */
int nic_place_choose_cpus(struct nic *n, const char *list)
{
    static_assert(sizeof n->job->layout.cpus <= sizeof n->thread_cpus, "holds the job's set");
    if (list)
        return nic_cpus_parse(list, n->thread_cpus, NIC_CPUS_MAX / WORD_BITS);
    memcpy(n->thread_cpus, n->job->layout.cpus, sizeof n->job->layout.cpus);
    return 0;
}

void nic_place_thread(const struct nic *n)
{
    sched_setaffinity(0, sizeof n->thread_cpus, (const cpu_set_t *)n->thread_cpus);
}

static bool is_own(const void *cpus, size_t bytes)
{
    uint64_t own[NIC_CPUS_MAX / WORD_BITS] = { 0 };
    return sched_getaffinity(0, sizeof own, (cpu_set_t *)own) >= 0 && !memcmp(own, cpus, bytes);
}

/* Not if the launcher or somebody else has bound this rank, or there is a core that is not the
 * job's. */
bool nic_place_host(const struct nic *n, unsigned number, unsigned of)
{
    const struct nic_job_header *h = &n->job->layout;
    uint64_t one[NIC_CPUS_MAX / WORD_BITS] = { 0 };
    unsigned seen = 0;
    for (unsigned cpu = 0; cpu < sizeof h->cpus * CHAR_BIT; cpu++)
        if (h->cpus[cpu / WORD_BITS] >> cpu % WORD_BITS & 1 && seen++ == number)
            one[cpu / WORD_BITS] = UINT64_C(1) << cpu % WORD_BITS;
    return seen == of && is_own(h->cpus, sizeof h->cpus)
           && !sched_setaffinity(0, sizeof one, (cpu_set_t *)one);
}

void nic_place_host_anywhere(const struct nic *n)
{
    const struct nic_job_header *h = &n->job->layout;
    sched_setaffinity(0, sizeof h->cpus, (const cpu_set_t *)h->cpus);
}

/* -- memory */

/* Through a mapping of its own: the policy stays with the file, while that of a long mapping would
 * be cut in pieces, of which a process may have only so many. */
static int prefer(int fd, off_t offset, size_t bytes, unsigned node)
{
    unsigned long nodes[NODE_WORDS] = { 0 };
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, offset);
    if (at == MAP_FAILED)
        return -errno;
    nodes[node / WORD_BITS] |= 1ul << node % WORD_BITS;
    int rc = syscall(SYS_mbind, at, bytes, MPOL_PREFERRED, nodes, NIC_NODES_MAX + 1ul, 0) < 0
             ? -errno : 0;
    munmap(at, bytes);
    return rc;
}

int nic_job_prefer_node(struct nic_job *j, unsigned rank, unsigned node)
{
    if (!nic_job_is_here(j, rank) || node >= NIC_NODES_MAX)
        return -EINVAL;
    int rc = prefer(j->fd, (unsigned char *)nic_job_ring(j, rank) - j->base,
                    j->layout.ring_stride - NIC_GUARD_BYTES, node);
    return rc ? rc : prefer(j->fd, nic_job_scratchpad(j, rank) - j->base, j->layout.scratchpad,
                            node);
}

static bool machine_has_nodes(void)
{
    unsigned long nodes[NODE_WORDS] = { 0 };
    unsigned count = 0;
    if (syscall(SYS_get_mempolicy, NULL, nodes, NIC_NODES_MAX + 1ul, NULL, MPOL_F_MEMS_ALLOWED) < 0)
        return false;
    for (unsigned i = 0; i < NODE_WORDS; i++)
        count += (unsigned)__builtin_popcountl(nodes[i]);
    return count > 1;
}

/* One system call where there is one node. */
void nic_place_memory(struct nic *n)
{
    int mode = MPOL_DEFAULT;
    unsigned node;
    if (!machine_has_nodes())
        return;
    if (syscall(SYS_get_mempolicy, &mode, NULL, 0, n->inbox, MPOL_F_ADDR) < 0
        || mode != MPOL_DEFAULT)
        return;     /* the launcher has seen to it */
    if (syscall(SYS_getcpu, NULL, &node, NULL) == 0)
        nic_job_prefer_node(n->job, n->rank, node);
}
