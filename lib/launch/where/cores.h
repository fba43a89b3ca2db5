/* The processors that this process may use. */
#ifndef LAUNCH_CORES_H
#define LAUNCH_CORES_H

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>

enum { CORES_MAX = 8192, CORES_TEXT = 3 * CORES_MAX };       /* CORES_TEXT holds any set, printed */

/* A set of processors by the kernel's numbers, wide enough for any machine. */
struct cores {
    cpu_set_t part[CORES_MAX / CPU_SETSIZE];
};

static inline void cores_add(struct cores *set, unsigned cpu)
{
    CPU_SET_S(cpu, sizeof *set, set->part);
}

static inline bool cores_has(const struct cores *set, unsigned cpu)
{
    return CPU_ISSET_S(cpu, sizeof *set, set->part);
}

static inline unsigned cores_count(const struct cores *set)
{
    return (unsigned)CPU_COUNT_S(sizeof *set, set->part);
}

/* The affinity mask of this process; at least one processor. */
void cores_allowed(struct cores *set);

/* The processors that the control group (version 2) below `root` grants this process by its CPU
 * quota, rounded up; 0 if there is no limit.  `membership` is the text of /proc/self/cgroup. */
unsigned cores_quota(const char *root, const char *membership);

/* The same for this process on this system. */
unsigned cores_quota_own(void);

/* "0-2,5"; cut text ends with "...". */
void cores_print(const struct cores *set, char *text, size_t size);

#endif
