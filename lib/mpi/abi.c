/* What the binary interface leaves open: the sizes of its integers, and what a Fortran compiler is
 * like.  Any thread, before MPI_Init too. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/err.h"
#include "core/fortran_truth.h"
#include "core/info.h"
#include "core/type.h"
#include "mpi/weak_alias.h"

static int no_place(const char *call)
{
    return mpi_err(NULL, call, MPI_ERR_ARG, "the address for a result is NULL");
}

int PMPI_Abi_get_version(int *major, int *minor)
{
    if (!major || !minor)
        return no_place("MPI_Abi_get_version");
    *major = MPI_ABI_VERSION;
    *minor = MPI_ABI_SUBVERSION;
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Abi_get_version);

int PMPI_Abi_get_info(MPI_Info *info)
{
    static const struct { const char *key; size_t bytes; } sizes[] = {
        { "mpi_aint_size", sizeof(MPI_Aint) }, { "mpi_count_size", sizeof(MPI_Count) },
        { "mpi_offset_size", sizeof(MPI_Offset) },
    };
    const char *call = "MPI_Abi_get_info";
    char value[16];
    if (!info)
        return no_place(call);
    *info = mpi_info_new();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        snprintf(value, sizeof value, "%zu", sizes[i].bytes);
        if (!mpi_info_set(*info, sizes[i].key, value))
            return mpi_err(NULL, call, MPI_ERR_NO_MEM, "no memory for another info object");
    }
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Abi_get_info);

/* -- Fortran: sizes and optional types */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static MPI_Info fortran = MPI_INFO_NULL;    /* what the program has told; under lock */

/* The sizes of the default kinds, which the types of those names have here. */
static int check_size(const char *call, MPI_Info info, const char *key, MPI_Datatype type)
{
    char value[MPI_MAX_INFO_VAL];
    const struct mpi_type *t = mpi_type_get(type);
    if (!mpi_info_find(info, key, value, sizeof value))
        return MPI_SUCCESS;
    char *end;
    unsigned long bytes = strtoul(value, &end, 10);
    if (end == value || *end)
        return mpi_err(NULL, call, MPI_ERR_INFO_VALUE, "%s=%s is no number of bytes", key, value);
    if (bytes != t->size)
        return mpi_err(NULL, call, MPI_ERR_ABI, "%s=%s, but %s has %zu bytes in this library", key,
                       value, t->name, t->size);
    return MPI_SUCCESS;
}

/* Keys of optional types are true or false. */
static int check_flags(const char *call, MPI_Info info)
{
    char key[MPI_MAX_INFO_KEY], value[MPI_MAX_INFO_VAL];
    for (int i = 0; mpi_info_nth_key(info, i, key); i++) {
        size_t bytes = strlen(key), tail = strlen("_supported");
        bool flag = bytes > tail && !strcmp(key + bytes - tail, "_supported")
                    && mpi_info_find(info, key, value, sizeof value);
        if (flag && strcmp(value, "true") && strcmp(value, "false"))
            return mpi_err(NULL, call, MPI_ERR_INFO_VALUE, "%s=%s is neither true nor false", key,
                           value);
    }
    return MPI_SUCCESS;
}

static int check_fortran(const char *call, MPI_Info info)
{
    static const struct { const char *key; MPI_Datatype type; } kinds[] = {
        { "mpi_logical_size", MPI_LOGICAL }, { "mpi_integer_size", MPI_INTEGER },
        { "mpi_real_size", MPI_REAL }, { "mpi_double_precision_size", MPI_DOUBLE_PRECISION },
    };
    int rc = mpi_info_is_object(info) ? MPI_SUCCESS
             : mpi_err(NULL, call, MPI_ERR_INFO, "%p is no info object", (void *)info);
    for (size_t i = 0; !rc && i < sizeof kinds / sizeof *kinds; i++)
        rc = check_size(call, info, kinds[i].key, kinds[i].type);
    return rc ? rc : check_flags(call, info);
}

/* The first call counts; later ones get their code, and no error handler is called. */
int PMPI_Abi_set_fortran_info(MPI_Info info)
{
    const char *call = "MPI_Abi_set_fortran_info";
    int rc = check_fortran(call, info);
    MPI_Info copy = rc ? MPI_INFO_NULL : mpi_info_copy(info);
    if (!rc && copy == MPI_INFO_NULL)
        rc = mpi_err(NULL, call, MPI_ERR_NO_MEM, "no memory for another info object");
    if (rc)
        return rc;
    pthread_mutex_lock(&lock);
    bool first = fortran == MPI_INFO_NULL;
    if (first)
        fortran = copy;
    pthread_mutex_unlock(&lock);
    if (!first)
        mpi_info_free(copy);
    return first ? MPI_SUCCESS : MPI_ERR_ABI;
}
MPI_WEAK_ALIAS(Abi_set_fortran_info);

int PMPI_Abi_get_fortran_info(MPI_Info *info)
{
    const char *call = "MPI_Abi_get_fortran_info";
    if (!info)
        return no_place(call);
    pthread_mutex_lock(&lock);
    bool known = fortran != MPI_INFO_NULL;
    *info = known ? mpi_info_copy(fortran) : MPI_INFO_NULL;
    pthread_mutex_unlock(&lock);
    if (known && *info == MPI_INFO_NULL)
        return mpi_err(NULL, call, MPI_ERR_NO_MEM, "no memory for another info object");
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Abi_get_fortran_info);

/* -- Fortran: .TRUE. and .FALSE. */

static int check_truth(const char *call, int bytes, const void *yes, const void *no, int *index)
{
    *index = bytes > 0 ? mpi_logical_size_index((size_t)bytes) : -1;
    if (*index < 0)
        return mpi_err(NULL, call, MPI_ERR_ARG, "no LOGICAL has %d bytes", bytes);
    if (!yes || !no)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the address of a truth value is NULL");
    return MPI_SUCCESS;
}

int PMPI_Abi_set_fortran_booleans(int logical_size, void *logical_true, void *logical_false)
{
    const char *call = "MPI_Abi_set_fortran_booleans";
    int index, rc = check_truth(call, logical_size, logical_true, logical_false, &index);
    if (rc)
        return rc;
    if (!memcmp(logical_true, logical_false, (size_t)logical_size))
        return mpi_err(NULL, call, MPI_ERR_ARG, "true and false are the same");
    return mpi_fortran_truth_set(index, logical_true, logical_false) ? MPI_SUCCESS : MPI_ERR_ABI;
}
MPI_WEAK_ALIAS(Abi_set_fortran_booleans);

int PMPI_Abi_get_fortran_booleans(int logical_size, void *logical_true, void *logical_false,
                                  int *is_set)
{
    const char *call = "MPI_Abi_get_fortran_booleans";
    int index, rc = check_truth(call, logical_size, logical_true, logical_false, &index);
    if (rc)
        return rc;
    if (!is_set)
        return no_place(call);
    *is_set = mpi_fortran_truth_get(index, logical_true, logical_false);
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Abi_get_fortran_booleans);
