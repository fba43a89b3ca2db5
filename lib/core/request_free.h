/* Requests that nobody waits for: freed by the program, or parts of something.  Baton held. */
#ifndef MPI_REQUEST_FREE_H
#define MPI_REQUEST_FREE_H

#include "core/request.h"

/* A message that is part of something: `ended` has its request, which is freed behind it, and its
 * error class; perhaps on the NIC's thread.  req: its request until then. */
struct mpi_portion;
typedef void mpi_ended_fn(struct mpi_portion *portion, const struct fw_req *r, int class,
                          const struct mpi_why *why);
struct mpi_portion { mpi_ended_fn *ended; struct fw_req *req; };

/* Of a request that was started: nobody waits for it from here on, and it may be over already. */
void mpi_req_make_portion(struct fw_req *r, struct mpi_portion *portion);

/* The program frees it, under way or done.  An error class, and why. */
int mpi_req_forget(struct fw_req *r, struct mpi_why *why);

/* One that nobody waits for has ended. */
void mpi_req_forgotten(struct fw_req *r);

#endif
