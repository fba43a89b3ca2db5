/* Variables that mpirun reads, wherever the command line says them. */
#include "launch/command/job_variables.h"

#include <stdlib.h>

#include "base/shmem_size.h"
#include "nicemu/sizes.h"

/* Not NICEMU_PROGRESS, which is each program's own (placement.c). */
static const char *const names[] = {
    "MPILITE_BIND_TO", "MPILITE_CHECK", "MPILITE_COMPUTE", "MPILITE_CPU_SET", "MPILITE_DEADLOCK",
    "MPILITE_FINALIZE", "MPILITE_MAP_BY", "MPILITE_MODEL", "MPILITE_MODEL_SERIAL",
    "MPILITE_RANK_BY", "MPILITE_REPORT_BINDINGS", "MPILITE_SEATS", MPI_SHMEM_SIZE_VARIABLE,
    MPI_SHMEM_OLD_SIZE_VARIABLE, NIC_ENV_HEAP, NIC_ENV_SCRATCHPAD,
};
enum { NAMES = sizeof names / sizeof *names };

static const char *find(const struct options *o, const char *name)
{
    const char *text = NULL;

    for (unsigned i = 0; i < o->apps && !text; i++)
        text = vars_get(&o->app[i].vars, name);
    return text ? text : vars_get(&o->vars, name);
}

void job_variables_take(const struct options *o)
{
    for (unsigned i = 0; i < NAMES; i++) {
        const char *text = find(o, names[i]);
        if (text)
            setenv(names[i], text, 1);
    }
}
