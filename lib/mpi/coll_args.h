/* Arguments of collective calls: the checks that several share.  They raise the error and return
 * its code. */
#ifndef MPI_COLL_ARGS_H
#define MPI_COLL_ARGS_H

#include "coll/coll.h"
#include "mpi/args.h"
#include "core/world.h"
#include "mpi/weak_alias.h"

/* The place for the request of a non-blocking call. */
int mpi_coll_check_request(const char *call, struct mpi_comm *c, const MPI_Request *request);
int mpi_coll_check_root(const char *call, struct mpi_comm *c, int root);
/* One count per rank; NULL: there are none. */
int mpi_coll_check_counts(const char *call, struct mpi_comm *c, const int *counts);
/* The same with displacements, and both must be there. */
int mpi_coll_check_layout(const char *call, struct mpi_comm *c, const int *counts,
                          const int *displs);
int mpi_coll_check_buffers(const char *call, struct mpi_comm *c, const void *sendbuf,
                           const void *recvbuf, int count);
/* The data of a reduction and its operation, of which r becomes. */
int mpi_coll_check_reduction(const char *call, struct mpi_comm *c, const void *buf, int count,
                             MPI_Datatype type, MPI_Op op, struct mpi_reduction *r);

/* First statement of each call: its plan says whether it is a non-blocking one. */
static inline int mpi_coll_enter(struct mpi_coll_plan *p, MPI_Comm comm)
{
    MPI_ENTER(p->call);
    int rc = mpi_check_comm(p->call, comm, &p->c);
    return rc || !p->starts ? rc : mpi_coll_check_request(p->call, p->c, p->request);
}

#endif
