/* Registrations as objects, and the levels of safety of their callbacks. */
#include "tool/registration.h"

static const MPI_T_cb_safety levels[MPI_TOOL_LEVELS] = {
    MPI_T_CB_REQUIRE_NONE, MPI_T_CB_REQUIRE_MPI_RESTRICTED, MPI_T_CB_REQUIRE_THREAD_SAFE,
    MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE,
};

int mpi_tool_level(MPI_T_cb_safety safety)
{
    for (int i = 0; i < MPI_TOOL_LEVELS; i++)
        if (levels[i] == safety)
            return i;
    return -1;
}

MPI_T_cb_safety mpi_tool_safety(int level) { return levels[level]; }

struct mpi_tool_registration *mpi_tool_registration(MPI_T_event_registration handle)
{
    struct mpi_tool_registration *r = mpi_tool_object(MPI_TOOL_REGISTRATION, handle);
    return r && !r->over ? r : NULL;
}

struct mpi_tool_registration *mpi_tool_registration_next(const struct mpi_tool_registration *r)
{
    return mpi_tool_object_next(MPI_TOOL_REGISTRATION, r ? &r->object : NULL);
}

MPI_T_event_registration mpi_tool_registration_handle(const struct mpi_tool_registration *r)
{
    return (MPI_T_event_registration)r->object.handle;
}

struct mpi_tool_registration mpi_tool_registration_end(struct mpi_tool_registration *r)
{
    struct mpi_tool_registration ended = *r;
    mpi_tool_object_free(&r->object);
    return ended;
}

void mpi_tool_registration_tell(const struct mpi_tool_registration *ended, MPI_T_cb_safety safety)
{
    if (ended->on_freed)
        ended->on_freed(mpi_tool_registration_handle(ended), safety, ended->freed_data);
}
