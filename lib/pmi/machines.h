/* Jobs of several machines, as the launcher tells of them. */
#ifndef MPI_PMI_MACHINES_H
#define MPI_PMI_MACHINES_H

#include <stdint.h>

#include "nicemu/machines.h"
#include "pmi/pmi.h"

/* The machine of each rank, from malloc; NULL: no memory. */
uint16_t *mpi_pmi_machines(const struct mpi_pmi *pmi);
/* By what ranks put down for each other.  The NIC's, while it is open; then only its baton's holder
 * may call what mpi_pmi_abort is not. */
const struct nic_directory *mpi_pmi_directory(struct mpi_pmi *pmi);

#endif
