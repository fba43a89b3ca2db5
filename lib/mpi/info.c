/* The calls with info objects.  Most may come before MPI_Init. */
#include "core/info.h"

#include <stdio.h>
#include <string.h>

#include "core/err.h"
#include "mpi/weak_alias.h"

/* -- checks */

static int check_object(const char *call, MPI_Info info)
{
    if (mpi_info_is_object(info))
        return MPI_SUCCESS;
    if (info == MPI_INFO_NULL)
        return mpi_err(NULL, call, MPI_ERR_INFO, "the info object is MPI_INFO_NULL");
    return mpi_err(NULL, call, MPI_ERR_INFO, "%p is no info object", (void *)info);
}

/* One that may be changed. */
static int check_own(const char *call, MPI_Info info)
{
    if (info == MPI_INFO_ENV)
        return mpi_err(NULL, call, MPI_ERR_INFO, "MPI_INFO_ENV cannot be changed");
    return check_object(call, info);
}

static int check_key(const char *call, const char *key)
{
    if (!key || !*key)
        return mpi_err(NULL, call, MPI_ERR_INFO_KEY, key ? "the key is empty" : "the key is NULL");
    if (strlen(key) >= MPI_MAX_INFO_KEY)
        return mpi_err(NULL, call, MPI_ERR_INFO_KEY, "the key has %zu characters, more than %d",
                       strlen(key), MPI_MAX_INFO_KEY - 1);
    return MPI_SUCCESS;
}

/* An address that a result goes to. */
static int check_place(const char *call, const void *place, const char *what)
{
    if (place)
        return MPI_SUCCESS;
    return mpi_err(NULL, call, MPI_ERR_ARG, "the address for %s is NULL", what);
}

/* What the calls that look for a key share. */
static int check_question(const char *call, MPI_Info info, const char *key, const void *place,
                          const char *what, const int *flag)
{
    int rc = check_object(call, info);
    if (!rc)
        rc = check_key(call, key);
    if (!rc)
        rc = check_place(call, place, what);
    return rc ? rc : check_place(call, flag, "the answer");
}

static int check_made(const char *call, MPI_Info info)
{
    if (info != MPI_INFO_NULL)
        return MPI_SUCCESS;
    return mpi_err(NULL, call, MPI_ERR_NO_MEM, "no memory for another info object");
}

/* -- life */

int PMPI_Info_create(MPI_Info *info)
{
    int rc = check_place("MPI_Info_create", info, "the info object");
    return rc ? rc : check_made("MPI_Info_create", *info = mpi_info_new());
}
MPI_WEAK_ALIAS(Info_create);

int PMPI_Info_create_env(int argc, char *argv[], MPI_Info *info)
{
    int rc = check_place("MPI_Info_create_env", info, "the info object");
    return rc ? rc : check_made("MPI_Info_create_env", *info = mpi_info_new_env(argc, argv));
}
MPI_WEAK_ALIAS(Info_create_env);

int PMPI_Info_dup(MPI_Info info, MPI_Info *newinfo)
{
    int rc = check_object("MPI_Info_dup", info);
    if (!rc)
        rc = check_place("MPI_Info_dup", newinfo, "the copy");
    return rc ? rc : check_made("MPI_Info_dup", *newinfo = mpi_info_copy(info));
}
MPI_WEAK_ALIAS(Info_dup);

int PMPI_Info_free(MPI_Info *info)
{
    int rc = check_place("MPI_Info_free", info, "the info object");
    if (!rc)
        rc = check_own("MPI_Info_free", *info);
    if (rc)
        return rc;
    mpi_info_free(*info);
    *info = MPI_INFO_NULL;
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Info_free);

/* -- keys and values */

int PMPI_Info_set(MPI_Info info, const char *key, const char *value)
{
    const char *call = "MPI_Info_set";
    int rc = check_own(call, info);
    if (!rc)
        rc = check_key(call, key);
    if (rc)
        return rc;
    if (!value || strlen(value) >= MPI_MAX_INFO_VAL)
        return mpi_err(NULL, call, MPI_ERR_INFO_VALUE, "key '%s': %s", key,
                       value ? "the value is too long" : "the value is NULL");
    if (!mpi_info_set(info, key, value))
        return mpi_err(NULL, call, MPI_ERR_NO_MEM, "no memory for the key '%s'", key);
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Info_set);

int PMPI_Info_delete(MPI_Info info, const char *key)
{
    const char *call = "MPI_Info_delete";
    int rc = check_own(call, info);
    if (!rc)
        rc = check_key(call, key);
    if (rc || mpi_info_unset(info, key))
        return rc;
    return mpi_err(NULL, call, MPI_ERR_INFO_NOKEY, "there is no key '%s'", key);
}
MPI_WEAK_ALIAS(Info_delete);

int PMPI_Info_get_nkeys(MPI_Info info, int *nkeys)
{
    int rc = check_object("MPI_Info_get_nkeys", info);
    if (!rc)
        rc = check_place("MPI_Info_get_nkeys", nkeys, "the number");
    if (!rc)
        *nkeys = mpi_info_keys(info);
    return rc;
}
MPI_WEAK_ALIAS(Info_get_nkeys);

int PMPI_Info_get_nthkey(MPI_Info info, int n, char *key)
{
    const char *call = "MPI_Info_get_nthkey";
    int rc = check_object(call, info);
    if (!rc)
        rc = check_place(call, key, "the key");
    if (rc || mpi_info_nth_key(info, n, key))
        return rc;
    return mpi_err(NULL, call, MPI_ERR_ARG, "key %d of %d", n, mpi_info_keys(info));
}
MPI_WEAK_ALIAS(Info_get_nthkey);

int PMPI_Info_get_string(MPI_Info info, const char *key, int *buflen, char *value, int *flag)
{
    const char *call = "MPI_Info_get_string";
    char found[MPI_MAX_INFO_VAL];
    int rc = check_question(call, info, key, buflen, "the length", flag);
    if (rc)
        return rc;
    if (*buflen < 0 || (*buflen && !value))
        return mpi_err(NULL, call, MPI_ERR_ARG, "a value of %d characters at %p", *buflen,
                       (void *)value);
    *flag = mpi_info_find(info, key, found, sizeof found);
    if (*flag) {
        if (*buflen)
            snprintf(value, (size_t)*buflen, "%s", found);
        *buflen = (int)strlen(found) + 1;
    }
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Info_get_string);

/* The older form: valuelen does not count the null character. */
int PMPI_Info_get(MPI_Info info, const char *key, int valuelen, char *value, int *flag)
{
    const char *call = "MPI_Info_get";
    int rc = check_question(call, info, key, value, "the value", flag);
    if (rc)
        return rc;
    if (valuelen < 0)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the length of the value is %d", valuelen);
    *flag = mpi_info_find(info, key, value, (size_t)valuelen + 1);
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Info_get);

int PMPI_Info_get_valuelen(MPI_Info info, const char *key, int *valuelen, int *flag)
{
    const char *call = "MPI_Info_get_valuelen";
    char found[MPI_MAX_INFO_VAL];
    int rc = check_question(call, info, key, valuelen, "the length", flag);
    if (rc)
        return rc;
    *flag = mpi_info_find(info, key, found, sizeof found);
    if (*flag)
        *valuelen = (int)strlen(found);
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Info_get_valuelen);
