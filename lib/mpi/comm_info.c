/* Hints of communicators: promises of the program, which the library keeps and does not need. */
#include "mpi/comm_info.h"

#include <string.h>

#include "core/err.h"
#include "core/info.h"
#include "mpi/args.h"
#include "mpi/weak_alias.h"

static const char *const hints[] = {
    "mpi_assert_no_any_tag", "mpi_assert_no_any_source", "mpi_assert_exact_length",
    "mpi_assert_allow_overtaking",
};
enum { HINTS = sizeof hints / sizeof *hints, VALUE_BYTES = 8 };

int mpi_check_info(const char *call, struct mpi_comm *c, MPI_Info info)
{
    if (mpi_info_valid(info))
        return MPI_SUCCESS;
    return mpi_err(c, call, MPI_ERR_INFO, "%p is no info object", (void *)info);
}

void mpi_comm_take_hints(struct mpi_comm *c, MPI_Info info)
{
    char value[VALUE_BYTES];
    for (int i = 0; info != MPI_INFO_NULL && i < HINTS; i++) {
        if (!mpi_info_find(info, hints[i], value, sizeof value))
            continue;
        if (!strcmp(value, "true"))
            c->hints |= (uint8_t)(1 << i);
        else if (!strcmp(value, "false"))
            c->hints &= (uint8_t)~(1 << i);
    }
}

int PMPI_Comm_set_info(MPI_Comm comm, MPI_Info info)
{
    const char *call = "MPI_Comm_set_info";
    struct mpi_comm *c;
    MPI_ENTER(call);
    int rc = mpi_check_comm(call, comm, &c);
    if (!rc)
        rc = mpi_check_info(call, c, info);
    if (!rc)
        mpi_comm_take_hints(c, info);
    return rc;
}
MPI_WEAK_ALIAS(Comm_set_info);

int PMPI_Comm_get_info(MPI_Comm comm, MPI_Info *info_used)
{
    const char *call = "MPI_Comm_get_info";
    struct mpi_comm *c;
    MPI_ENTER(call);
    int rc = mpi_check_comm(call, comm, &c);
    if (rc)
        return rc;
    if (!info_used)
        return mpi_err(c, call, MPI_ERR_ARG, "the address for the info object is NULL");
    *info_used = mpi_info_new();
    bool whole = *info_used != MPI_INFO_NULL;
    for (int i = 0; whole && i < HINTS; i++)
        whole = mpi_info_set(*info_used, hints[i], c->hints >> i & 1 ? "true" : "false");
    return whole ? MPI_SUCCESS : mpi_err(c, call, MPI_ERR_NO_MEM, "no memory for an info object");
}
MPI_WEAK_ALIAS(Comm_get_info);
