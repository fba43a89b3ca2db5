/* Two sources, one for each clock: a job has one of them.  Ticks of the live clock are nanoseconds,
 * as MPI_Wtime counts them; those of the model clock picoseconds. */
#include "tool/source.h"

#include <time.h>

#include "core/info.h"
#include "core/world.h"
#include "mpi/weak_alias.h"
#include "tool/tool.h"

enum { LIVE, MODEL, SOURCES };

/* What a handler does may be later than what the next one does for another packet. */
static const struct {
    const char *name, *text;
    MPI_T_source_order order;
    MPI_Count ticks;
} sources[SOURCES] = {
    [LIVE] = { "live", "the firmware of this rank, on the system's monotonic clock",
               MPI_T_SOURCE_ORDERED, 1000000000 },
    [MODEL] = { "model", "the firmware of this rank, on the model clock", MPI_T_SOURCE_UNORDERED,
                1000000000000 },
};

int mpi_tool_source(void) { return mpi_modelled ? MODEL : LIVE; }

MPI_Count mpi_tool_ticks(void) { return sources[mpi_tool_source()].ticks; }

static MPI_Count live_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (MPI_Count)t.tv_sec * sources[LIVE].ticks + t.tv_nsec;
}

MPI_Count mpi_tool_now(void)
{
    if (!mpi_modelled)
        return live_now();
    return mpi_tool_nic() ? (MPI_Count)nic_moment(mpi_tool_nic()) : 0;
}

int PMPI_T_source_get_num(int *num_sources)
{
    TOOL_ENTER();
    if (!num_sources)
        return MPI_T_ERR_INVALID;
    *num_sources = SOURCES;
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(T_source_get_num);

int PMPI_T_source_get_info(int source_index, char *name, int *name_len, char *desc, int *desc_len,
                           MPI_T_source_order *ordering, MPI_Count *ticks_per_second,
                           MPI_Count *max_ticks, MPI_Info *info)
{
    TOOL_ENTER();
    if (source_index < 0 || source_index >= SOURCES)
        return MPI_T_ERR_INVALID_INDEX;
    if (info && (*info = mpi_info_new()) == MPI_INFO_NULL)
        return MPI_T_ERR_MEMORY;
    mpi_tool_string(sources[source_index].name, name, name_len);
    mpi_tool_string(sources[source_index].text, desc, desc_len);
    TOOL_GIVE(ordering, sources[source_index].order);
    TOOL_GIVE(ticks_per_second, sources[source_index].ticks);
    TOOL_GIVE(max_ticks, INT64_MAX);
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(T_source_get_info);

/* Of the clock that the job has. */
int PMPI_T_source_get_timestamp(int source_index, MPI_Count *timestamp)
{
    TOOL_ENTER();
    if (source_index < 0 || source_index >= SOURCES)
        return MPI_T_ERR_INVALID_INDEX;
    if (!timestamp)
        return MPI_T_ERR_INVALID;
    if (source_index == LIVE) {
        *timestamp = live_now();
        return MPI_SUCCESS;
    }
    mpi_tool_begin();
    bool there = mpi_modelled && mpi_tool_nic();
    if (there)
        *timestamp = mpi_tool_now();
    mpi_tool_end();
    return there ? MPI_SUCCESS : MPI_T_ERR_NOT_SUPPORTED;
}
MPI_WEAK_ALIAS(T_source_get_timestamp);
