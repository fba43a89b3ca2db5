/* Datatypes. */
#ifndef MPI_TYPE_H
#define MPI_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "mpi.h"
#include "mpi/elem.h"
#include "mpi/handle.h"

struct mpi_type {
    size_t size;            /* bytes of data in one element */
    ptrdiff_t lb, extent;   /* bytes */
    bool contiguous;        /* data of count elements are one run of count * size bytes starting at the buffer */
    bool committed;
    uint8_t value_size;     /* pairs: bytes of the value, which stands first; 0 for all other types */
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

/* Copies `count` elements between a user's buffer and a run of count * size bytes without gaps.  Gaps in the buffer
 * keep what they hold. */
void mpi_type_pack(const struct mpi_type *type, const void *buf, size_t count, void *packed);
void mpi_type_unpack(const struct mpi_type *type, const void *packed, size_t count, void *buf);

#endif
