/* Making a communicator with a topology. */
#ifndef MPI_TOPO_MAKE_H
#define MPI_TOPO_MAKE_H

#include "core/topo.h"
#include "mpi/comm_make.h"

/* The members of the new communicator, as ranks of its parent.  This process is member `rank`,
 * MPI_UNDEFINED: none. */
struct mpi_members {
    int rank, size;
    const int *old_rank;        /* NULL: the first ones of the parent, in its order */
};

/* All ranks of the parent call it.  Takes over `topo`; NULL: there was no memory for it. */
int mpi_topo_make(struct mpi_comm *parent, const struct mpi_comm_origin *from,
                  const struct mpi_members *members, struct mpi_topo *topo, MPI_Comm *made);

/* Its place among the first `size` ranks of the parent. */
static inline int mpi_first_member(const struct mpi_comm *parent, int size)
{
    return parent->rank < size ? parent->rank : MPI_UNDEFINED;
}

#endif
