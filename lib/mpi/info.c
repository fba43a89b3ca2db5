/* Info objects: short lists of keys and values, in the order in which they were set. */
#define _GNU_SOURCE
#include "mpi/info.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/err.h"
#include "mpi/handle.h"
#include "mpi/info_env.h"
#include "mpi/init.h"
#include "mpi/twin.h"

struct pair { char *key, *value; };
struct info { struct pair *pair; int pairs; };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct info *environment;        /* MPI_INFO_ENV; made at first use, and again once MPI has been initialised; under lock */
static int environment_state;           /* mpi_state at that time */

/* -- lists, under lock */

static struct pair *pair_of(const struct info *o, const char *key)
{
    for (int i = 0; i < o->pairs; i++)
        if (!strcmp(o->pair[i].key, key))
            return &o->pair[i];
    return NULL;
}

static void info_delete(struct info *o)
{
    for (int i = 0; i < o->pairs; i++) {
        free(o->pair[i].key);
        free(o->pair[i].value);
    }
    free(o->pair);
    free(o);
}

/* False: out of memory, nothing changed. */
static bool set_pair(struct info *o, const char *key, const char *value)
{
    struct pair *p = pair_of(o, key), new = { .key = NULL, .value = strdup(value) };
    if (new.value && p) {
        free(p->value);
        p->value = new.value;
        return true;
    }
    struct pair *all = new.value && (new.key = strdup(key)) ? realloc(o->pair, ((size_t)o->pairs + 1) * sizeof *all) : NULL;
    if (!all) {
        free(new.key);
        free(new.value);
        return false;
    }
    o->pair = all;
    o->pair[o->pairs++] = new;
    return true;
}

static struct info *info_copy(const struct info *from)
{
    struct info *o = calloc(1, sizeof *o);
    bool whole = o;
    for (int i = 0; whole && from && i < from->pairs; i++)
        whole = set_pair(o, from->pair[i].key, from->pair[i].value);
    if (o && !whole) {
        info_delete(o);
        return NULL;
    }
    return o;
}

/* of_job: with what MPI_Init has made of it too. */
static struct info *environment_new(int argc, char *const *argv, bool of_job)
{
    struct info *o = info_copy(NULL);
    char value[MPI_MAX_INFO_VAL];
    const char *key;
    for (unsigned i = 0; o && (key = mpi_info_env_key(i)); i++)
        if (mpi_info_env_value(i, argc, argv, of_job, value, sizeof value)
            && !set_pair(o, key, value)) {
            info_delete(o);
            return NULL;
        }
    return o;
}

/* NULL: no object. */
static struct info *object(MPI_Info info)
{
    if (info != MPI_INFO_ENV)
        return mpi_handle_get(MPI_KIND_INFO, (uintptr_t)info);
    if (environment && environment_state != mpi_state) {
        info_delete(environment);
        environment = NULL;
    }
    if (!environment)
        environment = environment_new(0, NULL, true);
    environment_state = mpi_state;
    return environment;
}

/* -- for the library */

bool mpi_info_valid(MPI_Info info) { return info == MPI_INFO_NULL || info == MPI_INFO_ENV || mpi_handle_get(MPI_KIND_INFO, (uintptr_t)info); }

bool mpi_info_find(MPI_Info info, const char *key, char *value, size_t room)
{
    pthread_mutex_lock(&lock);
    const struct info *o = object(info);
    const struct pair *p = o ? pair_of(o, key) : NULL;
    if (p && room)
        snprintf(value, room, "%s", p->value);
    pthread_mutex_unlock(&lock);
    return p;
}

/* -- what the functions below check */

static int check_object(const char *call, MPI_Info info)
{
    return info == MPI_INFO_ENV || mpi_handle_get(MPI_KIND_INFO, (uintptr_t)info) ? MPI_SUCCESS
           : mpi_err(NULL, call, MPI_ERR_INFO, info == MPI_INFO_NULL ? "the info object is MPI_INFO_NULL" : "%p is no info object", (void *)info);
}

