/* Ranks of launchers that cannot be joined: what their environment shows. */
#include "pmi/lonely.h"

#include <stdio.h>
#include <stdlib.h>

#include "pmi/kin.h"

/* Variables of launchers: the number of ranks, and which one this is. */
static const struct { const char *size, *rank, *started_by, *help; } launchers[] = {
    { "PMI_SIZE", "PMI_RANK", "a launcher by PMI", "it left no descriptor in PMI_FD" },
    { "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "Open MPI's launcher",
      "it left no PMIX_NAMESPACE, or this library has no PMIx" },
    { "SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "srun", "say srun --mpi=pmi2" },
};

static int number(const char *variable)
{
    const char *text = getenv(variable);
    return text ? atoi(text) : -1;
}

void mpi_pmi_warn_lonely(void)
{
    for (unsigned i = 0; i < sizeof launchers / sizeof *launchers; i++)
        if (number(launchers[i].size) > 1) {
            if (number(launchers[i].rank) == 0 && !mpi_pmi_is_helper())
                fprintf(stderr, "Warning: %s has started %d ranks, of which each will be alone: "
                        "%s\n", launchers[i].started_by, number(launchers[i].size),
                        launchers[i].help);
            return;
        }
}
