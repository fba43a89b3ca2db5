/* Buffered sends, and the buffer that the program has attached for them. */
#ifndef MPI_BUFFERED_H
#define MPI_BUFFERED_H

#include "core/comm.h"
#include "core/type.h"

/* Attaches a buffer; false: there is one.  Its size goes to *already. */
bool mpi_buffer_attach(void *buffer, size_t bytes, size_t *already);

/* Waits until its messages are out, and detaches it: the buffer and its size.  No baton. */
void *mpi_buffer_detach(const char *call, size_t *bytes);

/* MPI_SUCCESS, MPI_ERR_BUFFER when the attached buffer has no room, or MPI_ERR_NO_MEM.  Without the
 * baton. */
int mpi_buffered_send(struct mpi_comm *c, const void *buf, size_t count, const struct mpi_type *t,
                      int dest, int tag);

/* Waits until every buffered message is out; `call` for the wait reason, with what it waits for
 * ("MPI_Finalize: buffered send").  Baton held. */
void mpi_buffered_flush(const char *call);

#endif
