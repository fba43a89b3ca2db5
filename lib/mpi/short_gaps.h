/* Short ways of blocking calls for types with gaps: little data are packed on the stack, and a type
 * whose data are one run needs no packing.  No request is made. */
#ifndef MPI_SHORT_GAPS_H
#define MPI_SHORT_GAPS_H

#include "core/comm.h"
#include "core/type.h"

/* Arguments are checked.  False: not possible now, use a request. */
bool mpi_send_short_gaps(struct mpi_comm *c, const void *buf, size_t count,
                         const struct mpi_type *t, int dest, int tag);
bool mpi_recv_short_gaps(struct mpi_comm *c, void *buf, size_t count, const struct mpi_type *t,
                         int source, int tag, MPI_Status *status);

#endif
