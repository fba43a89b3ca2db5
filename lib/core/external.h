/* "external32": data as every machine writes them, big endian and of the sizes that the standard
 * fixes (MPI-5.0, section "External Data Representation: external32"). */
#ifndef MPI_EXTERNAL_H
#define MPI_EXTERNAL_H

#include "core/type.h"

/* False, of all three: no memory. */

/* Bytes of one element. */
bool mpi_external_size(const struct mpi_type *t, size_t *bytes);

/* Between `count` elements packed as mpi_type_pack does and their external form. */
bool mpi_external_write(const struct mpi_type *t, const void *packed, size_t count, void *external);
bool mpi_external_read(const struct mpi_type *t, const void *external, size_t count, void *packed);

#endif
