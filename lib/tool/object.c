/* A list of all objects; their handles are in the library's table. */
#include "tool/object.h"

#include <stdlib.h>

#include "core/handle.h"

static struct mpi_tool_object *objects;

void *mpi_tool_object_new(enum mpi_tool_kind kind, size_t bytes)
{
    struct mpi_tool_object *o = calloc(1, bytes);
    uintptr_t handle = o ? mpi_handle_new(MPI_KIND_TOOL, o) : 0;
    if (!handle) {
        free(o);
        return NULL;
    }
    *o = (struct mpi_tool_object){ .kind = kind, .handle = handle, .next = objects };
    return objects = o;
}

void *mpi_tool_object(enum mpi_tool_kind kind, const void *handle)
{
    struct mpi_tool_object *o = mpi_handle_get(MPI_KIND_TOOL, (uintptr_t)handle);
    return o && o->kind == kind ? o : NULL;
}

void mpi_tool_object_free(struct mpi_tool_object *o)
{
    struct mpi_tool_object **place = &objects;
    while (*place != o)
        place = &(*place)->next;
    *place = o->next;
    mpi_handle_free(o->handle);
    free(o);
}

void *mpi_tool_object_next(enum mpi_tool_kind kind, const struct mpi_tool_object *after)
{
    struct mpi_tool_object *o = after ? after->next : objects;
    while (o && o->kind != kind)
        o = o->next;
    return o;
}

void mpi_tool_objects_clear(void)
{
    while (objects)
        mpi_tool_object_free(objects);
}
