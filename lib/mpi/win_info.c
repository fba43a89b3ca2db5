/* Hints of windows: promises of the program, which the library keeps and does not need. */
#include "mpi/win_info.h"

#include <string.h>

#include "core/info.h"
#include "mpi/weak_alias.h"
#include "mpi/win_args.h"

/* What holds where the program says nothing.  bool: takes true and false only. */
static const struct { const char *key, *usual; bool truth; } hints[] = {
    { "no_locks", "false", true },
    { "accumulate_ordering", "rar,raw,war,waw", false },
    { "accumulate_ops", "same_op_no_op", false },
    { "mpi_accumulate_granularity", "0", false },
    { "same_size", "false", true },
    { "same_disp_unit", "false", true },
    { "alloc_shared_noncontig", "false", true },
};
enum { HINTS = sizeof hints / sizeof *hints };

bool mpi_win_hint_said(MPI_Info info, const char *key)
{
    char value[MPI_MAX_INFO_VAL];
    return info != MPI_INFO_NULL && mpi_info_find(info, key, value, sizeof value)
           && !strcmp(value, "true");
}

static bool takes(int i, const char *value)
{
    return !hints[i].truth || !strcmp(value, "true") || !strcmp(value, "false");
}

void mpi_win_take_hints(struct mpi_win *w, MPI_Info info)
{
    char value[MPI_MAX_INFO_VAL], old[MPI_MAX_INFO_VAL];
    for (int i = 0; i < HINTS; i++)
        if (info != MPI_INFO_NULL && mpi_info_find(info, hints[i].key, value, sizeof value)
            && takes(i, value))
            mpi_info_set(w->info, hints[i].key, value);
        else if (!mpi_info_find(w->info, hints[i].key, old, sizeof old))
            mpi_info_set(w->info, hints[i].key, hints[i].usual);
}

int PMPI_Win_set_info(MPI_Win win, MPI_Info info)
{
    const char *call = "MPI_Win_set_info";
    struct mpi_win *w;
    MPI_ENTER(call);
    int rc = mpi_check_win(call, win, &w);
    if (!rc && !mpi_info_valid(info))
        rc = mpi_win_err(w, call, MPI_ERR_INFO, "%p is no info object", (void *)info);
    if (!rc)
        mpi_win_take_hints(w, info);
    return rc;
}
MPI_WEAK_ALIAS(Win_set_info);

int PMPI_Win_get_info(MPI_Win win, MPI_Info *info_used)
{
    const char *call = "MPI_Win_get_info";
    struct mpi_win *w;
    MPI_ENTER(call);
    int rc = mpi_check_win(call, win, &w);
    if (rc)
        return rc;
    if (!info_used)
        return mpi_win_err(w, call, MPI_ERR_ARG, "the address for the info object is NULL");
    *info_used = mpi_info_copy(w->info);
    if (*info_used == MPI_INFO_NULL)
        return mpi_win_err(w, call, MPI_ERR_NO_MEM, "no memory for an info object");
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Win_get_info);
