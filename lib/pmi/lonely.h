/* Ranks of launchers that cannot be joined. */
#ifndef MPI_PMI_LONELY_H
#define MPI_PMI_LONELY_H

/* A line on standard error, from the first rank, if a launcher has started several of which each
 * will be alone. */
void mpi_pmi_warn_lonely(void);

#endif
