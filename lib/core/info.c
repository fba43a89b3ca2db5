/* Info objects: short lists of keys and values, in the order in which they were set. */
#define _GNU_SOURCE
#include "core/info.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/handle.h"
#include "core/info_env.h"
#include "core/world.h"

struct pair { char *key, *value; };
struct info { struct pair *pair; int pairs; };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* MPI_INFO_ENV: made at first use, and again once MPI has been initialised; under lock. */
static struct info *environment;
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
    struct pair *all = NULL;
    if (new.value && (new.key = strdup(key)))
        all = realloc(o->pair, ((size_t)o->pairs + 1) * sizeof *all);
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

/* -- life */

/* Takes over the object, NULL if there was no memory for it. */
static MPI_Info give_handle(struct info *o)
{
    uintptr_t handle = o ? mpi_handle_new(MPI_KIND_INFO, o) : 0;
    if (!handle && o)
        info_delete(o);
    return handle ? (MPI_Info)handle : MPI_INFO_NULL;
}

MPI_Info mpi_info_new(void) { return give_handle(info_copy(NULL)); }

MPI_Info mpi_info_new_env(int argc, char *const *argv)
{
    return give_handle(environment_new(argc, argv, false));
}

MPI_Info mpi_info_copy(MPI_Info info)
{
    pthread_mutex_lock(&lock);
    struct info *copy = info_copy(object(info));
    pthread_mutex_unlock(&lock);
    return give_handle(copy);
}

void mpi_info_free(MPI_Info info)
{
    pthread_mutex_lock(&lock);
    struct info *o = object(info);
    mpi_handle_free((uintptr_t)info);
    if (o)
        info_delete(o);
    pthread_mutex_unlock(&lock);
}

/* -- keys and values */

bool mpi_info_is_object(MPI_Info info)
{
    return info == MPI_INFO_ENV || mpi_handle_get(MPI_KIND_INFO, (uintptr_t)info);
}

bool mpi_info_valid(MPI_Info info) { return info == MPI_INFO_NULL || mpi_info_is_object(info); }

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

bool mpi_info_set(MPI_Info info, const char *key, const char *value)
{
    pthread_mutex_lock(&lock);
    struct info *o = object(info);
    bool done = o && set_pair(o, key, value);
    pthread_mutex_unlock(&lock);
    return done;
}

bool mpi_info_unset(MPI_Info info, const char *key)
{
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
    return p;
}

int mpi_info_keys(MPI_Info info)
{
    pthread_mutex_lock(&lock);
    const struct info *o = object(info);
    int keys = o ? o->pairs : 0;
    pthread_mutex_unlock(&lock);
    return keys;
}

bool mpi_info_nth_key(MPI_Info info, int n, char key[MPI_MAX_INFO_KEY])
{
    pthread_mutex_lock(&lock);
    const struct info *o = object(info);
    bool found = o && n >= 0 && n < o->pairs;
    if (found)
        strcpy(key, o->pair[n].key);
    pthread_mutex_unlock(&lock);
    return found;
}
