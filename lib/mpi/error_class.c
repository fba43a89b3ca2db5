/* What an error code means: its class and its text; those of the program's own. */
#include <stdio.h>
#include <string.h>

#include "core/err.h"
#include "core/err_text.h"
#include "core/err_user.h"
#include "mpi/weak_alias.h"

static int no_code(const char *call, int code)
{
    return mpi_err(NULL, call, MPI_ERR_ARG, "%d is no error code", code);
}

int PMPI_Error_class(int errorcode, int *errorclass)
{
    const char *call = "MPI_Error_class";
    int class = mpi_err_class(errorcode);
    if (class < 0)
        return no_code(call, errorcode);
    if (!errorclass)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the address for the class is NULL");
    *errorclass = class;
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Error_class);

/* "MPI_ERR_TAG: invalid tag (MPI_Send: the tag is -5)", as far as there is room.  The program's own
 * codes have its own texts. */
static void add_reason(int code, char *text, size_t size)
{
    const char *reason = mpi_err_name(code) ? mpi_err_reason(code) : NULL;
    const size_t used = strlen(text);
    if (reason)
        snprintf(text + used, size - used, " (%s)", reason);
}

int PMPI_Error_string(int errorcode, char *string, int *resultlen)
{
    const char *call = "MPI_Error_string";
    char text[MPI_MAX_ERROR_STRING];
    if (!mpi_err_string(errorcode, text, sizeof text))
        return no_code(call, errorcode);
    add_reason(errorcode, text, sizeof text);
    if (!string || !resultlen)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the address for the text or its length is NULL");
    *resultlen = (int)strlen(text);
    memcpy(string, text, (size_t)*resultlen + 1);
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Error_string);

/* -- of the program's own */

/* class 0: a new class. */
static int add(const char *call, int class, int *number)
{
    if (!number)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the address for the number is NULL");
    int added = mpi_err_user_add(class);
    if (!added)
        return mpi_err(NULL, call, MPI_ERR_NO_MEM, "no memory for another error code");
    *number = added;
    return MPI_SUCCESS;
}

/* What has become of a change. */
static int changed(const char *call, const char *what, int code, enum mpi_err_user result)
{
    switch (result) {
    case MPI_ERR_USER_DONE:
        return MPI_SUCCESS;
    case MPI_ERR_USER_UNKNOWN:
        return mpi_err(NULL, call, MPI_ERR_ARG, "%d is no %s that was added", code, what);
    case MPI_ERR_USER_HAS_CODES:
        return mpi_err(NULL, call, MPI_ERR_ARG, "error class %d still has error codes", code);
    case MPI_ERR_USER_HAS_TEXT:
        return mpi_err(NULL, call, MPI_ERR_ARG, "%s %d still has a text", what, code);
    default:
        return mpi_err(NULL, call, MPI_ERR_NO_MEM, "no memory for the text of %s %d", what, code);
    }
}

int PMPI_Add_error_class(int *errorclass)
{
    return add("MPI_Add_error_class", 0, errorclass);
}
MPI_WEAK_ALIAS(Add_error_class);

int PMPI_Remove_error_class(int errorclass)
{
    return changed("MPI_Remove_error_class", "error class", errorclass,
                   mpi_err_user_remove(errorclass, true));
}
MPI_WEAK_ALIAS(Remove_error_class);

int PMPI_Add_error_code(int errorclass, int *errorcode)
{
    const char *call = "MPI_Add_error_code";
    if (errorclass <= MPI_SUCCESS || mpi_err_class(errorclass) != errorclass)
        return mpi_err(NULL, call, MPI_ERR_ARG, "%d is no error class", errorclass);
    return add(call, errorclass, errorcode);
}
MPI_WEAK_ALIAS(Add_error_code);

int PMPI_Remove_error_code(int errorcode)
{
    return changed("MPI_Remove_error_code", "error code", errorcode,
                   mpi_err_user_remove(errorcode, false));
}
MPI_WEAK_ALIAS(Remove_error_code);

int PMPI_Add_error_string(int errorcode, const char *string)
{
    const char *call = "MPI_Add_error_string";
    if (!string || strlen(string) >= MPI_MAX_ERROR_STRING)
        return mpi_err(NULL, call, MPI_ERR_ARG, string ? "the text has %zu characters, not up to %d"
                       : "the text is NULL", string ? strlen(string) : 0, MPI_MAX_ERROR_STRING - 1);
    return changed(call, "error code", errorcode, mpi_err_user_describe(errorcode, string));
}
MPI_WEAK_ALIAS(Add_error_string);

int PMPI_Remove_error_string(int errorcode)
{
    const char *call = "MPI_Remove_error_string";
    enum mpi_err_user result = mpi_err_user_describe(errorcode, NULL);
    if (result == MPI_ERR_USER_HAS_TEXT)
        return mpi_err(NULL, call, MPI_ERR_ARG, "error code %d has no text", errorcode);
    return changed(call, "error code", errorcode, result);
}
MPI_WEAK_ALIAS(Remove_error_string);
