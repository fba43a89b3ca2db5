/* Datatypes. */
#ifndef MPI_TYPE_H
#define MPI_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "mpi.h"
#include "core/elem.h"
#include "core/handle.h"

struct mpi_type {
    size_t size;            /* bytes of data in one element */
    ptrdiff_t lb, extent;   /* bytes */
    bool contiguous;        /* data of count elements are one run of count * size bytes */
    bool committed;
    uint8_t value_size;     /* pairs: bytes of the value, which stands first; 0: no pair */
    uint8_t index_at;       /* pairs: where the index stands, size - value_size bytes */
    enum mpi_elem elem;     /* MPI_ELEM_NONE for derived types */
    enum mpi_family family;
    const char *name;
};

/* Index: handle value - 0x200; size 0 and name NULL where no predefined type stands. */
#define MPI_TYPE_FIRST 0x200u
#define MPI_TYPE_COUNT 0x100u
extern const struct mpi_type mpi_type_predefined[MPI_TYPE_COUNT];

/* NULL if the handle is no datatype (MPI_DATATYPE_NULL is none). */
static inline const struct mpi_type *mpi_type_get(MPI_Datatype h)
{
    uintptr_t v = (uintptr_t)h - MPI_TYPE_FIRST;
    if (__builtin_expect(v < MPI_TYPE_COUNT, 1))
        return mpi_type_predefined[v].name ? &mpi_type_predefined[v] : NULL;
    return mpi_handle_get(MPI_KIND_TYPE, (uintptr_t)h);
}

/* Copies `count` elements between a user's buffer and a run of count * size bytes without gaps.
 * Gaps in the buffer keep what they hold. */
void mpi_type_pack(const struct mpi_type *type, const void *buf, size_t count, void *packed);
void mpi_type_unpack(const struct mpi_type *type, const void *packed, size_t count, void *buf);

/* From the first to the last byte of data: a pair's gap at the end does not count. */
ptrdiff_t mpi_type_true_extent(const struct mpi_type *type);

/* Basic elements in so many bytes of data, MPI_UNDEFINED where these end inside of one; and bytes
 * of so many basic elements. */
MPI_Count mpi_type_elements(const struct mpi_type *type, int64_t bytes);
int64_t mpi_type_bytes_of(const struct mpi_type *type, int64_t elements);

#endif
