/* Buffered sends, and the buffers that the program has attached for them: to communicators, to
 * sessions, and one to the process. */
#ifndef MPI_BUFFERED_H
#define MPI_BUFFERED_H

#include "core/comm.h"
#include "core/type.h"

struct mpi_buffer;

/* The process's; NULL: none is attached.  Those of communicators and sessions are their members
 * `buffer`; a send takes the one of its communicator, else of its session, else this.  Owner:
 * baton. */
extern struct mpi_buffer *mpi_process_buffer;

/* Attaches a buffer at that place, or MPI_BUFFER_AUTOMATIC: memory as it is needed.  MPI_SUCCESS,
 * MPI_ERR_BUFFER where one is attached already, of *attached bytes, or MPI_ERR_NO_MEM.  Without the
 * baton. */
int mpi_buffer_attach(struct mpi_buffer **place, void *buffer, size_t bytes, size_t *attached);

/* Waits until its messages are out, and detaches it: the buffer and its size, NULL and 0 where none
 * was attached, or where another thread has detached it by then.  `call` for the wait reason, with
 * what it waits for ("MPI_Finalize: buffered send").  Without the baton. */
void *mpi_buffer_detach(struct mpi_buffer **place, const char *call, size_t *bytes);

/* Waits until the messages that it has now are out.  NULL: it has none.  Baton held. */
void mpi_buffer_flush(struct mpi_buffer *b, const char *call);
/* The same by a request; false: no memory.  Without the baton. */
bool mpi_buffer_iflush(struct mpi_buffer **place, struct mpi_comm *c, MPI_Request *request);

/* MPI_SUCCESS, MPI_ERR_BUFFER when the buffer that is attached has no room, or MPI_ERR_NO_MEM.
 * Without the baton. */
int mpi_buffered_send(struct mpi_comm *c, const void *buf, size_t count, const struct mpi_type *t,
                      int dest, int tag);

#endif
