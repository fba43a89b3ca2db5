/* Ranks that look after each other: what mpirun does for those that it has started. */
#ifndef MPI_PMI_PATROL_H
#define MPI_PMI_PATROL_H

struct mpi_pmi;
struct nic;
struct nic_job;

/* From now on each rank that sleeps in a wait sees, within a second, that another one has ended
 * without MPI_Finalize, that the job was aborted, that its launcher has gone, or that all wait for
 * ever; and ends. */
void mpi_pmi_patrol_begin(struct nic *nic, struct nic_job *job, struct mpi_pmi *pmi);

#endif
