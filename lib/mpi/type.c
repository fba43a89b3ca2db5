/* What a program asks about a datatype, and addresses. */
#include <limits.h>
#include <string.h>

#include "core/err.h"
#include "core/type_data.h"
#include "core/type.h"
#include "core/world.h"
#include "mpi/weak_alias.h"

static int no_type(const char *call, MPI_Datatype h)
{
    return mpi_err(NULL, call, MPI_ERR_TYPE, "%p is no datatype", (void *)h);
}

static int no_place(const char *call, const char *what)
{
    return mpi_err(NULL, call, MPI_ERR_ARG, "the address for the %s is NULL", what);
}

int PMPI_Type_size(MPI_Datatype datatype, int *size)
{
    const struct mpi_type *type;

    MPI_ENTER("MPI_Type_size");
    type = mpi_type_get(datatype);
    if (!type)
        return no_type("MPI_Type_size", datatype);
    if (!size)
        return no_place("MPI_Type_size", "size");
    *size = type->size > INT_MAX ? MPI_UNDEFINED : (int)type->size;
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Type_size);

int PMPI_Type_size_x(MPI_Datatype datatype, MPI_Count *size)
{
    const struct mpi_type *type;

    MPI_ENTER("MPI_Type_size_x");
    type = mpi_type_get(datatype);
    if (!type)
        return no_type("MPI_Type_size_x", datatype);
    if (!size)
        return no_place("MPI_Type_size_x", "size");
    *size = (MPI_Count)type->size;
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Type_size_x);

int PMPI_Type_get_extent(MPI_Datatype datatype, MPI_Aint *lb, MPI_Aint *extent)
{
    const struct mpi_type *type;

    MPI_ENTER("MPI_Type_get_extent");
    type = mpi_type_get(datatype);
    if (!type)
        return no_type("MPI_Type_get_extent", datatype);
    if (!lb || !extent)
        return no_place("MPI_Type_get_extent", "lower bound or the extent");
    *lb = type->lb;
    *extent = type->extent;
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Type_get_extent);

int PMPI_Type_get_extent_x(MPI_Datatype datatype, MPI_Count *lb, MPI_Count *extent)
{
    const struct mpi_type *type;

    MPI_ENTER("MPI_Type_get_extent_x");
    type = mpi_type_get(datatype);
    if (!type)
        return no_type("MPI_Type_get_extent_x", datatype);
    if (!lb || !extent)
        return no_place("MPI_Type_get_extent_x", "lower bound or the extent");
    *lb = type->lb;
    *extent = type->extent;
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Type_get_extent_x);

int PMPI_Type_get_true_extent(MPI_Datatype datatype, MPI_Aint *true_lb, MPI_Aint *extent)
{
    const struct mpi_type *type;

    MPI_ENTER("MPI_Type_get_true_extent");
    type = mpi_type_get(datatype);
    if (!type)
        return no_type("MPI_Type_get_true_extent", datatype);
    if (!true_lb || !extent)
        return no_place("MPI_Type_get_true_extent", "lower bound or the extent");
    *true_lb = type->lb;
    *extent = mpi_type_true_extent(type);
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Type_get_true_extent);

int PMPI_Type_get_name(MPI_Datatype datatype, char *type_name, int *resultlen)
{
    const struct mpi_type *type;
    const char *name = "MPI_DATATYPE_NULL";

    MPI_ENTER("MPI_Type_get_name");
    type = mpi_type_get(datatype);
    if (!type && datatype != MPI_DATATYPE_NULL)     /* the standard gives even that one a name */
        return no_type("MPI_Type_get_name", datatype);
    if (!type_name || !resultlen)
        return no_place("MPI_Type_get_name", "name or its length");
    if (type)
        name = type->name;
    strcpy(type_name, name);        /* of the table: all are below MPI_MAX_OBJECT_NAME */
    *resultlen = (int)strlen(name);
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Type_get_name);

/* -- addresses */

int PMPI_Get_address(const void *location, MPI_Aint *address)
{
    MPI_ENTER("MPI_Get_address");
    if (!address)
        return no_place("MPI_Get_address", "address");
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
