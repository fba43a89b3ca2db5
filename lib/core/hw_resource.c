/* Hardware resources, as the kernel describes each processor: a resource is the list of processors
 * that share it. */
#define _GNU_SOURCE
#include "core/hw_resource.h"

#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "nicemu/place.h"

#define PREFIX "hwloc://"
#define CPU "/sys/devices/system/cpu/cpu%d/"
enum { WORDS = NIC_CPUS_MAX / 64, LIST_BYTES = 4096, CACHES = 16 };

struct cpus { uint64_t bits[WORDS]; };

/* -- what the kernel says */

/* The file's one line; false: there is no such file. */
static bool read_line(const char *path, char *line, size_t room)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, line, room - 1);
    if (fd >= 0)
        close(fd);
    if (n <= 0)
        return false;
    line[n] = 0;
    line[strcspn(line, "\n")] = 0;
    return true;
}

static bool read_cpus(const char *path, struct cpus *cpus)
{
    char line[LIST_BYTES];
    return read_line(path, line, sizeof line) && !nic_cpus_parse(line, cpus->bits, WORDS);
}

static bool of_topology(int cpu, const char *file, struct cpus *cpus)
{
    char path[128];
    snprintf(path, sizeof path, CPU "topology/%s", cpu, file);
    return read_cpus(path, cpus);
}

static bool package(int cpu, struct cpus *cpus)
{
    return of_topology(cpu, "package_cpus_list", cpus)
           || of_topology(cpu, "core_siblings_list", cpus);
}

static bool core(int cpu, struct cpus *cpus)
{
    return of_topology(cpu, "core_cpus_list", cpus)
           || of_topology(cpu, "thread_siblings_list", cpus);
}

/* The cache of that level that holds data. */
static bool cache(int cpu, char level, struct cpus *cpus)
{
    char path[128], line[32];
    for (int i = 0; i < CACHES; i++) {
        snprintf(path, sizeof path, CPU "cache/index%d/level", cpu, i);
        if (!read_line(path, line, sizeof line))
            return false;
        bool right = line[0] == level;
        snprintf(path, sizeof path, CPU "cache/index%d/type", cpu, i);
        if (!right || !read_line(path, line, sizeof line) || !strcmp(line, "Instruction"))
            continue;
        snprintf(path, sizeof path, CPU "cache/index%d/shared_cpu_list", cpu, i);
        return read_cpus(path, cpus);
    }
    return false;
}

static bool l3(int cpu, struct cpus *cpus) { return cache(cpu, '3', cpus); }
static bool l2(int cpu, struct cpus *cpus) { return cache(cpu, '2', cpus); }
static bool l1(int cpu, struct cpus *cpus) { return cache(cpu, '1', cpus); }

static bool has(const struct cpus *cpus, int cpu)
{
    return cpus->bits[cpu / 64] >> cpu % 64 & 1;
}

static bool numa_node(int cpu, struct cpus *cpus)
{
    char path[128];
    for (int node = 0; node < NIC_NODES_MAX; node++) {
        snprintf(path, sizeof path, CPU "node%d", cpu, node);
        if (access(path, F_OK))
            continue;
        snprintf(path, sizeof path, "/sys/devices/system/node/node%d/cpulist", node);
        return read_cpus(path, cpus) && has(cpus, cpu);
    }
    return false;
}

static bool machine(int cpu, struct cpus *cpus)
{
    (void)cpu;
    memset(cpus, 0xff, sizeof *cpus);
    return true;
}

static bool hardware_thread(int cpu, struct cpus *cpus)
{
    memset(cpus, 0, sizeof *cpus);
    cpus->bits[cpu / 64] = UINT64_C(1) << cpu % 64;
    return true;
}

/* -- kinds */

static const struct { const char *name; bool (*of)(int cpu, struct cpus *cpus); } kinds[] = {
    { PREFIX "Machine", machine }, { PREFIX "Package", package }, { PREFIX "NUMANode", numa_node },
    { PREFIX "L3Cache", l3 }, { PREFIX "L2Cache", l2 }, { PREFIX "L1Cache", l1 },
    { PREFIX "Core", core }, { PREFIX "PU", hardware_thread },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

const char *mpi_hw_resource_name(unsigned kind)
{
    return kind < KINDS ? kinds[kind].name : NULL;
}

int mpi_hw_resource_by_name(const char *name)
{
    const size_t prefix = sizeof PREFIX - 1;
    for (int i = 0; i < KINDS; i++)
        if (!strcasecmp(name, kinds[i].name) || !strcasecmp(name, kinds[i].name + prefix))
            return i;
    return -1;
}

/* Where the process may run. */
static bool own_cpus(struct cpus *own)
{
    memset(own, 0, sizeof *own);
    return sched_getaffinity(getpid(), sizeof own->bits, (cpu_set_t *)own->bits) >= 0;
}

static int least_of(const struct cpus *cpus)
{
    for (int i = 0; i < WORDS; i++)
        if (cpus->bits[i])
            return 64 * i + __builtin_ctzll(cpus->bits[i]);
    return MPI_HW_UNKNOWN;
}

int mpi_hw_resource_mine(unsigned kind)
{
    struct cpus own, around;
    int first = kind < KINDS && own_cpus(&own) ? least_of(&own) : MPI_HW_UNKNOWN;
    if (first < 0 || !kinds[kind].of(first, &around))
        return MPI_HW_UNKNOWN;
    for (int i = 0; i < WORDS; i++)
        if (own.bits[i] & ~around.bits[i])
            return MPI_HW_SEVERAL;
    return least_of(&around);
}
