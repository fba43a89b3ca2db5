/* Errors of attributes, for the calls that copy or delete all of an object. */
#ifndef MPI_MPI_ATTRIBUTE_H
#define MPI_MPI_ATTRIBUTE_H

#include "core/attribute.h"

struct mpi_comm;

/* Raises it on c (NULL: MPI_COMM_SELF); the code that the call returns. */
int mpi_attribute_raise(struct mpi_comm *c, const char *call, const struct mpi_attribute_error *e);

#endif
