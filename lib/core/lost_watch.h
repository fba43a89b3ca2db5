/* For waits that have no request, probes and one-sided operations: a request of its own that ends
 * only if ranks are lost. */
#ifndef MPI_LOST_WATCH_H
#define MPI_LOST_WATCH_H

#include "core/request.h"

/* Ranks that may be the source of a message; NULL: all are here, or there is no memory.  Baton
 * held. */
struct fw_req *mpi_lost_watch(struct mpi_comm *c, int source);
static inline bool mpi_lost_seen(const struct fw_req *watch) { return watch && fw_req_done(watch); }
/* Ends the watch.  MPI_SUCCESS: nobody was lost; else the error's class, and why. */
int mpi_lost_end(struct fw_req *watch, struct mpi_why *why);

#endif
