/* MPI_T_enum_get_info and MPI_T_enum_get_item: items are numbered from 0 and have their number as
 * value. */
#include "tool/enumeration.h"

#include <stdint.h>
#include <stdio.h>

#include "mpi/weak_alias.h"
#include "tool/cvar_list.h"
#include "tool/event_list.h"
#include "tool/tool.h"

enum { INDEX_BITS = 16, NAME_BYTES = 64 };

/* The item's name; false: there is no such item. */
typedef bool item_fn(unsigned index, unsigned item, char name[NAME_BYTES]);

static bool cvar_item(unsigned index, unsigned item, char name[NAME_BYTES])
{
    return mpi_tool_cvar_choice(index, item, name, NAME_BYTES);
}

static bool event_item(unsigned index, unsigned item, char name[NAME_BYTES])
{
    const char *text = mpi_tool_event_element(index, item);
    snprintf(name, NAME_BYTES, "%s", text ? text : "");
    return text;
}

static bool state_item(unsigned index, unsigned item, char name[NAME_BYTES])
{
    static const char *const states[] = { "before MPI_Init", "initialised", "finalised" };
    (void)index;
    bool there = item < sizeof states / sizeof *states;
    snprintf(name, NAME_BYTES, "%s", there ? states[item] : "");
    return there;
}

static const struct { const char *name; item_fn *item; } kinds[] = {
    [MPI_TOOL_ENUM_CVAR] = { "choice", cvar_item },
    [MPI_TOOL_ENUM_EVENT] = { "elements", event_item },
    [MPI_TOOL_ENUM_STATE] = { "state of MPI", state_item },
};

MPI_T_enum mpi_tool_enum(enum mpi_tool_enum_of which, unsigned index)
{
    return (MPI_T_enum)(uintptr_t)(((uintptr_t)which + 1) << INDEX_BITS | index);
}

/* False: it is no enumeration. */
static bool find(MPI_T_enum enumtype, unsigned *which, unsigned *index)
{
    char name[NAME_BYTES];
    uintptr_t bits = (uintptr_t)enumtype;
    *index = bits & ((1u << INDEX_BITS) - 1);
    *which = (unsigned)(bits >> INDEX_BITS) - 1;
    return bits >> INDEX_BITS && bits >> INDEX_BITS <= sizeof kinds / sizeof *kinds
           && kinds[*which].item(*index, 0, name);
}

int PMPI_T_enum_get_info(MPI_T_enum enumtype, int *num, char *name, int *name_len)
{
    char item[NAME_BYTES];
    unsigned which, index;
    int items = 0;
    TOOL_ENTER();
    if (!find(enumtype, &which, &index))
        return MPI_T_ERR_INVALID_HANDLE;
    while (kinds[which].item(index, (unsigned)items, item))
        items++;
    TOOL_GIVE(num, items);
    mpi_tool_string(kinds[which].name, name, name_len);
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(T_enum_get_info);

int PMPI_T_enum_get_item(MPI_T_enum enumtype, int indx, int *value, char *name, int *name_len)
{
    char item[NAME_BYTES];
    unsigned which, index;
    TOOL_ENTER();
    if (!find(enumtype, &which, &index))
        return MPI_T_ERR_INVALID_HANDLE;
    if (indx < 0 || !kinds[which].item(index, (unsigned)indx, item))
        return MPI_T_ERR_INVALID_INDEX;
    TOOL_GIVE(value, indx);
    mpi_tool_string(item, name, name_len);
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(T_enum_get_item);
