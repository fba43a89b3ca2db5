/* Sizes and extents of datatypes, and addresses. */
#include <limits.h>

#include "core/err.h"
#include "core/type_data.h"
#include "mpi/args.h"
#include "mpi/weak_alias.h"

/* The type, when there is one and a place for each answer; else the error was raised. */
static int check(const char *call, MPI_Datatype h, const struct mpi_type **t, const void *place,
                 const void *other)
{
    MPI_ENTER(call);
    int rc = mpi_check_type(call, NULL, h, t);
    if (rc)
        return rc;
    if (!place || !other)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the address for a result is NULL");
    return MPI_SUCCESS;
}

/* -- sizes */

int PMPI_Type_size(MPI_Datatype datatype, int *size)
{
    const struct mpi_type *t;
    int rc = check("MPI_Type_size", datatype, &t, size, size);
    if (!rc)
        *size = t->size > INT_MAX ? MPI_UNDEFINED : (int)t->size;
    return rc;
}
MPI_WEAK_ALIAS(Type_size);

#define SIZE(name) \
    int PMPI_##name(MPI_Datatype datatype, MPI_Count *size) \
    { \
        const struct mpi_type *t; \
        int rc = check("MPI_" #name, datatype, &t, size, size); \
        if (!rc) \
            *size = (MPI_Count)t->size; \
        return rc; \
    } \
    MPI_WEAK_ALIAS(name)

SIZE(Type_size_x);
SIZE(Type_size_c);

/* -- extents */

#define EXTENT(name, COUNT) \
    int PMPI_##name(MPI_Datatype datatype, COUNT *lb, COUNT *extent) \
    { \
        const struct mpi_type *t; \
        int rc = check("MPI_" #name, datatype, &t, lb, extent); \
        if (rc) \
            return rc; \
        *lb = t->lb; \
        *extent = t->extent; \
        return MPI_SUCCESS; \
    } \
    MPI_WEAK_ALIAS(name)

EXTENT(Type_get_extent, MPI_Aint);
EXTENT(Type_get_extent_x, MPI_Count);
EXTENT(Type_get_extent_c, MPI_Count);

#define TRUE_EXTENT(name, COUNT) \
    int PMPI_##name(MPI_Datatype datatype, COUNT *true_lb, COUNT *true_extent) \
    { \
        const struct mpi_type *t; \
        int rc = check("MPI_" #name, datatype, &t, true_lb, true_extent); \
        if (rc) \
            return rc; \
        *true_lb = mpi_type_true_lb(t); \
        *true_extent = mpi_type_true_extent(t); \
        return MPI_SUCCESS; \
    } \
    MPI_WEAK_ALIAS(name)

TRUE_EXTENT(Type_get_true_extent, MPI_Aint);
TRUE_EXTENT(Type_get_true_extent_x, MPI_Count);
TRUE_EXTENT(Type_get_true_extent_c, MPI_Count);

/* -- addresses */

int PMPI_Get_address(const void *location, MPI_Aint *address)
{
    MPI_ENTER("MPI_Get_address");
    if (!address)
        return mpi_err(NULL, "MPI_Get_address", MPI_ERR_ARG,
                       "the address for the address is NULL");
    *address = (MPI_Aint)location;
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Get_address);

/* Unsigned, since an address may lie on either side of the signed range. */
MPI_Aint PMPI_Aint_add(MPI_Aint base, MPI_Aint disp)
{
    return (MPI_Aint)((uintptr_t)base + (uintptr_t)disp);
}
MPI_WEAK_ALIAS(Aint_add);

MPI_Aint PMPI_Aint_diff(MPI_Aint addr1, MPI_Aint addr2)
{
    return (MPI_Aint)((uintptr_t)addr1 - (uintptr_t)addr2);
}
MPI_WEAK_ALIAS(Aint_diff);
