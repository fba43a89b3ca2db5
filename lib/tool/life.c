/* MPI_T_init_thread and MPI_T_finalize: counted, before MPI_Init and after MPI_Finalize too. */
#include "core/thread_level.h"
#include "core/world.h"
#include "mpi/init.h"
#include "mpi/weak_alias.h"
#include "tool/object.h"
#include "tool/pvar_value.h"
#include "tool/raise.h"
#include "tool/tool.h"

/* In MPI_Init, or in MPI_T_init_thread if that comes later. */
static void opened(void)
{
    mpi_tool_attach(mpi_nic);
    mpi_tool_begin();
    mpi_tool_watch();
    mpi_tool_end();
}

/* In MPI_Finalize: it is about to be closed.  What has been counted stays. */
static void closing(void)
{
    mpi_tool_begin();
    mpi_tool_keep_values();
    mpi_fw_watch(mpi_fw, NULL);
    mpi_tool_end_last();
}

static const struct mpi_tool_hooks hooks = { .opened = opened, .closing = closing };

/* A thread of its own may call while others call MPI only if these have announced that they do. */
static int level(int required)
{
    int most = mpi_state_now() == MPI_STATE_INIT ? mpi_thread_level() : MPI_THREAD_SERIALIZED;
    int least = required < MPI_THREAD_SINGLE ? MPI_THREAD_SINGLE : required;
    return least < most ? least : most;
}

int PMPI_T_init_thread(int required, int *provided)
{
    if (!provided)
        return MPI_T_ERR_INVALID;
    *provided = level(required);
    mpi_tool_count();
    if (!mpi_tool_inside())     /* with the baton, and behind somebody's first call */
        mpi_library_tell(&hooks);
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(T_init_thread);

/* With the last user all that the interface has made goes. */
int PMPI_T_finalize(void)
{
    TOOL_ENTER();
    if (mpi_tool_inside())
        return MPI_T_ERR_NOT_ACCESSIBLE;
    mpi_tool_begin();
    if (mpi_tool_uncount()) {
        mpi_tool_objects_clear();
        mpi_tool_watch();
    }
    mpi_tool_end();
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(T_finalize);
