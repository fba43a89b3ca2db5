/* Categories: a tree, fixed, in which each variable and event type stands once.  Control variables
 * go by whom they are for, figures by the beginning of their names. */
#include <string.h>

#include "mpi/weak_alias.h"
#include "tool/cvar_list.h"
#include "tool/event_list.h"
#include "tool/pvar_value.h"
#include "tool/tool.h"

enum { ROOT, ENVIRONMENT, USER, TRIAL, RANK, JOB, NIC, MEMORY, FIRMWARE, MATCHING, PROTOCOLS,
       SENDING, COLLECTIVES, ONE_SIDED, DROPPED, CATEGORIES };

enum { BEGINNINGS = 8 };

static const struct category {
    const char *name, *text;
    int parent;                 /* -1: none */
    const char *begins[BEGINNINGS];     /* names of performance variables */
} categories[CATEGORIES] = {
    [ROOT] = { "mpilite", "all that this library shows", -1, { NULL } },
    [ENVIRONMENT] = { "environment", "variables of the environment", ROOT, { NULL } },
    [USER] = { "environment_user", "variables for users", ENVIRONMENT, { NULL } },
    [TRIAL] = { "environment_trial", "variables to look into a problem, and for tests", ENVIRONMENT,
                { NULL } },
    [RANK] = { "environment_rank", "variables that a launcher sets for each rank", ENVIRONMENT,
               { NULL } },
    [JOB] = { "job", "this process in its job", ROOT,
              { "mpi_state", "elapsed", "eager_limit", "sends_short_share" } },
    [NIC] = { "nic", "what the network interface did: packets, bytes, turns, sleeps", ROOT,
              { NULL } },
    [MEMORY] = { "nic_memory", "use of scratchpad and heap", NIC, { "scratchpad_", "heap" } },
    [FIRMWARE] = { "firmware", "what the firmware did with MPI's messages", ROOT, { NULL } },
    [MATCHING] = { "matching", "queues of receives and of messages, and searches of them", FIRMWARE,
                   { "matches", "misses", "posted_", "unexpected_", "cancels" } },
    [PROTOCOLS] = { "protocols", "how messages travelled", FIRMWARE,
                    { "eager_", "sync_sent", "rendezvous_", "bytes_staged", "slots_emptied",
                      "truncations", "copy_failures" } },
    [SENDING] = { "sending", "packets that had to wait, messages that were withdrawn", FIRMWARE,
                  { "send_", "sends_delayed", "sends_withdrawn", "messages_withdrawn" } },
    [COLLECTIVES] = { "collectives", "collective operations", FIRMWARE,
                      { "collectives_", "steps_" } },
    [ONE_SIDED] = { "one_sided", "short one-sided operations by packets", FIRMWARE,
                    { "one_sided_" } },
    [DROPPED] = { "dropped", "packets that were ignored", FIRMWARE, { "strays_" } },
};

/* -- who is in which */

static bool begins(const struct category *c, const char *name)
{
    for (int i = 0; i < BEGINNINGS && c->begins[i]; i++)
        if (!strncmp(name, c->begins[i], strlen(c->begins[i])))
            return true;
    return false;
}

/* The hardware's names are its own: none of them is looked for below the firmware. */
static int category_of_pvar(int index)
{
    struct mpi_tool_pvar p;
    mpi_tool_pvar(index, &p);
    if (index >= mpi_tool_pvars_figures())
        return JOB;
    if (index < mpi_tool_pvars_hardware())
        return begins(&categories[MEMORY], p.name) ? MEMORY : NIC;
    for (int i = MATCHING; i < CATEGORIES; i++)
        if (begins(&categories[i], p.name))
            return i;
    return FIRMWARE;
}

static bool has_pvar(int category, int index)
{
    return index < mpi_tool_pvar_count() && category_of_pvar(index) == category;
}

static bool has_cvar(int category, int index)
{
    static const int of[] = {
        [NIC_VARIABLE_USER] = USER, [NIC_VARIABLE_TRIAL] = TRIAL, [NIC_VARIABLE_RANK] = RANK,
    };
    return of[mpi_variable_at((unsigned)index)->use] == category;
}

