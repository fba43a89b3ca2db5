/* What the tool interface hands out handles of.  See tool.h for who may look and change. */
#ifndef TOOL_OBJECT_H
#define TOOL_OBJECT_H

#include <stddef.h>
#include <stdint.h>

enum mpi_tool_kind {
    MPI_TOOL_CVAR, MPI_TOOL_PVAR_SESSION, MPI_TOOL_PVAR, MPI_TOOL_REGISTRATION
};

/* The first member of each. */
struct mpi_tool_object {
    enum mpi_tool_kind kind;
    uintptr_t handle;
    struct mpi_tool_object *next;       /* of all that are there, newest first */
};

/* A new one of so many bytes, all zero behind the first member; NULL: no memory. */
void *mpi_tool_object_new(enum mpi_tool_kind kind, size_t bytes);
/* NULL: the handle is none of this kind. */
void *mpi_tool_object(enum mpi_tool_kind kind, const void *handle);
void mpi_tool_object_free(struct mpi_tool_object *object);
/* The first of this kind behind `after`, NULL: of all. */
void *mpi_tool_object_next(enum mpi_tool_kind kind, const struct mpi_tool_object *after);
void mpi_tool_objects_clear(void);

#endif
