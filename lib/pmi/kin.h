/* Processes between a launcher and this one. */
#ifndef MPI_PMI_KIN_H
#define MPI_PMI_KIN_H

#include <stdbool.h>

/* Whether a process that started this one is itself the launcher's rank, and uses another MPI:
 * then this is its helper, and not to speak in its name. */
bool mpi_pmi_is_helper(void);

#endif
