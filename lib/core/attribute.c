/* Attributes and their keys. */
#include "core/attribute.h"

#include <pthread.h>
#include <stdlib.h>

#include "core/handle.h"

/* A key lives while the program has it or an object has a value under it. */
struct key {
    enum mpi_key_kind kind;
    int number;
    union mpi_key_copy copy;
    union mpi_key_delete delete;
    void *extra;
    /* under lock: */
    bool freed;                 /* by the program; its number is not given again while it lives */
    unsigned users;             /* values, calls under way, one for the program */
};

/* Under lock, as are the lists. */
struct mpi_attribute {
    struct mpi_attribute *next; /* older */
    struct key *key;
    void *value;
    bool ending;                /* its delete function runs: nobody else takes it away */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* -- keys */

int mpi_key_new(enum mpi_key_kind kind, union mpi_key_copy copy, union mpi_key_delete delete,
                void *extra)
{
    struct key *k = malloc(sizeof *k);
    if (!k)
        return MPI_KEYVAL_INVALID;
    *k = (struct key){ .kind = kind, .copy = copy, .delete = delete, .extra = extra, .users = 1 };
    uintptr_t handle = mpi_handle_new(MPI_KIND_KEY, k);
    int number = handle ? mpi_handle_toint(MPI_KIND_KEY, handle) : MPI_KEYVAL_INVALID;
    if (handle)
        k->number = number;
    else
        free(k);
    return number;
}

static uintptr_t handle_of(int number)
{
    return (unsigned)number < MPI_HANDLE_PREDEFINED ? 0 : mpi_handle_fromint(MPI_KIND_KEY, number);
}

/* Under lock; a freed key too, while it lives.  NULL: there is no such key. */
static struct key *find_living(enum mpi_key_kind kind, int number)
{
    uintptr_t handle = handle_of(number);
    struct key *k = handle ? mpi_handle_get(MPI_KIND_KEY, handle) : NULL;
    return k && k->kind == kind ? k : NULL;
}

/* Under lock; NULL: there is no such key, or it is freed. */
static struct key *find_key(enum mpi_key_kind kind, int number)
{
    struct key *k = find_living(kind, number);
    return k && !k->freed ? k : NULL;
}

/* Under lock. */
static void drop(struct key *k)
{
    if (--k->users)
        return;
    mpi_handle_free(handle_of(k->number));
    free(k);
}

bool mpi_key_valid(enum mpi_key_kind kind, int number)
{
    pthread_mutex_lock(&lock);
    bool valid = find_key(kind, number) != NULL;
    pthread_mutex_unlock(&lock);
    return valid;
}

bool mpi_key_lives(enum mpi_key_kind kind, int number)
{
    pthread_mutex_lock(&lock);
    bool lives = find_living(kind, number) != NULL;
    pthread_mutex_unlock(&lock);
    return lives;
}

bool mpi_key_free(enum mpi_key_kind kind, int number)
{
    pthread_mutex_lock(&lock);
    struct key *k = find_living(kind, number);
    if (k && !k->freed) {
        k->freed = true;
        drop(k);        /* k lives on while there are values under it */
    }
    pthread_mutex_unlock(&lock);
    return k != NULL;
}

/* -- the program's functions; without the lock */

static bool is_ready_made(const struct key *k)
{
    return (uintptr_t)k->copy.comm <= (uintptr_t)MPI_COMM_DUP_FN;
}

static int call_copy(const struct key *k, uintptr_t handle, void *value, void **out, int *flag)
{
    switch (k->kind) {
    case MPI_KEY_COMM:
        return k->copy.comm((MPI_Comm)handle, k->number, k->extra, value, out, flag);
    case MPI_KEY_TYPE:
        return k->copy.type((MPI_Datatype)handle, k->number, k->extra, value, out, flag);
    default:
        return k->copy.win((MPI_Win)handle, k->number, k->extra, value, out, flag);
    }
}

static int call_delete(const struct key *k, uintptr_t handle, void *value)
{
    if (k->delete.comm == MPI_COMM_NULL_DELETE_FN)
        return MPI_SUCCESS;
    switch (k->kind) {
    case MPI_KEY_COMM:
        return k->delete.comm((MPI_Comm)handle, k->number, value, k->extra);
    case MPI_KEY_TYPE:
        return k->delete.type((MPI_Datatype)handle, k->number, value, k->extra);
    default:
        return k->delete.win((MPI_Win)handle, k->number, value, k->extra);
    }
}

/* -- values */

static bool fail(struct mpi_attribute_error *error, int code, int key, const char *step)
{
    *error = (struct mpi_attribute_error){ .code = code, .key = key, .step = step };
    return false;
}

/* Under lock; NULL: there is none. */
static struct mpi_attribute *find(const struct mpi_attributes *a, int key)
{
    struct mpi_attribute *v = a->newest;
    while (v && v->key->number != key)
        v = v->next;
    return v;
}

bool mpi_attribute_get(const struct mpi_attributes *a, int key, void **value)
{
    pthread_mutex_lock(&lock);
    const struct mpi_attribute *v = find(a, key);
    if (v)
        *value = v->value;
    pthread_mutex_unlock(&lock);
    return v != NULL;
}

/* Under lock: false: no memory. */
static bool add(struct mpi_attributes *a, struct key *k, void *value)
{
    struct mpi_attribute *v = malloc(sizeof *v);
    if (!v)
        return false;
    *v = (struct mpi_attribute){ .next = a->newest, .key = k, .value = value };
    k->users++;
    a->newest = v;
    return true;
}

/* Under lock. */
static void take_out(struct mpi_attributes *a, struct mpi_attribute *v)
{
    struct mpi_attribute **at = &a->newest;
    while (*at != v)
        at = &(*at)->next;
    *at = v->next;
    drop(v->key);
    free(v);
}

/* Asks the program's function, without the lock in between: nobody takes an ending value out. */
static bool end_value(struct mpi_attribute *v, uintptr_t handle, struct mpi_attribute_error *error)
{
    v->ending = true;
    pthread_mutex_unlock(&lock);
    int code = call_delete(v->key, handle, v->value);
    pthread_mutex_lock(&lock);
    v->ending = false;
    return !code || fail(error, code, v->key->number, "delete");
}

/* Under lock.  v NULL: there is no value. */
static bool replace(struct mpi_attributes *a, struct mpi_attribute *v, uintptr_t handle, int key,
                    void *value, struct mpi_attribute_error *error)
{
    struct key *k = mpi_handle_get(MPI_KIND_KEY, handle_of(key));
    if (v && v->ending)
        return fail(error, MPI_ERR_KEYVAL, key, "being deleted");
    if (v && !end_value(v, handle, error))
        return false;
    if (v)
        v->value = value;
    else if (!k || !add(a, k, value))
        return fail(error, k ? MPI_ERR_NO_MEM : MPI_ERR_KEYVAL, key, "memory");
    return true;
}

bool mpi_attribute_set(struct mpi_attributes *a, uintptr_t handle, int key, void *value,
                       struct mpi_attribute_error *error)
{
    pthread_mutex_lock(&lock);
    bool done = replace(a, find(a, key), handle, key, value, error);
    pthread_mutex_unlock(&lock);
    return done;
}

bool mpi_attribute_delete(struct mpi_attributes *a, uintptr_t handle, int key,
                          struct mpi_attribute_error *error)
{
    pthread_mutex_lock(&lock);
    struct mpi_attribute *v = find(a, key);
    bool done = true;
    if (v && v->ending)
        done = fail(error, MPI_ERR_KEYVAL, key, "being deleted");
    else if (v)
        done = end_value(v, handle, error);
    if (v && done)
        take_out(a, v);
    pthread_mutex_unlock(&lock);
    return done;
}

/* Under lock; NULL: there is none. */
static const struct mpi_attribute *find_ending(const struct mpi_attributes *a)
{
    const struct mpi_attribute *v = a->newest;
    while (v && !v->ending)
        v = v->next;
    return v;
}

/* Under lock.  The list must stay while a function of the program runs, as must the object that it
 * is in: that function has called what brings us here. */
static bool is_idle(const struct mpi_attributes *a, struct mpi_attribute_error *error)
{
    const struct mpi_attribute *ending = find_ending(a);
    if (ending)
        return fail(error, MPI_ERR_KEYVAL, ending->key->number, "being deleted");
    return !a->copies || fail(error, MPI_ERR_KEYVAL, MPI_KEYVAL_INVALID, "being duplicated");
}

bool mpi_attributes_clear(struct mpi_attributes *a, uintptr_t handle,
                          struct mpi_attribute_error *error)
{
    pthread_mutex_lock(&lock);
    bool done = is_idle(a, error);
    while (done && a->newest) {
        struct mpi_attribute *v = a->newest;
        done = end_value(v, handle, error);
        if (done)
            take_out(a, v);
    }
    pthread_mutex_unlock(&lock);
    return done;
}

bool mpi_attributes_abandon(struct mpi_attributes *a, uintptr_t handle,
                            struct mpi_attribute_error *error)
{
    struct mpi_attribute_error later;
    pthread_mutex_lock(&lock);
    bool idle = is_idle(a, error), done = idle;
    while (idle && a->newest) {
        struct mpi_attribute *v = a->newest;
        done = end_value(v, handle, done ? error : &later) && done;
        take_out(a, v);
    }
    pthread_mutex_unlock(&lock);
    return done;
}

/* -- copies */

/* A value as it was when the copy began; the key is held. */
struct seen { struct key *key; void *value; };

/* Newest first.  Under lock; NULL: there are none, or no memory. */
static struct seen *look(const struct mpi_attributes *a, size_t *count)
{
    *count = 0;
    for (const struct mpi_attribute *v = a->newest; v; v = v->next)
        ++*count;
    struct seen *all = *count ? malloc(*count * sizeof *all) : NULL, *at = all;
    for (const struct mpi_attribute *v = a->newest; all && v; v = v->next) {
        v->key->users++;
        *at++ = (struct seen){ .key = v->key, .value = v->value };
    }
    return all;
}

static bool copy_one(const struct seen *s, uintptr_t handle, struct mpi_attributes *to,
                     struct mpi_attribute_error *error)
{
    void *out = s->value;
    int flag = s->key->copy.comm == MPI_COMM_DUP_FN, code = MPI_SUCCESS;
    if (!is_ready_made(s->key))
        code = call_copy(s->key, handle, s->value, &out, &flag);
    if (code)
        return fail(error, code, s->key->number, "copy");
    if (!flag)
        return true;
    pthread_mutex_lock(&lock);
    bool added = add(to, s->key, out);
    pthread_mutex_unlock(&lock);
    return added || fail(error, MPI_ERR_NO_MEM, s->key->number, "memory");
}

bool mpi_attributes_copy(struct mpi_attributes *from, uintptr_t handle,
                         struct mpi_attributes *to, struct mpi_attribute_error *error)
{
    size_t count;
    pthread_mutex_lock(&lock);
    struct seen *all = look(from, &count);
    from->copies++;
    pthread_mutex_unlock(&lock);
    bool done = all || !count || fail(error, MPI_ERR_NO_MEM, MPI_KEYVAL_INVALID, "memory");
    for (size_t i = count; all && done && i--;)
        done = copy_one(&all[i], handle, to, error);
    pthread_mutex_lock(&lock);
    from->copies--;
    for (size_t i = 0; all && i < count; i++)
        drop(all[i].key);
    pthread_mutex_unlock(&lock);
    free(all);
    return done;
}