static bool has_event(int category, int index)
{
    return !strcmp(mpi_tool_event(index)->category, categories[category].name);
}

static bool has_category(int category, int index)
{
    return categories[index].parent == category;
}

/* The members of a category among `all`; the first `room` of them go into `indices`. */
static int members(int category, int all, bool (*has)(int category, int index), int room,
                   int indices[])
{
    int n = 0;
    for (int i = 0; i < all; i++)
        if (has(category, i)) {
            if (n < room && indices)
                indices[n] = i;
            n++;
        }
    return n;
}

static bool is_category(int index) { return index >= 0 && index < CATEGORIES; }

/* -- the calls */

int PMPI_T_category_get_num(int *num_cat)
{
    TOOL_ENTER();
    if (!num_cat)
        return MPI_T_ERR_INVALID;
    *num_cat = CATEGORIES;
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(T_category_get_num);

int PMPI_T_category_get_info(int cat_index, char *name, int *name_len, char *desc, int *desc_len,
                             int *num_cvars, int *num_pvars, int *num_categories)
{
    TOOL_ENTER();
    if (!is_category(cat_index))
        return MPI_T_ERR_INVALID_INDEX;
    mpi_tool_string(categories[cat_index].name, name, name_len);
    mpi_tool_string(categories[cat_index].text, desc, desc_len);
    TOOL_GIVE(num_cvars, members(cat_index, mpi_tool_cvar_count(), has_cvar, 0, NULL));
    TOOL_GIVE(num_pvars, members(cat_index, mpi_tool_pvar_count(), has_pvar, 0, NULL));
    TOOL_GIVE(num_categories, members(cat_index, CATEGORIES, has_category, 0, NULL));
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(T_category_get_info);

int PMPI_T_category_get_num_events(int cat_index, int *num_events)
{
    TOOL_ENTER();
    if (!is_category(cat_index))
        return MPI_T_ERR_INVALID_INDEX;
    TOOL_GIVE(num_events, members(cat_index, FW_NOTICES, has_event, 0, NULL));
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(T_category_get_num_events);

int PMPI_T_category_get_index(const char *name, int *cat_index)
{
    TOOL_ENTER();
    if (!name || !cat_index)
        return MPI_T_ERR_INVALID;
    for (int i = 0; i < CATEGORIES; i++)
        if (!strcmp(categories[i].name, name)) {
            *cat_index = i;
            return MPI_SUCCESS;
        }
    return MPI_T_ERR_INVALID_NAME;
}
MPI_WEAK_ALIAS(T_category_get_index);

static int give_members(int category, int all, bool (*has)(int category, int index), int room,
                        int indices[])
{
    if (!is_category(category))
        return MPI_T_ERR_INVALID_INDEX;
    if (room < 0 || (room > 0 && !indices))
        return MPI_T_ERR_INVALID;
    members(category, all, has, room, indices);
    return MPI_SUCCESS;
}

int PMPI_T_category_get_cvars(int cat_index, int len, int indices[])
{
    TOOL_ENTER();
    return give_members(cat_index, mpi_tool_cvar_count(), has_cvar, len, indices);
}
MPI_WEAK_ALIAS(T_category_get_cvars);

int PMPI_T_category_get_pvars(int cat_index, int len, int indices[])
{
    TOOL_ENTER();
    return give_members(cat_index, mpi_tool_pvar_count(), has_pvar, len, indices);
}
MPI_WEAK_ALIAS(T_category_get_pvars);

int PMPI_T_category_get_events(int cat_index, int len, int indices[])
{
    TOOL_ENTER();
    return give_members(cat_index, FW_NOTICES, has_event, len, indices);
}
MPI_WEAK_ALIAS(T_category_get_events);

int PMPI_T_category_get_categories(int cat_index, int len, int indices[])
{
    TOOL_ENTER();
    return give_members(cat_index, CATEGORIES, has_category, len, indices);
}
MPI_WEAK_ALIAS(T_category_get_categories);

/* All is there from the beginning, and stays. */
int PMPI_T_category_changed(int *update_number)
{
    TOOL_ENTER();
    if (!update_number)
        return MPI_T_ERR_INVALID;
    *update_number = 0;
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(T_category_changed);
