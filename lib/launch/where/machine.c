/* Machines, whoever described them. */
#include "launch/where/machine.h"
#include "launch/base/say.h"

#include <stdlib.h>

const char *level_name(enum level level)
{
#define LEVEL_NAME(id, name) [LEVEL_##id] = name,
    static const char *const names[] = { LEVELS(LEVEL_NAME) };

    return names[level];
}

void machine_allow(struct machine *m, const struct cores *allowed)
{
    m->allowed = 0;
    for (unsigned i = 0; i < m->count; i++) {
        m->thread[i].allowed = cores_has(allowed, m->thread[i].cpu);
        m->allowed += m->thread[i].allowed;
    }
}

void machine_flat(const struct cores *cpus, struct machine *m)
{
    unsigned count = cores_count(cpus);

    *m = (struct machine){ .thread = need(calloc(count, sizeof *m->thread)), .nodes = 1 };
    for (unsigned cpu = 0; cpu < CORES_MAX; cpu++)
        if (cores_has(cpus, cpu)) {
            struct hwthread *t = &m->thread[m->count];
            *t = (struct hwthread){ .cpu = cpu, .node = -1 };
            for (unsigned level = LEVEL_HWTHREAD; level <= LEVEL_L3CACHE; level++)
                t->in[level] = m->count;
            m->count++;
        }
    for (unsigned level = 0; level < LEVEL_COUNT; level++) {
        m->objects[level] = level <= LEVEL_L3CACHE ? count : 1;
        m->known[level] = level <= LEVEL_CORE || level == LEVEL_MACHINE;
    }
    machine_allow(m, cpus);
}

void machine_free(struct machine *m)
{
    free(m->thread);
    *m = (struct machine){ 0 };
}