static int check_own(const char *call, MPI_Info info)
{
    return info == MPI_INFO_ENV ? mpi_err(NULL, call, MPI_ERR_INFO, "MPI_INFO_ENV cannot be changed") : check_object(call, info);
}

static int check_key(const char *call, const char *key)
{
    if (!key || !*key)
        return mpi_err(NULL, call, MPI_ERR_INFO_KEY, key ? "the key is empty" : "the key is NULL");
    if (strlen(key) >= MPI_MAX_INFO_KEY)
        return mpi_err(NULL, call, MPI_ERR_INFO_KEY, "the key has %zu characters, more than %d", strlen(key), MPI_MAX_INFO_KEY - 1);
    return MPI_SUCCESS;
}

/* An address that a result goes to. */
static int check_place(const char *call, const void *place, const char *what)
{
    return place ? MPI_SUCCESS : mpi_err(NULL, call, MPI_ERR_ARG, "the address for %s is NULL", what);
}

/* Takes over the object, NULL if there was no memory for it. */
static int give_handle(const char *call, struct info *o, MPI_Info *info)
{
    uintptr_t handle = o ? mpi_handle_new(MPI_KIND_INFO, o) : 0;
    if (!handle) {
        if (o)
            info_delete(o);
        return mpi_err(NULL, call, MPI_ERR_NO_MEM, "no memory for another info object");
    }
    *info = (MPI_Info)handle;
    return MPI_SUCCESS;
}

/* -- life */

int PMPI_Info_create(MPI_Info *info)
{
    int rc = check_place("MPI_Info_create", info, "the info object");
    return rc ? rc : give_handle("MPI_Info_create", info_copy(NULL), info);
}
TWIN(Info_create);

int PMPI_Info_create_env(int argc, char *argv[], MPI_Info *info)
{
    int rc = check_place("MPI_Info_create_env", info, "the info object");
    return rc ? rc : give_handle("MPI_Info_create_env", environment_new(argc, argv, false), info);
}
TWIN(Info_create_env);

int PMPI_Info_dup(MPI_Info info, MPI_Info *newinfo)
{
    int rc = check_object("MPI_Info_dup", info);
    if (rc || (rc = check_place("MPI_Info_dup", newinfo, "the copy")))
        return rc;
    pthread_mutex_lock(&lock);
    struct info *copy = info_copy(object(info));
    pthread_mutex_unlock(&lock);
    return give_handle("MPI_Info_dup", copy, newinfo);
}
TWIN(Info_dup);

int PMPI_Info_free(MPI_Info *info)
{
    int rc = check_place("MPI_Info_free", info, "the info object");
    if (rc || (rc = check_own("MPI_Info_free", *info)))
        return rc;
    pthread_mutex_lock(&lock);
    struct info *o = object(*info);
    mpi_handle_free((uintptr_t)*info);
    if (o)
        info_delete(o);
    pthread_mutex_unlock(&lock);
    *info = MPI_INFO_NULL;
    return MPI_SUCCESS;
}
TWIN(Info_free);

/* -- keys and values */

int PMPI_Info_set(MPI_Info info, const char *key, const char *value)
{
    int rc = check_own("MPI_Info_set", info);
    if (rc || (rc = check_key("MPI_Info_set", key)))
        return rc;
    if (!value || strlen(value) >= MPI_MAX_INFO_VAL)
        return mpi_err(NULL, "MPI_Info_set", MPI_ERR_INFO_VALUE, "key '%s': %s", key, value ? "the value is too long" : "the value is NULL");
    pthread_mutex_lock(&lock);
    struct info *o = object(info);
    bool done = o && set_pair(o, key, value);
    pthread_mutex_unlock(&lock);
    return done ? MPI_SUCCESS : mpi_err(NULL, "MPI_Info_set", MPI_ERR_NO_MEM, "no memory for the key '%s'", key);
}
TWIN(Info_set);

