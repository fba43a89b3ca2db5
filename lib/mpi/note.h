/* What a rank waits for, in words: mpirun shows it when the job cannot go on.  Built only before a wait sleeps, with the baton
 * held; a job memory's note has NIC_NOTE_BYTES, and what does not fit is counted ("and 12 more"). */
#ifndef MPI_NOTE_H
#define MPI_NOTE_H

#include "mpi/req.h"

/* A wait for a request that is the call itself: "MPI_Recv(source 1, tag 5, MPI_COMM_WORLD)". */
struct mpi_note_call { const char *call; const struct fw_req *req; };
const char *mpi_note_call(void *call, char *text, size_t size);

/* A wait for requests, all or any of them: "MPI_Waitall: receive(...), send(...) and 3 more". */
struct mpi_note_list { const char *call; const MPI_Request *requests; int count; bool any; };
const char *mpi_note_list(void *list, char *text, size_t size);

/* Everything that this rank has started and that is not done, receives aside; argument unused. */
const char *mpi_note_finalize(void *argument, char *text, size_t size);

/* Adds to it: "; not received: source 0, tag 6, 8 bytes".  match: of a receive; its context counts, and its source before others. */
void mpi_note_arrived(char *text, size_t size, uint64_t match);

/* "what(source 3, tag any, MPI_COMM_WORLD)" */
const char *mpi_describe(char *text, size_t size, const char *what, uint64_t match, uint64_t mask, const struct mpi_comm *c);

#endif
