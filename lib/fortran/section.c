#include <stdlib.h>
#include <string.h>
#include "fortran/section.h"

struct mpif_section {
    char *first;                /* the section's first element, of `element` bytes */
    size_t element, size;
    int rank;
    CFI_dim_t dim[CFI_MAX_RANK];
    char *before;               /* as it was filled; NULL: not written to */
    char copy[];
};

static size_t size_of(const CFI_cdesc_t *array)
{
    size_t size = array->elem_len;

    for (int i = 0; i < array->rank; i++)
        size *= array->dim[i].extent > 0 ? (size_t)array->dim[i].extent : 0;
    return size;
}

struct mpif_section *mpif_section_new(const CFI_cdesc_t *array, bool written)
{
    size_t size = size_of(array);
    struct mpif_section *s = malloc(sizeof *s + size * (written ? 2 : 1));

    if (!s)
        return NULL;
    s->first = array->base_addr;
    s->element = array->elem_len;
    s->size = size;
    s->rank = array->rank;
    memcpy(s->dim, array->dim, (size_t)array->rank * sizeof *s->dim);
    s->before = written ? s->copy + size : NULL;
    mpif_section_fill(s);
    return s;
}

void *mpif_section_copy(struct mpif_section *section)
{
    return section->copy;
}

void mpif_section_free(struct mpif_section *section)
{
    free(section);
}

/* Calls visit for each element of dimensions 0..rank-1 behind `place`, in the order of the array;
 * `at` is the element's place in the copy. */
typedef void visit_element(struct mpif_section *s, char *place, size_t at);

static size_t walk(struct mpif_section *s, int rank, char *place, size_t at, visit_element *visit)
{
    if (rank == 0) {
        visit(s, place, at);
        return at + s->element;
    }
    for (CFI_index_t i = 0; i < s->dim[rank - 1].extent; i++)
        at = walk(s, rank - 1, place + i * s->dim[rank - 1].sm, at, visit);
    return at;
}

static void fill_element(struct mpif_section *s, char *place, size_t at)
{
    memcpy(s->copy + at, place, s->element);
}

void mpif_section_fill(struct mpif_section *s)
{
    walk(s, s->rank, s->first, 0, fill_element);
    if (s->before)
        memcpy(s->before, s->copy, s->size);
}

static void give_element(struct mpif_section *s, char *place, size_t at)
{
    const char *now = s->copy + at, *before = s->before + at;

    if (memcmp(now, before, s->element) == 0)
        return;
    for (size_t i = 0; i < s->element; i++)
        if (now[i] != before[i])
            place[i] = now[i];
}

void mpif_section_give(struct mpif_section *s)
{
    if (!s->before)
        return;
    walk(s, s->rank, s->first, 0, give_element);
    memcpy(s->before, s->copy, s->size);
}