int PMPI_Info_delete(MPI_Info info, const char *key)
{
    int rc = check_own("MPI_Info_delete", info);
    if (rc || (rc = check_key("MPI_Info_delete", key)))
        return rc;
    pthread_mutex_lock(&lock);
    struct info *o = object(info);
    struct pair *p = o ? pair_of(o, key) : NULL;
    if (p) {
        free(p->key);
        free(p->value);
        memmove(p, p + 1, (size_t)(o->pair + o->pairs - (p + 1)) * sizeof *p);
        o->pairs--;
    }
    pthread_mutex_unlock(&lock);
    return p ? MPI_SUCCESS : mpi_err(NULL, "MPI_Info_delete", MPI_ERR_INFO_NOKEY, "there is no key '%s'", key);
}
TWIN(Info_delete);

int PMPI_Info_get_nkeys(MPI_Info info, int *nkeys)
{
    int rc = check_object("MPI_Info_get_nkeys", info);
    if (rc || (rc = check_place("MPI_Info_get_nkeys", nkeys, "the number")))
        return rc;
    pthread_mutex_lock(&lock);
    const struct info *o = object(info);
    *nkeys = o ? o->pairs : 0;
    pthread_mutex_unlock(&lock);
    return MPI_SUCCESS;
}
TWIN(Info_get_nkeys);

int PMPI_Info_get_nthkey(MPI_Info info, int n, char *key)
{
    int rc = check_object("MPI_Info_get_nthkey", info);
    if (rc || (rc = check_place("MPI_Info_get_nthkey", key, "the key")))
        return rc;
    pthread_mutex_lock(&lock);
    const struct info *o = object(info);
    int pairs = o ? o->pairs : 0;
    if (n >= 0 && n < pairs)
        strcpy(key, o->pair[n].key);
    pthread_mutex_unlock(&lock);
    return n >= 0 && n < pairs ? MPI_SUCCESS : mpi_err(NULL, "MPI_Info_get_nthkey", MPI_ERR_ARG, "key %d of %d", n, pairs);
}
TWIN(Info_get_nthkey);

int PMPI_Info_get_string(MPI_Info info, const char *key, int *buflen, char *value, int *flag)
{
    const char *call = "MPI_Info_get_string";
    char found[MPI_MAX_INFO_VAL];
    int rc = check_object(call, info);
    if (rc || (rc = check_key(call, key)) || (rc = check_place(call, buflen, "the length")) || (rc = check_place(call, flag, "the answer")))
        return rc;
    if (*buflen < 0 || (*buflen && !value))
        return mpi_err(NULL, call, MPI_ERR_ARG, "a value of %d characters at %p", *buflen, (void *)value);
    *flag = mpi_info_find(info, key, found, sizeof found);
    if (*flag) {
        if (*buflen)
            snprintf(value, (size_t)*buflen, "%s", found);
        *buflen = (int)strlen(found) + 1;
    }
    return MPI_SUCCESS;
}
TWIN(Info_get_string);

/* The older form: valuelen does not count the null character. */
int PMPI_Info_get(MPI_Info info, const char *key, int valuelen, char *value, int *flag)
{
    const char *call = "MPI_Info_get";
    int rc = check_object(call, info);
    if (rc || (rc = check_key(call, key)) || (rc = check_place(call, value, "the value")) || (rc = check_place(call, flag, "the answer")))
        return rc;
    if (valuelen < 0)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the length of the value is %d", valuelen);
    *flag = mpi_info_find(info, key, value, (size_t)valuelen + 1);
    return MPI_SUCCESS;
}
TWIN(Info_get);

int PMPI_Info_get_valuelen(MPI_Info info, const char *key, int *valuelen, int *flag)
{
    const char *call = "MPI_Info_get_valuelen";
    char found[MPI_MAX_INFO_VAL];
    int rc = check_object(call, info);
    if (rc || (rc = check_key(call, key)) || (rc = check_place(call, valuelen, "the length")) || (rc = check_place(call, flag, "the answer")))
        return rc;
    *flag = mpi_info_find(info, key, found, sizeof found);
    if (*flag)
        *valuelen = (int)strlen(found);
    return MPI_SUCCESS;
}
TWIN(Info_get_valuelen);
