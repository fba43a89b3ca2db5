/* Naming datatypes in messages. */
#include "core/type_label.h"

#include "core/derived.h"

#define MADE_BY(combiner, call) \
    [MPI_COMBINER_##combiner - MPI_COMBINER_NAMED] = "a datatype of " call

static const char *const made[] = {
    MADE_BY(DUP, "MPI_Type_dup"),
    MADE_BY(CONTIGUOUS, "MPI_Type_contiguous"),
    MADE_BY(VECTOR, "MPI_Type_vector"),
    MADE_BY(HVECTOR, "MPI_Type_create_hvector"),
    MADE_BY(INDEXED, "MPI_Type_indexed"),
    MADE_BY(HINDEXED, "MPI_Type_create_hindexed"),
    MADE_BY(INDEXED_BLOCK, "MPI_Type_create_indexed_block"),
    MADE_BY(HINDEXED_BLOCK, "MPI_Type_create_hindexed_block"),
    MADE_BY(STRUCT, "MPI_Type_create_struct"),
    MADE_BY(SUBARRAY, "MPI_Type_create_subarray"),
    MADE_BY(DARRAY, "MPI_Type_create_darray"),
    MADE_BY(F90_REAL, "MPI_Type_create_f90_real"),
    MADE_BY(F90_COMPLEX, "MPI_Type_create_f90_complex"),
    MADE_BY(F90_INTEGER, "MPI_Type_create_f90_integer"),
    MADE_BY(RESIZED, "MPI_Type_create_resized"),
};

const char *mpi_type_label(const struct mpi_type *t)
{
    if (!t)
        return "the datatype";
    if (t->name && t->name[0])
        return t->name;
    const struct mpi_derived *d = mpi_type_derived(t);
    size_t i = d ? (size_t)(d->contents.combiner - MPI_COMBINER_NAMED) : 0;
    return i < sizeof made / sizeof *made && made[i] ? made[i] : "a datatype";
}
