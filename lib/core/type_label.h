/* What a datatype is called in messages: by its name, or by how it was made. */
#ifndef MPI_TYPE_LABEL_H
#define MPI_TYPE_LABEL_H

#include "core/type.h"

/* "MPI_INT", the program's name for it, or "a datatype of MPI_Type_vector".  t NULL: "the
 * datatype". */
const char *mpi_type_label(const struct mpi_type *t);

#endif
