/* Committing and freeing datatypes, and their names. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/derived.h"
#include "core/err.h"
#include "core/type_label.h"
#include "mpi/args.h"
#include "mpi/attribute.h"
#include "mpi/weak_alias.h"

/* The type behind the program's handle; an error that was raised. */
static int check(const char *call, const MPI_Datatype *handle, const struct mpi_type **t)
{
    if (!handle)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the address of the datatype is NULL");
    return mpi_check_type(call, NULL, *handle, t);
}

int PMPI_Type_commit(MPI_Datatype *datatype)
{
    const struct mpi_type *t;
    MPI_ENTER("MPI_Type_commit");
    int rc = check("MPI_Type_commit", datatype, &t);
    if (!rc && !t->committed)
        mpi_type_commit(mpi_type_derived(t));
    return rc;
}
MPI_WEAK_ALIAS(Type_commit);

int PMPI_Type_free(MPI_Datatype *datatype)
{
    const char *call = "MPI_Type_free";
    const struct mpi_type *t;
    MPI_ENTER(call);
    int rc = check(call, datatype, &t);
    if (rc)
        return rc;
    if (mpi_type_is_predefined(t))
        return mpi_err(NULL, call, MPI_ERR_TYPE, "%s is predefined",
                       mpi_type_label(t));
    struct mpi_derived *d = mpi_type_derived(t);
    struct mpi_attribute_error error;
    if (mpi_type_has_one_handle(d)
        && !mpi_attributes_clear(&d->attributes, (uintptr_t)*datatype, &error))
        return mpi_attribute_raise(NULL, call, &error);
    if (!mpi_type_free_handle(d))
        return mpi_err(NULL, call, MPI_ERR_TYPE, "the datatype has been freed already");
    *datatype = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Type_free);

/* -- names */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* What the program calls predefined types; NULL: as the standard does. */
static char *renamed[MPI_TYPE_COUNT];

/* Where the program's name for a type is kept; NULL: no memory. */
static char *place_of_name(const struct mpi_type *t)
{
    struct mpi_derived *d = mpi_type_derived(t);
    if (d)
        return d->name;
    char **name = &renamed[t - mpi_type_predefined];
    if (!*name)
        *name = calloc(1, MPI_MAX_OBJECT_NAME);
    return *name;
}

int PMPI_Type_set_name(MPI_Datatype datatype, const char *type_name)
{
    const char *call = "MPI_Type_set_name";
    const struct mpi_type *t;
    MPI_ENTER(call);
    int rc = check(call, &datatype, &t);
    if (rc)
        return rc;
    if (!type_name)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the name is NULL");
    pthread_mutex_lock(&lock);
    char *name = place_of_name(t);
    if (name) {
        size_t length = strnlen(type_name, MPI_MAX_OBJECT_NAME - 1);
        memcpy(name, type_name, length);
        name[length] = '\0';
    }
    pthread_mutex_unlock(&lock);
    return name ? MPI_SUCCESS : mpi_err(NULL, call, MPI_ERR_NO_MEM, "no memory for the name");
}
MPI_WEAK_ALIAS(Type_set_name);

/* MPI_DATATYPE_NULL has a name too. */
static const char *name_of(const struct mpi_type *t)
{
    if (!t)
        return "MPI_DATATYPE_NULL";
    const char *given = t->derived ? NULL : renamed[t - mpi_type_predefined];
    return given ? given : t->name;
}

int PMPI_Type_get_name(MPI_Datatype datatype, char *type_name, int *resultlen)
{
    const char *call = "MPI_Type_get_name";
    const struct mpi_type *t = NULL;
    MPI_ENTER(call);
    int rc = datatype == MPI_DATATYPE_NULL ? MPI_SUCCESS : check(call, &datatype, &t);
    if (rc)
        return rc;
    if (!type_name || !resultlen)
        return mpi_err(NULL, call, MPI_ERR_ARG,
                       "the address for the name or its length is NULL");
    pthread_mutex_lock(&lock);
    strcpy(type_name, name_of(t));      /* all are below MPI_MAX_OBJECT_NAME */
    pthread_mutex_unlock(&lock);
    *resultlen = (int)strlen(type_name);
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Type_get_name);
