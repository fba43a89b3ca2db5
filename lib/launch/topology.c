/* The only user of hwloc: ranks do not pay for it, nor does a job that is not bound. */
#include "topology.h"

#include <hwloc.h>
#include <stdlib.h>

/* Plug-ins (XML, OpenCL, PCI) find nothing about cores and cost several milliseconds; none is found in a folder
 * that does not exist.  The variable is ours alone: it must not reach the ranks. */
static int init_without_plugins(hwloc_topology_t *topology)
{
    static const char name[] = "HWLOC_PLUGINS_PATH";
    bool ours = !getenv(name);

    if (ours)
        setenv(name, "/proc/self/none", 1);
    int rc = hwloc_topology_init(topology);
    if (ours)
        unsetenv(name);
    return rc;
}

static int load_cores(hwloc_topology_t topology)
{
    if (hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE) < 0 ||
        hwloc_topology_set_type_filter(topology, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL) < 0)
        return -1;
#if HWLOC_API_VERSION >= 0x00020100
    /* What the kernel says is enough; asking each processor by cpuid means to run on each. */
    hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
#endif
    return hwloc_topology_load(topology);
}

static unsigned list_threads(hwloc_topology_t topology, const struct cores *allowed, struct place_thread *threads)
{
    unsigned count = 0;
    hwloc_obj_t unit = NULL;

    while ((unit = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, unit))) {
        hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, unit);
        if (unit->os_index < CORES_MAX && cores_has(allowed, unit->os_index))
            threads[count++] = (struct place_thread){
                .cpu = unit->os_index, .core = core ? core->logical_index : CORES_MAX + unit->logical_index };
    }
    return count;
}

static unsigned list_cpus(const struct cores *allowed, struct place_thread *threads)
{
    unsigned count = 0;

    for (unsigned cpu = 0; cpu < CORES_MAX; cpu++)
        if (cores_has(allowed, cpu))
            threads[count++] = (struct place_thread){ .cpu = cpu, .core = cpu };
    return count;
}

unsigned topology_threads(const struct cores *allowed, struct place_thread *threads)
{
    hwloc_topology_t topology;
    unsigned count = 0;

    if (init_without_plugins(&topology) == 0) {
        if (load_cores(topology) == 0)
            count = list_threads(topology, allowed, threads);
        hwloc_topology_destroy(topology);
    }
    return count ? count : list_cpus(allowed, threads);
}
