/* Ranks that a foreign launcher has started become one job. */
#ifndef MPI_PMI_JOIN_H
#define MPI_PMI_JOIN_H

#include <stdbool.h>

struct nic;
struct nic_directory;
struct nic_job;

/* Finds the job that a launcher has started this process for, and its memory.  -ENOENT: there is
 * none, or none that can be joined (then a line on standard error says so): the process is alone.
 * Other errors: mpi_pmi_why has the words.  Ends the process, with a message, where ranks cannot
 * reach each other. */
int mpi_join(struct nic_job **job, unsigned *rank);

/* Whether that has been done, and which of the launcher's programs this is. */
bool mpi_joined(void);
int mpi_join_appnum(void);
/* By which NICs find each other; NULL: nothing has been joined. */
const struct nic_directory *mpi_join_directory(void);

/* The NIC is open: whoever waits long looks after the others, as their launcher may not. */
void mpi_join_patrol(struct nic *nic);

/* This rank has ended in order: the NIC is closed. */
void mpi_join_leave(void);

/* The launcher is to end all ranks with this code; this one exits.  Any thread; nothing happens
 * where no job has been joined. */
void mpi_join_abort(int code);

#endif
