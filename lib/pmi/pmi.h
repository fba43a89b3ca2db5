/* What ranks that a foreign launcher has started learn from it: who they are, where each sits, and
 * what the others have put down for them.  The same for PMI-1 (mpiexec.hydra), PMI-2
 * (srun --mpi=pmi2) and PMIx (prterun, orterun, srun --mpi=pmix); the environment says which.
 *
 * One caller at a time, but for mpi_pmi_abort. */
#ifndef MPI_PMI_H
#define MPI_PMI_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct mpi_pmi;

/* Begins to talk.  -ENOENT: no launcher has left anything in the environment; another error: what
 * it has left, or what it says, cannot be used (pmi/why.h). */
int mpi_pmi_open(struct mpi_pmi **pmi);

/* "PMI-1" and the like. */
const char *mpi_pmi_name(const struct mpi_pmi *pmi);

unsigned mpi_pmi_rank(const struct mpi_pmi *pmi);
unsigned mpi_pmi_size(const struct mpi_pmi *pmi);

/* Which of the command's programs this rank runs, from 0. */
int mpi_pmi_appnum(const struct mpi_pmi *pmi);

/* -- where ranks sit, as the launcher says it: nodes are counted from 0; a node's leader is its
 * lowest rank */

unsigned mpi_pmi_nodes(const struct mpi_pmi *pmi);
unsigned mpi_pmi_node_of(const struct mpi_pmi *pmi, unsigned rank);
unsigned mpi_pmi_leader(const struct mpi_pmi *pmi, unsigned node);

/* -- what ranks put down for each other */

/* Names have at most so many letters and digits; data at most so many bytes. */
enum { MPI_PMI_NAME_MAX = 20, MPI_PMI_DATA_MAX = 64 << 10 };

/* Any bytes, under a name of this rank's.  Each name once. */
int mpi_pmi_put(struct mpi_pmi *pmi, const char *name, const void *data, size_t bytes);

/* Until all ranks are here; what they have put before can be got then. */
int mpi_pmi_fence(struct mpi_pmi *pmi);

/* What that rank has put: returns its bytes.  -ENOENT: nothing; -EMSGSIZE: it has more than room
 * for. Takes some 30 us for each 384 bytes: for when it is needed. */
ssize_t mpi_pmi_get(struct mpi_pmi *pmi, unsigned rank, const char *name, void *data, size_t room);

/* -- the end */

/* Whether the launcher has gone, as far as that shows. */
bool mpi_pmi_gone(const struct mpi_pmi *pmi);

/* Tells the launcher to end all ranks.  Any thread; whoever calls exits. */
void mpi_pmi_abort(struct mpi_pmi *pmi, int code, const char *text);

/* This rank ends in order; 0, or an error that leaves nothing open either. */
int mpi_pmi_close(struct mpi_pmi *pmi);

#endif
