/* A table of handles. */
#include "check/objects.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "check/report.h"

enum { BUCKETS = 4096, PREDEFINED = 4096 };

struct object {
    struct object *next;
    uintptr_t handle;
    enum check_kind kind;
    const char *call;
    const void *caller;
};

static struct object *bucket[BUCKETS];          /* under lock */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct object **find(enum check_kind kind, uintptr_t handle)
{
    struct object **o = &bucket[(handle >> 4 ^ handle >> 16) % BUCKETS];

    while (*o && ((*o)->handle != handle || (*o)->kind != kind))
        o = &(*o)->next;
    return o;
}

void check_made(enum check_kind kind, uintptr_t handle, const char *call, const void *caller)
{
    if (handle < PREDEFINED)
        return;
    pthread_mutex_lock(&lock);
    struct object **place = find(kind, handle);
    if (!*place)
        *place = calloc(1, sizeof **place);
    if (*place) {
        (*place)->handle = handle;
        (*place)->kind = kind;
        (*place)->call = call;
        (*place)->caller = caller;
    }
    pthread_mutex_unlock(&lock);
}

void check_freed(enum check_kind kind, uintptr_t handle)
{
    pthread_mutex_lock(&lock);
    struct object **place = find(kind, handle), *o = *place;
    if (o) {
        *place = o->next;
        free(o);
    }
    pthread_mutex_unlock(&lock);
}

bool check_is_any(enum check_kind kind)
{
    bool any = false;

    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < BUCKETS; i++)
        for (const struct object *o = bucket[i]; o; o = o->next)
            any |= o->kind == kind;
    pthread_mutex_unlock(&lock);
    return any;
}

/* How many were made in the same place as this one, which are then forgotten. */
static unsigned take_alike(const struct object *like)
{
    unsigned count = 0;

    for (unsigned i = 0; i < BUCKETS; i++)
        for (struct object *o = bucket[i]; o; o = o->next)
            if (o->call && o->kind == like->kind && o->caller == like->caller && o != like) {
                o->call = NULL;
                count++;
            }
    return count + 1;
}

static void report(struct object *o)
{
    static const char *const one[CHECK_KINDS] = { "a communicator", "a datatype", "a group",
                                                  "a window", "an operation", "a request" };
    static const char *const many[CHECK_KINDS] = { "communicators", "datatypes", "groups",
                                                   "windows", "operations", "requests" };
    char place[CHECK_PLACE_BYTES];
    unsigned count = take_alike(o);
    const char *end = o->kind == CHECK_REQUEST ? "completed or freed" : "freed";

    check_place(o->caller, place, sizeof place);
    if (count == 1)
        check_report("%s of %s, made at %s, was never %s", one[o->kind], o->call, place, end);
    else
        check_report("%u %s of %s, made at %s, were never %s", count, many[o->kind], o->call,
                     place, end);
    o->call = NULL;
}

void check_left(void)
{
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < BUCKETS; i++)
        for (struct object *o = bucket[i]; o; o = o->next)
            if (o->call)
                report(o);
    pthread_mutex_unlock(&lock);
}
