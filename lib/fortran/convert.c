/* Arrays, strings and the addresses that are none. */
#include <string.h>
#include "fortran/convert.h"

/* Aligned as common blocks are. */
#define EXPORTED __attribute__((visibility("default"), aligned(32)))

/* A program that includes mpif.h or uses a module has common blocks of these names, and the linker
 * makes them one with these. */
EXPORTED int mpilite_bottom_, mpilite_in_place_, mpilite_buffer_automatic_;
EXPORTED int mpilite_unweighted_, mpilite_weights_empty_;
EXPORTED int mpilite_status_ignore_[MPI_F_STATUS_SIZE], mpilite_statuses_ignore_[MPI_F_STATUS_SIZE];

int mpif_no_memory(void)
{
    PMPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_NO_MEM);
    return MPI_ERR_NO_MEM;
}

/* -- arrays of handles ------------------------------------------------------------------------- */

static void *room(MPI_Count n, size_t size, void *few)
{
    if (few && n <= MPIF_FEW)
        return few;
    return malloc(n > 0 ? (size_t)n * size : size);
}

#define HANDLES(type, name, null) \
    MPI_##type *mpif_##type##_array(const int *from, MPI_Count n, MPI_##type *few) \
    { \
        MPI_##type *handles = room(n, sizeof *handles, few); \
        for (MPI_Count i = 0; handles && i < n; i++) \
            handles[i] = from ? PMPI_##name##_fromint(from[i]) : null; \
        return handles; \
    } \
    void mpif_##type##_back(int *to, MPI_Count n, const MPI_##type *handles) \
    { \
        for (MPI_Count i = 0; handles && i < n; i++) \
            to[i] = PMPI_##name##_toint(handles[i]); \
    } \
    void mpif_##type##_given(int *to, MPI_Count n, const MPI_##type *handles) \
    { \
        for (MPI_Count i = 0; handles && i < n; i++) \
            if (handles[i] != null) \
                to[i] = PMPI_##name##_toint(handles[i]); \
    } \
    _Static_assert(sizeof(MPI_##type) == sizeof(void *), "handles are pointers")

HANDLES(Request, Request, MPI_REQUEST_NULL);
HANDLES(Datatype, Type, MPI_DATATYPE_NULL);

/* -- strings ----------------------------------------------------------------------------------- */

const char *mpif_text(struct mpif_text *text, const char *from, size_t length, bool stripped)
{
    while (length > 0 && from[length - 1] == ' ')
        length--;
    while (stripped && length > 0 && *from == ' ')
        from++, length--;
    text->copy = length < sizeof text->few ? text->few : malloc(length + 1);
    if (!text->copy)
        return NULL;
    memcpy(text->copy, from, length);
    text->copy[length] = 0;
    return text->copy;
}

void mpif_text_free(struct mpif_text *text)
{
    if (text->copy != text->few)
        free(text->copy);
}

void mpif_pad(char *to, size_t length, const char *from)
{
    size_t n = strlen(from);

    n = n < length ? n : length;
    memcpy(to, from, n);
    memset(to + n, ' ', length - n);
}

char *mpif_room(int length)
{
    return calloc(1, length > 0 ? (size_t)length + 1 : 1);
}
