#include "fortran/view.h"

void mpif_view_of_section(struct mpif_view *v, const CFI_cdesc_t *array, int use)
{
    v->section = mpif_section_new(array, use == MPIF_WRITTEN);
    v->ready = v->section != NULL;
    v->address = v->section ? mpif_section_copy(v->section) : NULL;
}

void mpif_view_close(struct mpif_view *v, int request, bool persistent)
{
    if (v->made)
        PMPI_Type_free(&v->type);
    if (!v->section)
        return;
    if (request != MPIF_NO_REQUEST) {
        mpif_later_section(request, persistent, v->section);
        return;
    }
    mpif_section_give(v->section);
    mpif_section_free(v->section);
}

/* -- a datatype of an array section ------------------------------------------------------------ */

/* Items of the type lie in memory one behind the other, without gaps; *bytes: of one. */
static bool is_dense(MPI_Datatype type, MPI_Count *bytes)
{
    MPI_Count lb, extent, true_lb, true_extent, size;

    PMPI_Type_get_extent_c(type, &lb, &extent);
    PMPI_Type_get_true_extent_c(type, &true_lb, &true_extent);
    PMPI_Type_size_c(type, &size);
    *bytes = size;
    return size > 0 && lb == 0 && true_lb == 0 && extent == size && true_extent == size;
}

/* Pieces of a type that is put together: whole planes of each dimension, then what is left of the
 * next lower one. */
struct pieces {
    int n;
    MPI_Count place[CFI_MAX_RANK + 1];
    MPI_Datatype type[CFI_MAX_RANK + 1];
};

static void add_piece(struct pieces *p, MPI_Count place, MPI_Datatype type)
{
    p->place[p->n] = place;
    p->type[p->n++] = type;
}

/* The planes of a section: plane[d] has all elements of the dimensions below d, `elements` of
 * them. */
struct planes {
    MPI_Datatype type[CFI_MAX_RANK];
    MPI_Count elements[CFI_MAX_RANK];
};

static void planes_make(struct planes *p, const CFI_cdesc_t *array, MPI_Count items,
                        MPI_Datatype type)
{
    PMPI_Type_contiguous_c(items, type, &p->type[0]);
    p->elements[0] = 1;
    for (int d = 1; d < array->rank; d++) {
        const CFI_dim_t *below = &array->dim[d - 1];
        PMPI_Type_create_hvector_c(below->extent, 1, below->sm, p->type[d - 1], &p->type[d]);
        p->elements[d] = p->elements[d - 1] * below->extent;
    }
}

static void planes_free(struct planes *p, int rank)
{
    for (int d = 0; d < rank; d++)
        PMPI_Type_free(&p->type[d]);
}

/* The first `count` items of the section, `items` of them in each element. */
static void cut(struct pieces *p, const struct planes *planes, const CFI_cdesc_t *array,
                MPI_Count count, MPI_Count items, MPI_Datatype type)
{
    MPI_Count elements = count / items, place = 0;
    MPI_Datatype made;

    for (int d = array->rank - 1; d >= 0; d--) {
        MPI_Count whole = elements / planes->elements[d];
        if (whole > 0) {
            PMPI_Type_create_hvector_c(whole, 1, array->dim[d].sm, planes->type[d], &made);
            add_piece(p, place, made);
        }
        place += whole * array->dim[d].sm;
        elements %= planes->elements[d];
    }
    if (count % items > 0) {
        PMPI_Type_contiguous_c(count % items, type, &made);
        add_piece(p, place, made);
    }
}

static MPI_Datatype join(struct pieces *p)
{
    static const MPI_Count ones[CFI_MAX_RANK + 1] = { [0 ... CFI_MAX_RANK] = 1 };
    MPI_Datatype joined;

    PMPI_Type_create_struct_c(p->n, ones, p->place, p->type, &joined);
    PMPI_Type_commit(&joined);
    for (int i = 0; i < p->n; i++)
        PMPI_Type_free(&p->type[i]);
    return joined;
}

static MPI_Datatype section_type(const CFI_cdesc_t *array, MPI_Count count, MPI_Count items,
                                 MPI_Datatype type)
{
    struct planes planes;
    struct pieces pieces = { .n = 0 };

    planes_make(&planes, array, items, type);
    cut(&pieces, &planes, array, count, items, type);
    planes_free(&planes, array->rank);
    return join(&pieces);
}

void mpif_view_of_type(struct mpif_view *v, const CFI_cdesc_t *array, int use)
{
    MPI_Count bytes, element = (MPI_Count)array->elem_len;

    if (v->count <= 0 || v->type == MPI_DATATYPE_NULL)
        return;                 /* nothing to move, or the call's error to report */
    if (!is_dense(v->type, &bytes) || element % bytes != 0) {
        mpif_view_of_section(v, array, use);
        return;
    }
    v->type = section_type(array, v->count, element / bytes, v->type);
    v->count = 1;
    v->made = true;
}
