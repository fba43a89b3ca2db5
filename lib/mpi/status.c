/* What a program reads from a status, and what it may set in one. */
#include <limits.h>
#include "core/err.h"
#include "core/status.h"
#include "core/type_data.h"
#include "mpi/args.h"
#include "mpi/weak_alias.h"

static int as_int(MPI_Count n)
{
    return n > INT_MAX ? MPI_UNDEFINED : (int)n;
}

static int no_status(const char *call)
{
    return mpi_err(NULL, call, MPI_ERR_ARG, "the status is NULL or MPI_STATUS_IGNORE");
}

static int no_place(const char *call)
{
    return mpi_err(NULL, call, MPI_ERR_ARG, "the address for the result is NULL");
}

/* The checks that the calls with a status, a datatype and a place for the result share; NULL
 * after raising an error of the class left in *class. */
static const struct mpi_type *check(const char *call, const MPI_Status *status, MPI_Datatype h,
                                    const void *count, int *class)
{
    const struct mpi_type *type;
    *class = status == MPI_STATUS_IGNORE ? no_status(call) : mpi_check_type(call, NULL, h, &type);
    if (!*class && !count)
        *class = no_place(call);
    return *class == MPI_SUCCESS ? type : NULL;
}

int PMPI_Get_count(const MPI_Status *status, MPI_Datatype datatype, int *count)
{
    const struct mpi_type *type;
    int64_t bytes;
    int class;

    MPI_ENTER("MPI_Get_count");
    type = check("MPI_Get_count", status, datatype, count, &class);
    if (!type)
        return class;
    bytes = mpi_status_bytes(status);
    if (type->size == 0)
        *count = 0;
    else
        *count = bytes % (int64_t)type->size ? MPI_UNDEFINED : as_int(bytes / (int64_t)type->size);
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Get_count);

int PMPI_Get_elements(const MPI_Status *status, MPI_Datatype datatype, int *count)
{
    const struct mpi_type *type;
    int class;

    MPI_ENTER("MPI_Get_elements");
    type = check("MPI_Get_elements", status, datatype, count, &class);
    if (!type)
        return class;
    *count = as_int(mpi_type_elements(type, mpi_status_bytes(status)));
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Get_elements);

int PMPI_Get_elements_x(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count)
{
    const struct mpi_type *type;
    int class;

    MPI_ENTER("MPI_Get_elements_x");
    type = check("MPI_Get_elements_x", status, datatype, count, &class);
    if (!type)
        return class;
    *count = mpi_type_elements(type, mpi_status_bytes(status));
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Get_elements_x);

int PMPI_Status_set_elements(MPI_Status *status, MPI_Datatype datatype, int count)
{
    const struct mpi_type *type;
    int class;

    MPI_ENTER("MPI_Status_set_elements");
    type = check("MPI_Status_set_elements", status, datatype, &count, &class);
    if (!type)
        return class;
    if (count < 0)
        return mpi_err(NULL, "MPI_Status_set_elements", MPI_ERR_COUNT, "the count is %d", count);
    mpi_status_set_bytes(status, mpi_type_bytes_of(type, count));
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Status_set_elements);

int PMPI_Test_cancelled(const MPI_Status *status, int *flag)
{
    MPI_ENTER("MPI_Test_cancelled");
    if (status == MPI_STATUS_IGNORE)
        return no_status("MPI_Test_cancelled");
    if (!flag)
        return no_place("MPI_Test_cancelled");
    *flag = mpi_status_cancelled(status);
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Test_cancelled);

int PMPI_Status_set_cancelled(MPI_Status *status, int flag)
{
    MPI_ENTER("MPI_Status_set_cancelled");
    if (status == MPI_STATUS_IGNORE)
        return no_status("MPI_Status_set_cancelled");
    mpi_status_set_cancelled(status, flag != 0);
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Status_set_cancelled);

/* The public members, for languages that cannot reach them.  No running library needed. */
#define ACCESSORS(name, member) \
    int PMPI_Status_get_##name(const MPI_Status *status, int *value) \
    { \
        if (status == MPI_STATUS_IGNORE) \
            return no_status("MPI_Status_get_" #name); \
        if (!value) \
            return no_place("MPI_Status_get_" #name); \
        *value = status->member; \
        return MPI_SUCCESS; \
    } \
    MPI_WEAK_ALIAS(Status_get_##name); \
    int PMPI_Status_set_##name(MPI_Status *status, int value) \
    { \
        if (status == MPI_STATUS_IGNORE) \
            return no_status("MPI_Status_set_" #name); \
        status->member = value; \
        return MPI_SUCCESS; \
    } \
    MPI_WEAK_ALIAS(Status_set_##name)

ACCESSORS(source, MPI_SOURCE);
ACCESSORS(tag, MPI_TAG);
ACCESSORS(error, MPI_ERROR);
