/* What is wrong with the arguments of a call with groups. */
#include "mpi/group_args.h"

#include <stddef.h>

#include "core/err.h"

int mpi_check_group(const char *call, MPI_Group h, const struct mpi_group **g)
{
    *g = mpi_group_get(h);
    if (*g)
        return MPI_SUCCESS;
    if (h == MPI_GROUP_NULL)
        return mpi_err(NULL, call, MPI_ERR_GROUP, "the group is MPI_GROUP_NULL");
    return mpi_err(NULL, call, MPI_ERR_GROUP, "%p is no group", (void *)h);
}

int mpi_check_group_list(const char *call, int n, const void *list)
{
    if (n < 0)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the number of entries is %d", n);
    if (n > 0 && !list)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the list is NULL with %d entries", n);
    return MPI_SUCCESS;
}

int mpi_check_group_place(const char *call, const void *place)
{
    if (place)
        return MPI_SUCCESS;
    return mpi_err(NULL, call, MPI_ERR_ARG, "the address for the result is NULL");
}

int mpi_group_made(const char *call, int class)
{
    return class ? mpi_err(NULL, call, class, "no memory for another group") : MPI_SUCCESS;
}
