/* Choice buffers of mpi_f08, which come with a descriptor of the array: one piece of memory is
 * passed on as it is.  A section with gaps becomes a datatype where the buffer has one count and
 * one datatype (point to point, broadcast, packing, one-sided), so that nothing is copied;
 * elsewhere, and where the elements do not hold a whole number of items of the datatype, a copy
 * without gaps, which goes back when the operation has ended (later.h).  A one-sided operation
 * without a request ends with its epoch, which nobody sees here: only the first way is right. */
#ifndef MPIF_VIEW_H
#define MPIF_VIEW_H

#include <ISO_Fortran_binding.h>
#include "fortran/convert.h"
#include "fortran/later.h"
#include "fortran/section.h"

enum { MPIF_READ, MPIF_WRITTEN };
/* No MPI_Request is 0 as an integer. */
enum { MPIF_NO_REQUEST = 0 };

/* What C gets in place of an array. */
struct mpif_view {
    void *address;
    MPI_Count count;            /* of typed ones: with these */
    MPI_Datatype type;
    struct mpif_section *section;
    bool ready;                 /* false: no memory */
    bool made;                  /* `type` is to be freed */
};

static inline bool mpif_in_one_piece(const CFI_cdesc_t *array)
{
    CFI_index_t next = (CFI_index_t)array->elem_len;

    if (array->rank == 0 || array->dim[array->rank - 1].extent == -1)
        return true;
    for (int i = 0; i < array->rank; i++) {
        if (array->dim[i].extent == 0)
            return true;
        if (array->dim[i].extent != 1 && array->dim[i].sm != next)
            return false;
        next *= array->dim[i].extent;
    }
    return true;
}

void mpif_view_of_section(struct mpif_view *v, const CFI_cdesc_t *array, int use);
void mpif_view_of_type(struct mpif_view *v, const CFI_cdesc_t *array, int use);
void mpif_view_close(struct mpif_view *v, int request, bool persistent);

/* The address alone, of functions that do not read or write what is there. */
static inline void *mpif_address(const CFI_cdesc_t *array)
{
    return mpif_buffer(array->base_addr);
}

static inline void mpif_view(struct mpif_view *v, const CFI_cdesc_t *array, int use)
{
    *v = (struct mpif_view){ .ready = true, .address = mpif_buffer(array->base_addr) };
    if (__builtin_expect(!mpif_in_one_piece(array), 0))
        mpif_view_of_section(v, array, use);
}

static inline void mpif_view_typed(struct mpif_view *v, const CFI_cdesc_t *array, int use,
                                   MPI_Count count, MPI_Datatype type)
{
    *v = (struct mpif_view){ .ready = true, .address = mpif_buffer(array->base_addr),
                             .count = count, .type = type };
    if (__builtin_expect(!mpif_in_one_piece(array), 0))
        mpif_view_of_type(v, array, use);
}

/* The call is over, or has started `request`. */
static inline void mpif_view_end(struct mpif_view *v, int request, bool persistent)
{
    if (__builtin_expect(v->made || v->section, 0))
        mpif_view_close(v, request, persistent);
}

#endif
