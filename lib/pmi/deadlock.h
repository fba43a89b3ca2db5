/* A job in which every rank waits and nothing is under way. */
#ifndef MPI_PMI_DEADLOCK_H
#define MPI_PMI_DEADLOCK_H

struct nic_job;

/* Called every so often by a rank that sleeps in a wait, while it counts as asleep: the lowest
 * rank looks for all.  A text of who waits for what, to be freed, once that has stood for two
 * calls and can never go on; else NULL. */
char *mpi_pmi_deadlock(const struct nic_job *job, unsigned rank);

#endif
