/* Event types, and registrations for them. */
#include <string.h>

#include "core/info.h"
#include "mpi/weak_alias.h"
#include "tool/enumeration.h"
#include "tool/event_list.h"
#include "tool/raise.h"
#include "tool/registration.h"
#include "tool/tool.h"

/* -- types */

int PMPI_T_event_get_num(int *num_events)
{
    TOOL_ENTER();
    if (!num_events)
        return MPI_T_ERR_INVALID;
    *num_events = FW_NOTICES;
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(T_event_get_num);

/* The elements, as far as there is room. */
static void give_elements(const struct mpi_tool_event *e, MPI_Datatype types[], MPI_Aint places[],
                          int *room)
{
    int item = 0, which;
    if (!room)
        return;
    for (; (which = mpi_tool_event_which(e, (unsigned)item)) >= 0; item++) {
        if (types && item < *room)
            types[item] = mpi_tool_element_type((enum mpi_tool_element)which);
        if (places && item < *room)
            places[item] = (MPI_Aint)mpi_tool_event_place(e, (unsigned)item);
    }
    *room = item;
}

int PMPI_T_event_get_info(int event_index, char *name, int *name_len, int *verbosity,
                          MPI_Datatype array_of_datatypes[], MPI_Aint array_of_displacements[],
                          int *num_elements, MPI_T_enum *enumtype, MPI_Info *info, char *desc,
                          int *desc_len, int *bind)
{
    TOOL_ENTER();
    const struct mpi_tool_event *e = mpi_tool_event(event_index);
    if (!e)
        return MPI_T_ERR_INVALID_INDEX;
    if (info && (*info = mpi_info_new()) == MPI_INFO_NULL)
        return MPI_T_ERR_MEMORY;
    mpi_tool_string(e->name, name, name_len);
    mpi_tool_string(e->text, desc, desc_len);
    give_elements(e, array_of_datatypes, array_of_displacements, num_elements);
    TOOL_GIVE(verbosity, MPI_T_VERBOSITY_TUNER_DETAIL);
    TOOL_GIVE(enumtype, mpi_tool_enum(MPI_TOOL_ENUM_EVENT, (unsigned)event_index));
    TOOL_GIVE(bind, MPI_T_BIND_NO_OBJECT);
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(T_event_get_info);

int PMPI_T_event_get_index(const char *name, int *event_index)
{
    const struct mpi_tool_event *e;
    TOOL_ENTER();
    if (!name || !event_index)
        return MPI_T_ERR_INVALID;
    for (int i = 0; (e = mpi_tool_event(i)); i++)
        if (!strcmp(e->name, name)) {
            *event_index = i;
            return MPI_SUCCESS;
        }
    return MPI_T_ERR_INVALID_NAME;
}
MPI_WEAK_ALIAS(T_event_get_index);

/* -- registrations */

int PMPI_T_event_handle_alloc(int event_index, void *obj_handle, MPI_Info info,
                              MPI_T_event_registration *event_registration)
{
    (void)obj_handle;       /* none is bound to an object */
    (void)info;             /* there are no hints */
    TOOL_ENTER();
    if (!mpi_tool_event(event_index))
        return MPI_T_ERR_INVALID_INDEX;
    if (!event_registration)
        return MPI_T_ERR_INVALID;
    mpi_tool_begin();
    struct mpi_tool_registration *r = mpi_tool_object_new(MPI_TOOL_REGISTRATION, sizeof *r);
    if (r) {
        r->event = event_index;
        *event_registration = (MPI_T_event_registration)r->object.handle;
        mpi_tool_watch();
    }
    mpi_tool_end();
    return r ? MPI_SUCCESS : MPI_T_ERR_OUT_OF_HANDLES;
}
MPI_WEAK_ALIAS(T_event_handle_alloc);

int PMPI_T_event_register_callback(MPI_T_event_registration event_registration,
                                   MPI_T_cb_safety cb_safety, MPI_Info info, void *user_data,
                                   MPI_T_event_cb_function event_cb_function)
{
    int level = mpi_tool_level(cb_safety);
    (void)info;
    TOOL_ENTER();
    if (level < 0)
        return MPI_T_ERR_INVALID;
    mpi_tool_begin();
    struct mpi_tool_registration *r = mpi_tool_registration(event_registration);
    if (r) {
        r->callback[level].fn = event_cb_function;
        r->callback[level].data = user_data;
    }
    mpi_tool_end();
    return r ? MPI_SUCCESS : MPI_T_ERR_INVALID_HANDLE;
}
MPI_WEAK_ALIAS(T_event_register_callback);

int PMPI_T_event_set_dropped_handler(MPI_T_event_registration event_registration,
                                     MPI_T_event_dropped_cb_function dropped_cb_function)
{
    TOOL_ENTER();
    mpi_tool_begin();
    struct mpi_tool_registration *r = mpi_tool_registration(event_registration);
    if (r) {
        r->on_dropped = dropped_cb_function;
        r->dropped = 0;
    }
    mpi_tool_end();
    return r ? MPI_SUCCESS : MPI_T_ERR_INVALID_HANDLE;
}
MPI_WEAK_ALIAS(T_event_set_dropped_handler);

/* In a callback: it goes when all callbacks of the event are over. */
int PMPI_T_event_handle_free(MPI_T_event_registration event_registration, void *user_data,
                             MPI_T_event_free_cb_function free_cb_function)
{
    struct mpi_tool_registration ended = { .over = false };
    TOOL_ENTER();
    mpi_tool_begin();
    struct mpi_tool_registration *r = mpi_tool_registration(event_registration);
    if (r) {
        r->over = true;
        r->on_freed = free_cb_function;
        r->freed_data = user_data;
    }
    if (r && !mpi_tool_inside()) {
        ended = mpi_tool_registration_end(r);
        mpi_tool_watch();
    }
    mpi_tool_end();
    mpi_tool_registration_tell(&ended, MPI_T_CB_REQUIRE_NONE);
    return r ? MPI_SUCCESS : MPI_T_ERR_INVALID_HANDLE;
}
MPI_WEAK_ALIAS(T_event_handle_free);

/* -- hints: there are none, so that nothing is set, and what is asked for is empty */

static int check_registration(MPI_T_event_registration handle)
{
    mpi_tool_begin();
    bool there = mpi_tool_registration(handle);
    mpi_tool_end();
    return there ? MPI_SUCCESS : MPI_T_ERR_INVALID_HANDLE;
}

static int check_callback(MPI_T_event_registration handle, MPI_T_cb_safety cb_safety)
{
    int level = mpi_tool_level(cb_safety);
    if (level < 0)
        return MPI_T_ERR_INVALID;
    mpi_tool_begin();
    const struct mpi_tool_registration *r = mpi_tool_registration(handle);
    bool there = r && r->callback[level].fn;
    mpi_tool_end();
    return there ? MPI_SUCCESS : MPI_T_ERR_INVALID_HANDLE;
}

static int give_hints(int rc, MPI_Info *info)
{
    if (rc)
        return rc;
    if (!info)
        return MPI_T_ERR_INVALID;
    *info = mpi_info_new();
    return *info == MPI_INFO_NULL ? MPI_T_ERR_MEMORY : MPI_SUCCESS;
}

int PMPI_T_event_handle_set_info(MPI_T_event_registration event_registration, MPI_Info info)
{
    (void)info;
    TOOL_ENTER();
    return check_registration(event_registration);
}
MPI_WEAK_ALIAS(T_event_handle_set_info);

int PMPI_T_event_handle_get_info(MPI_T_event_registration event_registration, MPI_Info *info_used)
{
    TOOL_ENTER();
    return give_hints(check_registration(event_registration), info_used);
}
MPI_WEAK_ALIAS(T_event_handle_get_info);

int PMPI_T_event_callback_set_info(MPI_T_event_registration event_registration,
                                   MPI_T_cb_safety cb_safety, MPI_Info info)
{
    (void)info;
    TOOL_ENTER();
    return check_callback(event_registration, cb_safety);
}
MPI_WEAK_ALIAS(T_event_callback_set_info);

int PMPI_T_event_callback_get_info(MPI_T_event_registration event_registration,
                                   MPI_T_cb_safety cb_safety, MPI_Info *info_used)
{
    TOOL_ENTER();
    return give_hints(check_callback(event_registration, cb_safety), info_used);
}
MPI_WEAK_ALIAS(T_event_callback_get_info);
