/* The error classes, and what they mean in words. */
#include "core/err_text.h"

#include <stddef.h>

#include "mpi.h"

struct err_class { const char *name, *text; };

#define CLASS(class, words) [class] = { #class, words }

static const struct err_class classes[] = {
    CLASS(MPI_SUCCESS, "no error"),
    CLASS(MPI_ERR_BUFFER, "invalid buffer"),
    CLASS(MPI_ERR_COUNT, "invalid count"),
    CLASS(MPI_ERR_TYPE, "invalid datatype"),
    CLASS(MPI_ERR_TAG, "invalid tag"),
    CLASS(MPI_ERR_COMM, "invalid communicator"),
    CLASS(MPI_ERR_RANK, "invalid rank"),
    CLASS(MPI_ERR_REQUEST, "invalid request"),
    CLASS(MPI_ERR_ROOT, "invalid root"),
    CLASS(MPI_ERR_GROUP, "invalid group"),
    CLASS(MPI_ERR_OP, "invalid reduction operation"),
    CLASS(MPI_ERR_TOPOLOGY, "invalid topology"),
    CLASS(MPI_ERR_DIMS, "invalid dimensions"),
    CLASS(MPI_ERR_ARG, "invalid argument"),
    CLASS(MPI_ERR_UNKNOWN, "unknown error"),
    CLASS(MPI_ERR_TRUNCATE, "message longer than the receive buffer"),
    CLASS(MPI_ERR_OTHER, "other error"),
    CLASS(MPI_ERR_INTERN, "internal error of the library"),
    CLASS(MPI_ERR_PENDING, "operation not yet complete"),
    CLASS(MPI_ERR_IN_STATUS, "error code is in the status"),
    CLASS(MPI_ERR_ACCESS, "permission denied"),
    CLASS(MPI_ERR_AMODE, "invalid access mode"),
    CLASS(MPI_ERR_ASSERT, "invalid assertion"),
    CLASS(MPI_ERR_BAD_FILE, "invalid file name"),
    CLASS(MPI_ERR_BASE, "invalid base address"),
    CLASS(MPI_ERR_CONVERSION, "error in a data conversion function"),
    CLASS(MPI_ERR_DISP, "invalid displacement"),
    CLASS(MPI_ERR_DUP_DATAREP, "data representation already defined"),
    CLASS(MPI_ERR_FILE_EXISTS, "file exists"),
    CLASS(MPI_ERR_FILE_IN_USE, "file in use"),
    CLASS(MPI_ERR_FILE, "invalid file"),
    CLASS(MPI_ERR_INFO_KEY, "invalid info key"),
    CLASS(MPI_ERR_INFO_NOKEY, "info key not found"),
    CLASS(MPI_ERR_INFO_VALUE, "invalid info value"),
    CLASS(MPI_ERR_INFO, "invalid info object"),
    CLASS(MPI_ERR_IO, "input or output error"),
    CLASS(MPI_ERR_KEYVAL, "invalid attribute key"),
    CLASS(MPI_ERR_LOCKTYPE, "invalid type of lock"),
    CLASS(MPI_ERR_NAME, "service name not published"),
    CLASS(MPI_ERR_NO_MEM, "out of memory"),
    CLASS(MPI_ERR_NOT_SAME, "argument differs between ranks"),
    CLASS(MPI_ERR_NO_SPACE, "no space left"),
    CLASS(MPI_ERR_NO_SUCH_FILE, "no such file"),
    CLASS(MPI_ERR_PORT, "invalid port name"),
    CLASS(MPI_ERR_QUOTA, "quota exceeded"),
    CLASS(MPI_ERR_READ_ONLY, "read-only file or file system"),
    CLASS(MPI_ERR_RMA_ATTACH, "memory cannot be attached"),
    CLASS(MPI_ERR_RMA_CONFLICT, "conflicting accesses to a window"),
    CLASS(MPI_ERR_RMA_RANGE, "access outside the window"),
    CLASS(MPI_ERR_RMA_SHARED, "memory cannot be shared"),
    CLASS(MPI_ERR_RMA_SYNC, "wrong synchronisation of one-sided calls"),
    CLASS(MPI_ERR_SERVICE, "service name cannot be withdrawn"),
    CLASS(MPI_ERR_SIZE, "invalid size"),
    CLASS(MPI_ERR_SPAWN, "processes cannot be started"),
    CLASS(MPI_ERR_UNSUPPORTED_DATAREP, "unsupported data representation"),
    CLASS(MPI_ERR_UNSUPPORTED_OPERATION, "unsupported operation"),
    CLASS(MPI_ERR_WIN, "invalid window"),
    CLASS(MPI_ERR_RMA_FLAVOR, "wrong flavour of window"),
    CLASS(MPI_ERR_PROC_ABORTED, "a process aborted"),
    CLASS(MPI_ERR_VALUE_TOO_LARGE, "value too large for its type"),
    CLASS(MPI_ERR_SESSION, "invalid session"),
    CLASS(MPI_ERR_ERRHANDLER, "invalid error handler"),
    CLASS(MPI_ERR_ABI, "mismatch of binary interfaces"),
};

