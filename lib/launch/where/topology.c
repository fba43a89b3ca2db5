/* The only user of hwloc: ranks do not pay for it, nor does a job that is not bound. */
#include "launch/where/topology.h"
#include "launch/base/say.h"

#include <hwloc.h>
#include <stdlib.h>
#include <string.h>

#if HWLOC_API_VERSION < 0x00020100
#define HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED HWLOC_TOPOLOGY_FLAG_WHOLE_SYSTEM
#endif

/* Switches of hwloc's that only the environment has.  Plug-ins (XML, OpenCL, PCI) find nothing
 * about cores and cost several milliseconds; none is found in a folder that does not exist.  Where
 * there is no /sys hwloc says so on standard error, and we can do without it.  The variables are
 * ours alone: they must not reach the ranks. */
static const struct { const char *name, *value; } switches[] = {
    { "HWLOC_PLUGINS_PATH", "/proc/self/none" }, { "HWLOC_HIDE_ERRORS", "2" },
};
enum { SWITCHES = sizeof switches / sizeof *switches };

static void set_switches(bool *ours)
{
    for (unsigned i = 0; i < SWITCHES; i++) {
        ours[i] = !getenv(switches[i].name);
        if (ours[i])
            setenv(switches[i].name, switches[i].value, 1);
    }
}

static void unset_switches(const bool *ours)
{
    for (unsigned i = 0; i < SWITCHES; i++)
        if (ours[i])
            unsetenv(switches[i].name);
}

static const hwloc_obj_type_t types[LEVEL_COUNT] = {
    [LEVEL_HWTHREAD] = HWLOC_OBJ_PU, [LEVEL_CORE] = HWLOC_OBJ_CORE,
        [LEVEL_L2CACHE] = HWLOC_OBJ_L2CACHE,
    [LEVEL_L3CACHE] = HWLOC_OBJ_L3CACHE, [LEVEL_NUMA] = HWLOC_OBJ_NUMANODE,
        [LEVEL_SOCKET] = HWLOC_OBJ_PACKAGE,
    [LEVEL_MACHINE] = HWLOC_OBJ_MACHINE,
};

static int choose_source(hwloc_topology_t topology, const char *text)
{
    if (!text)
        return 0;
    return strchr(text, '/') || strstr(text, ".xml") ? hwloc_topology_set_xml(topology, text)
                                                     : hwloc_topology_set_synthetic(topology, text);
}

/* Only what placement looks at: the rest costs time. */
static int load(hwloc_topology_t topology, const char *text)
{
    if (choose_source(topology, text) < 0
        || hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) < 0 ||
        hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE) < 0 ||
        /* holds memory nodes */
        hwloc_topology_set_type_filter(topology, HWLOC_OBJ_GROUP,
                                       HWLOC_TYPE_FILTER_KEEP_STRUCTURE) < 0)
        return -1;
    for (enum level level = LEVEL_CORE; level <= LEVEL_SOCKET; level++)
        if (types[level] != HWLOC_OBJ_NUMANODE &&
            hwloc_topology_set_type_filter(topology, types[level], HWLOC_TYPE_FILTER_KEEP_ALL) < 0)
            return -1;
#if HWLOC_API_VERSION >= 0x00020100
    /* What the kernel says is enough; asking each processor by cpuid means to run on each. */
    hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
#endif
    return hwloc_topology_load(topology);
}

static unsigned count_objects(hwloc_topology_t topology, enum level level)
{
    int n = hwloc_get_nbobjs_by_type(topology, types[level]);

    return n > 0 ? (unsigned)n : 0;
}

/* Part of a machine may lack a cache that the rest has: there the next finer object stands in, with
 * numbers behind the real ones. */
static unsigned number_of(hwloc_topology_t topology, hwloc_obj_t unit, enum level level,
                          const unsigned *in)
{
    hwloc_obj_t holder = hwloc_get_ancestor_obj_by_type(topology, types[level], unit);
    unsigned real = count_objects(topology, level);

    if (holder)
        return holder->logical_index;
    return level <= LEVEL_L3CACHE ? real + in[level - 1] : real;
}

static void add_thread(struct machine *m, hwloc_topology_t topology, hwloc_obj_t unit)
{
    struct hwthread *t = &m->thread[m->count++];

    *t = (struct hwthread){ .cpu = unit->os_index, .node = -1 };
    t->in[LEVEL_HWTHREAD] = unit->logical_index;
    for (enum level level = LEVEL_CORE; level <= LEVEL_SOCKET; level++)
        t->in[level] = level == LEVEL_NUMA ? m->objects[level] - 1
                       : number_of(topology, unit, level, t->in);
}

/* Memory nodes stand beside the tree.  Several may serve the same processors (fast and slow
 * memory): the first counts. */
static void find_nodes(struct machine *m, hwloc_topology_t topology)
{
    hwloc_obj_t node = NULL;

    while ((node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node))) {
        bool serves = false;
        for (unsigned i = 0; i < m->count; i++)
            if (m->thread[i].node < 0 && hwloc_bitmap_isset(node->cpuset, m->thread[i].cpu)) {
                m->thread[i].node = (int)node->os_index;
                m->thread[i].in[LEVEL_NUMA] = node->logical_index;
                serves = true;
            }
        m->nodes += serves;
    }
}

/* One number more than there are objects, for threads that none of them holds. */
static void count_levels(struct machine *m, hwloc_topology_t topology)
{
    for (enum level level = 0; level < LEVEL_COUNT; level++) {
        unsigned real = count_objects(topology, level);
        m->known[level] = real > 0 || level == LEVEL_CORE;      /* a thread in no core is one */
        m->objects[level] = real + (level > LEVEL_HWTHREAD && level <= LEVEL_L3CACHE
                                    ? m->objects[level - 1] : 1);
    }
}

static void convert(hwloc_topology_t topology, struct machine *m)
{
    hwloc_obj_t unit = NULL;

    unsigned threads = count_objects(topology, LEVEL_HWTHREAD);
    *m = (struct machine){ .thread = need(calloc(threads + 1, sizeof *m->thread)) };
    count_levels(m, topology);
    while ((unit = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, unit)))
        if (unit->os_index < CORES_MAX)
            add_thread(m, topology, unit);
    find_nodes(m, topology);
    for (unsigned i = 0; i < m->count; i++)
        m->thread[i].cache = m->thread[i].in[m->known[LEVEL_L3CACHE] || m->known[LEVEL_L2CACHE]
                                             ? LEVEL_L3CACHE : LEVEL_SOCKET];
}

static int read_machine(const char *text, struct machine *m)
{
    hwloc_topology_t topology;
    bool ours[SWITCHES];
    int rc = -1;

    set_switches(ours);
    if (hwloc_topology_init(&topology) == 0) {
        rc = load(topology, text);
        if (rc == 0)
            convert(topology, m);
        hwloc_topology_destroy(topology);
    }
    unset_switches(ours);
    return rc < 0 ? -1 : 0;
}

void topology_read(const struct cores *allowed, struct machine *m)
{
    *m = (struct machine){ 0 };
    if (read_machine(NULL, m) == 0)
        machine_allow(m, allowed);
    if (m->allowed < cores_count(allowed)) {
        machine_free(m);
        machine_flat(allowed, m);
    }
}

int topology_describe(const char *text, struct machine *m)
{
    struct cores all = { 0 };

    if (read_machine(text, m) < 0)
        return -1;
    for (unsigned i = 0; i < m->count; i++)
        cores_add(&all, m->thread[i].cpu);
    machine_allow(m, &all);
    return m->allowed ? 0 : -1;
}
