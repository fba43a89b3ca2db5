/* The data of datatypes' elements: packing, counting. */
#ifndef MPI_TYPE_DATA_H
#define MPI_TYPE_DATA_H

#include "core/type.h"

/* Copies `count` elements between a user's buffer and a run of count * size bytes without gaps.
 * Gaps in the buffer keep what they hold. */
void mpi_type_pack(const struct mpi_type *type, const void *buf, size_t count, void *packed);
/* The same the other way, of the first `bytes` bytes, which may end inside of an element. */
void mpi_type_unpack(const struct mpi_type *type, const void *packed, size_t bytes, void *buf);

/* Whether the data of `count` elements are one run of bytes; at: where it begins. */
bool mpi_type_is_run(const struct mpi_type *type, size_t count, ptrdiff_t *at);

/* The host packs or unpacks `bytes` bytes of such elements now: the model clock charges it. */
void mpi_type_charge(const struct mpi_type *type, size_t bytes);
/* Runs of bytes that they are copied to, each for itself; 0: the data are one run. */
uint64_t mpi_type_blocks(const struct mpi_type *type, size_t bytes);

/* Basic elements in so many bytes of data, MPI_UNDEFINED where these end inside of one; and bytes
 * of so many basic elements. */
MPI_Count mpi_type_elements(const struct mpi_type *type, int64_t bytes);
int64_t mpi_type_bytes_of(const struct mpi_type *type, int64_t elements);

#endif
