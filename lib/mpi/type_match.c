/* Finding datatypes by what they hold. */
#include "core/derived_f90.h"
#include "core/err.h"
#include "core/world.h"
#include "mpi/weak_alias.h"

static int no_place(const char *call)
{
    return mpi_err(NULL, call, MPI_ERR_ARG, "the address for the datatype is NULL");
}

/* -- by class and size */

struct match { int typeclass, size; MPI_Datatype type; };

static MPI_Datatype match(int typeclass, int size)
{
    const struct match matches[] = {
        { MPI_TYPECLASS_INTEGER, 1, MPI_INTEGER1 }, { MPI_TYPECLASS_INTEGER, 2, MPI_INTEGER2 },
        { MPI_TYPECLASS_INTEGER, 4, MPI_INTEGER4 }, { MPI_TYPECLASS_INTEGER, 8, MPI_INTEGER8 },
        { MPI_TYPECLASS_INTEGER, 16, MPI_INTEGER16 }, { MPI_TYPECLASS_REAL, 2, MPI_REAL2 },
        { MPI_TYPECLASS_REAL, 4, MPI_REAL4 }, { MPI_TYPECLASS_REAL, 8, MPI_REAL8 },
        { MPI_TYPECLASS_REAL, 16, MPI_REAL16 }, { MPI_TYPECLASS_COMPLEX, 4, MPI_COMPLEX4 },
        { MPI_TYPECLASS_COMPLEX, 8, MPI_COMPLEX8 }, { MPI_TYPECLASS_COMPLEX, 16, MPI_COMPLEX16 },
        { MPI_TYPECLASS_COMPLEX, 32, MPI_COMPLEX32 },
    };
    for (size_t i = 0; i < sizeof matches / sizeof *matches; i++)
        if (matches[i].typeclass == typeclass && matches[i].size == size)
            return matches[i].type;
    return MPI_DATATYPE_NULL;
}

int PMPI_Type_match_size(int typeclass, int size, MPI_Datatype *datatype)
{
    const char *call = "MPI_Type_match_size";
    MPI_ENTER(call);
    if (!datatype)
        return no_place(call);
    *datatype = match(typeclass, size);
    if (*datatype != MPI_DATATYPE_NULL)
        return MPI_SUCCESS;
    return mpi_err(NULL, call, MPI_ERR_ARG, "no type of class %d has %d bytes", typeclass, size);
}
MPI_WEAK_ALIAS(Type_match_size);

/* -- by value and index: MPI_DATATYPE_NULL where there is no such pair */

static MPI_Datatype pair_of(MPI_Datatype value, MPI_Datatype index)
{
    if (index == MPI_INT)
        return value == MPI_FLOAT ? MPI_FLOAT_INT : value == MPI_DOUBLE ? MPI_DOUBLE_INT
            : value == MPI_LONG ? MPI_LONG_INT : value == MPI_INT ? MPI_2INT
            : value == MPI_SHORT ? MPI_SHORT_INT
            : value == MPI_LONG_DOUBLE ? MPI_LONG_DOUBLE_INT : MPI_DATATYPE_NULL;
    if (index != value)
        return MPI_DATATYPE_NULL;
    return value == MPI_REAL ? MPI_2REAL : value == MPI_INTEGER ? MPI_2INTEGER
        : value == MPI_DOUBLE_PRECISION ? MPI_2DOUBLE_PRECISION : MPI_DATATYPE_NULL;
}

int PMPI_Type_get_value_index(MPI_Datatype value_type, MPI_Datatype index_type,
                              MPI_Datatype *pair_type)
{
    const char *call = "MPI_Type_get_value_index";
    MPI_ENTER(call);
    if (!pair_type)
        return no_place(call);
    if (!mpi_type_get(value_type) || !mpi_type_get(index_type))
        return mpi_err(NULL, call, MPI_ERR_TYPE, "the value or the index is no datatype");
    *pair_type = pair_of(value_type, index_type);
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Type_get_value_index);

/* -- by Fortran's precision and range */

static int f90(const char *call, int combiner, int p, int r, MPI_Datatype *newtype)
{
    bool integral = combiner == MPI_COMBINER_F90_INTEGER;
    MPI_ENTER(call);
    if (!newtype)
        return no_place(call);
    if (r == MPI_UNDEFINED && (integral || p == MPI_UNDEFINED))
        return mpi_err(NULL, call, MPI_ERR_ARG, "neither precision nor range");
    *newtype = MPI_DATATYPE_NULL;
    int class = mpi_derive_f90(combiner, p, r, newtype);
    if (class == MPI_ERR_ARG)
        return mpi_err(NULL, call, class, "no kind has precision %d and range %d", p, r);
    return class ? mpi_err(NULL, call, class, "no memory for the datatype") : MPI_SUCCESS;
}

int PMPI_Type_create_f90_real(int p, int r, MPI_Datatype *newtype)
{
    return f90("MPI_Type_create_f90_real", MPI_COMBINER_F90_REAL, p, r, newtype);
}
MPI_WEAK_ALIAS(Type_create_f90_real);

int PMPI_Type_create_f90_complex(int p, int r, MPI_Datatype *newtype)
{
    return f90("MPI_Type_create_f90_complex", MPI_COMBINER_F90_COMPLEX, p, r, newtype);
}
MPI_WEAK_ALIAS(Type_create_f90_complex);

int PMPI_Type_create_f90_integer(int r, MPI_Datatype *newtype)
{
    return f90("MPI_Type_create_f90_integer", MPI_COMBINER_F90_INTEGER, MPI_UNDEFINED, r, newtype);
}
MPI_WEAK_ALIAS(Type_create_f90_integer);
