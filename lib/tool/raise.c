/* Raises events, with the baton: at once, by whoever is at work, the rank's own thread in a call or
 * its NIC's thread.  A callback must be fit for that: else the event is dropped, and counted. */
#include "tool/raise.h"

#include "core/world.h"
#include "mpi/weak_alias.h"
#include "tool/event_list.h"
#include "tool/registration.h"
#include "tool/source.h"
#include "tool/tool.h"

struct MPI_T_event_instance_t {
    const struct mpi_tool_event *event;
    const struct fw_notice *notice;
    MPI_Count time;
};

/* The event of which a callback runs on this thread; NULL: none. */
static _Thread_local const struct MPI_T_event_instance_t *raised;

/* -- raising */

/* What a callback must be fit for just now. */
static int level_now(void)
{
    return mpi_tool_level(nic_by_thread(mpi_tool_nic()) ? MPI_T_CB_REQUIRE_THREAD_SAFE
                                                 : MPI_T_CB_REQUIRE_MPI_RESTRICTED);
}

/* The lowest one that will do; -1: there is none. */
static int callback_for(const struct mpi_tool_registration *r, int level)
{
    while (level < MPI_TOOL_LEVELS && !r->callback[level].fn)
        level++;
    return level < MPI_TOOL_LEVELS ? level : -1;
}

static struct mpi_tool_registration *next(const struct mpi_tool_registration *r)
{
    return mpi_tool_registration_next(r);
}

/* Before another event of the source is raised. */
static void tell_dropped(int level)
{
    for (struct mpi_tool_registration *r = next(NULL); r; r = next(r)) {
        int with = r->dropped && r->on_dropped ? callback_for(r, level) : -1;
        MPI_Count count = r->dropped;
        if (with < 0 || r->over)
            continue;
        r->dropped = 0;
        r->on_dropped(count, mpi_tool_registration_handle(r), mpi_tool_source(),
                      mpi_tool_safety(level), r->callback[with].data);
    }
}

static void call(struct mpi_tool_registration *r, MPI_T_event_instance instance, int level)
{
    int with = callback_for(r, level);
    if (with >= 0)
        r->callback[with].fn(instance, mpi_tool_registration_handle(r), mpi_tool_safety(level),
                             r->callback[with].data);
    else if (r->on_dropped && r->dropped < INT64_MAX)
        r->dropped++;
}

/* What callbacks have freed. */
static void sweep(int level)
{
    for (struct mpi_tool_registration *r = next(NULL), *after; r; r = after) {
        after = next(r);
        if (!r->over)
            continue;
        struct mpi_tool_registration ended = mpi_tool_registration_end(r);
        mpi_tool_watch();
        mpi_tool_registration_tell(&ended, mpi_tool_safety(level));
    }
}

/* The firmware's watcher.  Nothing that a callback does is an event itself. */
static void raise_event(enum fw_notice_kind kind, const struct fw_notice *notice)
{
    struct MPI_T_event_instance_t instance = {
        .event = mpi_tool_event((int)kind), .notice = notice, .time = mpi_tool_now(),
    };
    int level = level_now();
    raised = &instance;
    mpi_tool_set_inside(true);
    tell_dropped(level);
    for (struct mpi_tool_registration *r = next(NULL); r; r = next(r))
        if (r->event == (int)kind && !r->over)
            call(r, &instance, level);
    raised = NULL;
    sweep(level);
    mpi_tool_set_inside(false);
}

void mpi_tool_watch(void)
{
    if (mpi_tool_nic())
        mpi_fw_watch(mpi_fw, next(NULL) ? raise_event : NULL);
}

/* -- what a callback asks: any level may, so these take no lock */

static bool is_raised(MPI_T_event_instance instance) { return instance && instance == raised; }

int PMPI_T_event_read(MPI_T_event_instance event_instance, int element_index, void *buffer)
{
    TOOL_ENTER();
    if (!is_raised(event_instance))
        return MPI_T_ERR_INVALID_HANDLE;
    int which = element_index < 0 ? -1
                : mpi_tool_event_which(raised->event, (unsigned)element_index);
    if (which < 0)
        return MPI_T_ERR_INVALID_INDEX;
    if (!buffer)
        return MPI_T_ERR_INVALID;
    mpi_tool_element_give((enum mpi_tool_element)which, raised->notice, buffer);
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(T_event_read);

int PMPI_T_event_copy(MPI_T_event_instance event_instance, void *buffer)
{
    TOOL_ENTER();
    if (!is_raised(event_instance))
        return MPI_T_ERR_INVALID_HANDLE;
    if (!buffer)
        return MPI_T_ERR_INVALID;
    for (unsigned i = 0; ; i++) {
        int which = mpi_tool_event_which(raised->event, i);
        if (which < 0)
            return MPI_SUCCESS;
        char *place = (char *)buffer + mpi_tool_event_place(raised->event, i);
        mpi_tool_element_give((enum mpi_tool_element)which, raised->notice, place);
    }
}
MPI_WEAK_ALIAS(T_event_copy);

int PMPI_T_event_get_timestamp(MPI_T_event_instance event_instance, MPI_Count *event_timestamp)
{
    TOOL_ENTER();
    if (!is_raised(event_instance))
        return MPI_T_ERR_INVALID_HANDLE;
    TOOL_GIVE(event_timestamp, raised->time);
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(T_event_get_timestamp);

int PMPI_T_event_get_source(MPI_T_event_instance event_instance, int *source_index)
{
    TOOL_ENTER();
    if (!is_raised(event_instance))
        return MPI_T_ERR_INVALID_HANDLE;
    TOOL_GIVE(source_index, mpi_tool_source());
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(T_event_get_source);
