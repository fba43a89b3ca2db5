/* A copy of an array section, without gaps between its elements. */
#ifndef MPIF_SECTION_H
#define MPIF_SECTION_H

#include <ISO_Fortran_binding.h>
#include <stdbool.h>
#include <stddef.h>

struct mpif_section;

/* `written`: the copy may be written to, and what changes goes back; NULL: no memory. */
struct mpif_section *mpif_section_new(const CFI_cdesc_t *array, bool written);
void *mpif_section_copy(struct mpif_section *section);

/* The array as it is now. */
void mpif_section_fill(struct mpif_section *section);

/* Bytes that changed since it was filled go into the array; nothing else of the array is touched,
 * so that receives into parts of one section do not meet. */
void mpif_section_give(struct mpif_section *section);

void mpif_section_free(struct mpif_section *section);

#endif
