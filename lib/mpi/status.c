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

/* The checks that the calls with a status, a datatype and a place for the result share; NULL
 * after raising an error of the class left in *class. */
static const struct mpi_type *check(const char *call, const MPI_Status *status, MPI_Datatype h,
                                    const void *count, int *class)
{
    const struct mpi_type *type;
    MPI_ENTER(call);
    *class = status == MPI_STATUS_IGNORE ? no_status(call) : mpi_check_type(call, NULL, h, &type);
    if (!*class && !count)
        *class = mpi_no_place(call);
    return *class == MPI_SUCCESS ? type : NULL;
}

/* Whole elements of the type, or basic ones.  Of a type without data there are none in a message
 * without data, and no number fits any other. */
static MPI_Count whole(const struct mpi_type *type, int64_t bytes)
{
    if (type->size == 0)
        return bytes ? MPI_UNDEFINED : 0;
    return bytes % (int64_t)type->size ? MPI_UNDEFINED : bytes / (int64_t)type->size;
}

static MPI_Count basic(const struct mpi_type *type, int64_t bytes)
{
    if (type->size == 0)
        return bytes ? MPI_UNDEFINED : 0;
    return mpi_type_elements(type, bytes);
}

#define AS_IT_IS(n) (n)
#define GET(name, COUNT, counted, fit) \
    int PMPI_##name(const MPI_Status *status, MPI_Datatype datatype, COUNT *count) \
    { \
        int class; \
        const struct mpi_type *type = check("MPI_" #name, status, datatype, count, &class); \
        if (type) \
            *count = fit(counted(type, mpi_status_bytes(status))); \
        return class; \
    } \
    MPI_WEAK_ALIAS(name)

GET(Get_count, int, whole, as_int);
GET(Get_count_c, MPI_Count, whole, AS_IT_IS);
GET(Get_elements, int, basic, as_int);
GET(Get_elements_c, MPI_Count, basic, AS_IT_IS);
GET(Get_elements_x, MPI_Count, basic, AS_IT_IS);

/* Whether a status can hold the bytes of so many basic elements: those of whole ones of the type,
 * rounded up. */
static bool fits(const struct mpi_type *type, MPI_Count count)
{
    int64_t size = (int64_t)type->size, each = size ? mpi_type_elements(type, size) : 0, bytes;
    return count >= 0 &&
        (each <= 0 || !__builtin_mul_overflow(count / each + (count % each != 0), size, &bytes));
}

static int set_elements(const char *call, MPI_Status *status, MPI_Datatype datatype,
                        MPI_Count count)
{
    int class;
    const struct mpi_type *type = check(call, status, datatype, &count, &class);
    if (!type)
        return class;
    if (!fits(type, count))
        return mpi_err(NULL, call, MPI_ERR_COUNT, "the count is %lld", (long long)count);
    mpi_status_set_bytes(status, mpi_type_bytes_of(type, count));
    return MPI_SUCCESS;
}

#define SET_ELEMENTS(name, COUNT) \
    int PMPI_##name(MPI_Status *status, MPI_Datatype datatype, COUNT count) \
    { \
        return set_elements("MPI_" #name, status, datatype, count); \
    } \
    MPI_WEAK_ALIAS(name)

SET_ELEMENTS(Status_set_elements, int);
SET_ELEMENTS(Status_set_elements_c, MPI_Count);
SET_ELEMENTS(Status_set_elements_x, MPI_Count);

int PMPI_Test_cancelled(const MPI_Status *status, int *flag)
{
    MPI_ENTER("MPI_Test_cancelled");
    if (status == MPI_STATUS_IGNORE)
        return no_status("MPI_Test_cancelled");
    if (!flag)
        return mpi_no_place("MPI_Test_cancelled");
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
            return mpi_no_place("MPI_Status_get_" #name); \
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
