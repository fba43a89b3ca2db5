/* What a rank waits for, in words: mpirun shows it when the job cannot go on.  Made only before a
 * wait sleeps, with the baton held; what does not fit into NIC_NOTE_BYTES is counted ("and 12
 * more"). */
#ifndef MPI_WAIT_REASON_H
#define MPI_WAIT_REASON_H

#include "core/request.h"

/* A wait for a request that is the call itself: "MPI_Recv(source 1, tag 5, MPI_COMM_WORLD)".
 * argument: a struct mpi_reason_call. */
struct mpi_reason_call { const char *call; const struct fw_req *req; };
const char *mpi_reason_call(void *argument, char *text, size_t size);

/* A wait for requests, all or any of them: "MPI_Waitall: receive(...), send(...) and 3 more".
 * argument: a struct mpi_reason_list. */
struct mpi_reason_list { const char *call; const MPI_Request *requests; int count; bool any; };
const char *mpi_reason_list(void *argument, char *text, size_t size);

/* Everything that this rank has started and that is not done, receives aside; argument unused. */
const char *mpi_reason_finalize(void *argument, char *text, size_t size);

/* Adds to the text: "; not received: source 0, tag 6, 8 bytes".  match: of a receive, whose context
 * counts, and whose source counts before others. */
void mpi_reason_add_arrived(char *text, size_t size, uint64_t match);

/* "what(source 3, tag any, MPI_COMM_WORLD)" */
const char *mpi_reason_receive(char *text, size_t size, const char *what, uint64_t match,
                               uint64_t mask, const struct mpi_comm *c);

#endif