/* Those of the tool interface, which returns them and calls no handler. */
#define TOOL(class, words) [class - MPI_T_ERR_CANNOT_INIT] = { #class, words }

static const struct err_class tool_classes[] = {
    TOOL(MPI_T_ERR_CANNOT_INIT, "the tool interface cannot be initialised"),
    TOOL(MPI_T_ERR_NOT_ACCESSIBLE, "not accessible now"),
    TOOL(MPI_T_ERR_NOT_INITIALIZED, "the tool interface is not initialised"),
    TOOL(MPI_T_ERR_NOT_SUPPORTED, "not supported"),
    TOOL(MPI_T_ERR_MEMORY, "out of memory"),
    TOOL(MPI_T_ERR_INVALID, "invalid use of the tool interface"),
    TOOL(MPI_T_ERR_INVALID_INDEX, "no variable, category, event or source of this index"),
    TOOL(MPI_T_ERR_INVALID_ITEM, "no item of this index"),
    TOOL(MPI_T_ERR_INVALID_SESSION, "invalid session of performance variables"),
    TOOL(MPI_T_ERR_INVALID_HANDLE, "invalid handle of the tool interface"),
    TOOL(MPI_T_ERR_INVALID_NAME, "no variable, category or event of this name"),
    TOOL(MPI_T_ERR_OUT_OF_HANDLES, "no more handles"),
    TOOL(MPI_T_ERR_OUT_OF_SESSIONS, "no more sessions"),
    TOOL(MPI_T_ERR_CVAR_SET_NOT_NOW, "the control variable cannot be set now"),
    TOOL(MPI_T_ERR_CVAR_SET_NEVER, "the control variable cannot be set here"),
    TOOL(MPI_T_ERR_PVAR_NO_WRITE, "the performance variable cannot be written or reset"),
    TOOL(MPI_T_ERR_PVAR_NO_STARTSTOP, "the performance variable cannot be started or stopped"),
    TOOL(MPI_T_ERR_PVAR_NO_ATOMIC, "the performance variable cannot be read and reset at once"),
};

enum {
    CLASSES = sizeof classes / sizeof classes[0],
    TOOL_CLASSES = sizeof tool_classes / sizeof tool_classes[0],
    TOOL_FIRST = MPI_T_ERR_CANNOT_INIT
};

static const struct err_class *find(int class)
{
    if (class >= TOOL_FIRST && class < TOOL_FIRST + TOOL_CLASSES)
        return &tool_classes[class - TOOL_FIRST];
    return class >= 0 && class < CLASSES ? &classes[class] : NULL;
}

const char *mpi_err_name(int class)
{
    const struct err_class *c = find(class);
    return c ? c->name : NULL;
}

const char *mpi_err_text(int class)
{
    const struct err_class *c = find(class);
    return c ? c->text : NULL;
}
