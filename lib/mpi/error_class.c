/* What an error code means: its class and its text.  The classes are the only codes. */
#include <stdio.h>

#include "core/err.h"
#include "core/err_text.h"
#include "mpi/weak_alias.h"

static int no_code(const char *call, int code)
{
    return mpi_err(NULL, call, MPI_ERR_ARG, "%d is no error code", code);
}

int PMPI_Error_class(int errorcode, int *errorclass)
{
    const char *call = "MPI_Error_class";
    if (!mpi_err_text(errorcode))
        return no_code(call, errorcode);
    if (!errorclass)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the address for the class is NULL");
    *errorclass = errorcode;
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Error_class);

int PMPI_Error_string(int errorcode, char *string, int *resultlen)
{
    const char *call = "MPI_Error_string";
    if (!mpi_err_text(errorcode))
        return no_code(call, errorcode);
    if (!string || !resultlen)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the address for the text or its length is NULL");
    *resultlen = snprintf(string, MPI_MAX_ERROR_STRING, "%s: %s", mpi_err_name(errorcode),
                          mpi_err_text(errorcode));
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Error_string);
