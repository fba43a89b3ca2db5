/* The program's error classes and codes: a list of all that were ever added, under one lock. */
#define _GNU_SOURCE
#include "core/err_user.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/err_text.h"
#include "mpi.h"

enum { FIRST = MPI_ERR_LASTCODE + 1, ROOM_AT_FIRST = 16 };

struct added {
    int class;          /* its own number if it is a class; 0: taken back */
    int codes;          /* of a class: how many there are */
    char *text;         /* NULL: none */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct added *list;
static int used, room;

/* NULL: none, or taken back. */
static struct added *find(int code)
{
    if (code < FIRST || code - FIRST >= used || !list[code - FIRST].class)
        return NULL;
    return &list[code - FIRST];
}

static bool grow(void)
{
    int more = room ? 2 * room : ROOM_AT_FIRST;
    if (used < room)
        return true;
    if (room > (INT_MAX - FIRST) / 2)
        return false;
    struct added *longer = realloc(list, (size_t)more * sizeof *longer);
    if (!longer)
        return false;
    list = longer;
    room = more;
    return true;
}

int mpi_err_user_add(int class)
{
    int code = 0;
    pthread_mutex_lock(&lock);
    if (grow()) {
        code = FIRST + used;
        list[used++] = (struct added){ .class = class ? class : code };
        struct added *owner = find(class);
        if (owner)
            owner->codes++;
    }
    pthread_mutex_unlock(&lock);
    return code;
}

/* Under lock. */
static enum mpi_err_user take_back(int code, bool class)
{
    struct added *a = find(code);
    if (!a || class != (a->class == code))
        return MPI_ERR_USER_UNKNOWN;
    if (a->codes)
        return MPI_ERR_USER_HAS_CODES;
    if (a->text)
        return MPI_ERR_USER_HAS_TEXT;
    struct added *owner = find(a->class);
    if (!class && owner)
        owner->codes--;
    a->class = 0;
    return MPI_ERR_USER_DONE;
}

enum mpi_err_user mpi_err_user_remove(int code, bool class)
{
    pthread_mutex_lock(&lock);
    enum mpi_err_user result = take_back(code, class);
    pthread_mutex_unlock(&lock);
    return result;
}

/* Under lock; takes over `copy`. */
static enum mpi_err_user put_text(int code, char *copy)
{
    struct added *a = find(code);
    if (!a || (!copy && !a->text)) {
        free(copy);
        return a ? MPI_ERR_USER_HAS_TEXT : MPI_ERR_USER_UNKNOWN;
    }
    free(a->text);
    a->text = copy;
    return MPI_ERR_USER_DONE;
}

enum mpi_err_user mpi_err_user_describe(int code, const char *text)
{
    char *copy = text ? strdup(text) : NULL;
    if (text && !copy)
        return MPI_ERR_USER_NO_MEMORY;
    pthread_mutex_lock(&lock);
    enum mpi_err_user result = put_text(code, copy);
    pthread_mutex_unlock(&lock);
    return result;
}

int mpi_err_last_used(void)
{
    pthread_mutex_lock(&lock);
    int last = FIRST + used - 1;
    pthread_mutex_unlock(&lock);
    return last;
}

/* -- any code */

int mpi_err_class(int code)
{
    if (mpi_err_text(code))
        return code;
    pthread_mutex_lock(&lock);
    const struct added *a = find(code);
    int class = a ? a->class : -1;
    pthread_mutex_unlock(&lock);
    return class;
}

bool mpi_err_words(int code, char *text, size_t size)
{
    if (mpi_err_text(code)) {
        snprintf(text, size, "%s", mpi_err_text(code));
        return true;
    }
    pthread_mutex_lock(&lock);
    const struct added *a = find(code);
    snprintf(text, size, "%s", a && a->text ? a->text : "");
    pthread_mutex_unlock(&lock);
    return a;
}

bool mpi_err_string(int code, char *text, size_t size)
{
    const char *name = mpi_err_name(code);
    size_t n = name ? (size_t)snprintf(text, size, "%s: ", name) : 0;
    return n < size && mpi_err_words(code, text + n, size - n);
}
