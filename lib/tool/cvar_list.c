/* What the table of variables says to a tool. */
#include "tool/cvar_list.h"

#include <stdio.h>
#include <string.h>

int mpi_tool_cvar_count(void)
{
    int n = 0;
    while (mpi_variable_at((unsigned)n))
        n++;
    return n;
}

/* All alternatives are words: capital letters and brackets stand for something else. */
enum mpi_tool_cvar_kind mpi_tool_cvar_kind(const struct nic_variable *v)
{
    static const char words[] = "abcdefghijklmnopqrstuvwxyz0123456789_|";
    if (!v->values || v->use == NIC_VARIABLE_RANK)
        return MPI_TOOL_CVAR_TEXT;
    if (!strcmp(v->values, "N"))
        return MPI_TOOL_CVAR_NUMBER;
    return strspn(v->values, words) == strlen(v->values) ? MPI_TOOL_CVAR_CHOICE
                                                         : MPI_TOOL_CVAR_TEXT;
}

bool mpi_tool_cvar_choice(unsigned index, unsigned item, char *word, size_t room)
{
    const struct nic_variable *v = mpi_variable_at(index);
    if (!v || mpi_tool_cvar_kind(v) != MPI_TOOL_CVAR_CHOICE)
        return false;
    snprintf(word, room, "default");
    const char *at = v->values;
    for (unsigned i = 1; i <= item; i++) {
        size_t bytes = strcspn(at, "|");
        if (!bytes)
            return false;
        snprintf(word, room, "%.*s", (int)bytes, at);
        at += bytes + (at[bytes] == '|');
    }
    return true;
}
