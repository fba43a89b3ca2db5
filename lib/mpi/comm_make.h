/* Making a communicator once its ranks have agreed. */
#ifndef MPI_COMM_MAKE_H
#define MPI_COMM_MAKE_H

#include "core/comm.h"
#include "mpi/agreement.h"

struct mpi_group;

/* Which call of the program makes it. */
struct mpi_comm_origin {
    const char *call;
    enum mpi_maker maker;
    const void *caller;         /* from where the program called */
    int which;                  /* tells apart those that one call makes: color, or first rank */
};

/* The ranks of the new communicator, of which this process is `rank`; and of an intercommunicator
 * those of the remote group. */
struct mpi_comm_ranks {
    int rank, size;
    int *world;                 /* -> rank in MPI_COMM_WORLD, to be freed; NULL: the same */
    int remotes;                /* 0: an intracommunicator */
    int *remote_world;
    bool second;                /* the remote group is the first of both */
    struct mpi_topo *topo;      /* held; NULL: none */
};

/* The arguments of a call that makes a communicator from another. */
int mpi_check_new(const char *call, MPI_Comm comm, struct mpi_comm **c, const MPI_Comm *newcomm);

/* Agrees with all ranks that make something of c, and of the same kind as c. */
int mpi_comm_agree(struct mpi_comm *c, const struct mpi_comm_origin *from, struct mpi_agreed *a);

/* MPI_SUCCESS and the communicator, or an error that has been raised; what was agreed on is given
 * back then.  Takes over the lists of ranks and the topology. */
int mpi_comm_make(struct mpi_comm *parent, const struct mpi_comm_origin *from,
                  const struct mpi_agreed *agreed, const struct mpi_comm_ranks *ranks,
                  MPI_Comm *made);

/* The same of the ranks of a group, which this process is in. */
int mpi_comm_make_group(struct mpi_comm *parent, const struct mpi_comm_origin *from,
                        const struct mpi_agreed *agreed, const struct mpi_group *g,
                        MPI_Comm *made);

/* mpi_comm_make in two steps: without contexts, which the communicator gets when they are known
 * (baton held).  NULL or false: no memory.  mpi_comm_begin takes over the lists of ranks and the
 * topology in any case. */
struct mpi_comm *mpi_comm_begin(struct mpi_comm *parent, const struct mpi_comm_origin *from,
                                const struct mpi_comm_ranks *ranks);
bool mpi_comm_settle(struct mpi_comm *c, const struct mpi_agreed *agreed);

/* Copies of lists of ranks; all ranks and the topology of a communicator.  NULL or false: no
 * memory. */
int *mpi_ranks_copy(const int *ranks, int count);
bool mpi_comm_same_ranks(const struct mpi_comm *c, struct mpi_comm_ranks *ranks);

/* For a rank that is not in the communicator: MPI_COMM_NULL. */
int mpi_comm_make_none(struct mpi_comm *parent, const struct mpi_comm_origin *from,
                       const struct mpi_agreed *agreed, MPI_Comm *made);

/* For a rank without memory for the lists: the error. */
int mpi_comm_make_failed(struct mpi_comm *parent, const struct mpi_comm_origin *from,
                         const struct mpi_agreed *agreed);

#endif
