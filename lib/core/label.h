/* What a communicator is called in messages: by its name, or by how it was made. */
#ifndef MPI_LABEL_H
#define MPI_LABEL_H

#include <stddef.h>

#include "core/comm.h"

/* LABEL_BYTES: of a short label; LABEL_LONG: enough for a long one in a wait reason; NAME_SHOWN:
 * of a name that the program gave. */
enum { MPI_LABEL_BYTES = 64, MPI_LABEL_LONG = 160, MPI_NAME_SHOWN = 32 };

/* How a communicator is made from its parent by call number `ordinal` of that kind; which: the
 * color of a split, the first rank (in MPI_COMM_WORLD) of a group or of a part of a grid.  The same
 * on all its ranks. */
void mpi_label_made(struct mpi_comm *c, const struct mpi_comm *parent, enum mpi_maker maker,
                    unsigned ordinal, int which);

/* The same of an intercommunicator whose two leaders have these ranks in MPI_COMM_WORLD. */
void mpi_label_bridge(struct mpi_comm *c, int first, int second);

/* A tool that stands between the program and the calls that make communicators says where the
 * program has called, in this thread; NULL: it is who calls us. */
void mpi_label_made_at(const void *caller);
const void *mpi_label_maker(const void *caller);

/* "MPI_COMM_WORLD dup #2", or its name, shortened.  c NULL: "a communicator". */
const char *mpi_label(const struct mpi_comm *c, char text[MPI_LABEL_BYTES]);

/* The call that made it returns there; NULL: nobody knows, or it has a name, which tells more. */
const void *mpi_label_place(const struct mpi_comm *c);

/* A label in full, and where the communicator was made: "MPI_COMM_WORLD dup #2, made at
 * heat+0x11e9", which is the place in the file that holds the code.  No control characters. */
const char *mpi_label_long(const struct mpi_comm *c, char *text, size_t size);

#endif
