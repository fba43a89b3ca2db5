/* The control variables: those of the environment that the library reads, by their names. */
#ifndef TOOL_CVAR_LIST_H
#define TOOL_CVAR_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/variables.h"
#include "nicemu/variables.h"

/* What its value is to a tool: one of several words, by number (0: the library's own choice); a
 * number, -1: the library's own choice; characters. */
enum mpi_tool_cvar_kind { MPI_TOOL_CVAR_CHOICE, MPI_TOOL_CVAR_NUMBER, MPI_TOOL_CVAR_TEXT };

enum { MPI_TOOL_CVAR_TEXT_BYTES = 1024 };

int mpi_tool_cvar_count(void);
enum mpi_tool_cvar_kind mpi_tool_cvar_kind(const struct nic_variable *v);

/* The word for choice `item` of the variable with this index; false: there is none, or the variable
 * is no choice. */
bool mpi_tool_cvar_choice(unsigned index, unsigned item, char *word, size_t room);

#endif
