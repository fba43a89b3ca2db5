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
    bool committed;         /* derived types: `contiguous` is false before */
    bool derived;           /* the first part of a struct mpi_derived */
    bool marked;            /* derived: its bounds were said (resized), not found */
    size_t alignment;       /* derived: of the largest basic type */
    ptrdiff_t true_lb, true_extent;     /* derived: from the first to the last byte of data */
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

/* Where the data of an element begin, and from the first to the last byte of them: a pair's gap
 * at the end does not count. */
ptrdiff_t mpi_type_true_lb(const struct mpi_type *type);
ptrdiff_t mpi_type_true_extent(const struct mpi_type *type);

#endif
