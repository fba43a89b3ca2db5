/* Partitioned communication: a message whose parts leave one by one, as the sender's threads have
 * them ready.  This room's half: streams, which MPI_Psend_init and MPI_Precv_init make, and what
 * goes between their two ends.
 *
 * The sender's end tells the receiver's, as soon as it is made, how it is divided (an opening
 * message: these match in order, by communicator, source and tag, apart from all others).  The
 * receiver's end answers with a number of its own, which is the name of the messages of data that
 * follow: those of one part have the same match bits in each round, so that their order says which
 * round they are of.  A part leaves when it is ready and that answer has come.
 *
 * Baton held unless it says otherwise. */
#ifndef MPI_PARTITIONED_H
#define MPI_PARTITIONED_H

#include "core/stream.h"

/* The persistent request is its first member.  NULL: no memory.  Without the baton. */
struct mpi_persistent *mpi_stream_new(const struct mpi_stream_args *args);

/* The stream behind a handle; NULL: that is none. */
struct mpi_stream *mpi_stream_of(const struct mpi_persistent *p);
bool mpi_stream_sends(const struct mpi_stream *s);
int mpi_stream_partitions(const struct mpi_stream *s);
struct mpi_comm *mpi_stream_comm(const struct mpi_stream *s);

#endif
