#include <pthread.h>
#include <stdlib.h>
#include "fortran/attributes.h"

/* -- cells ------------------------------------------------------------------------------------- */

/* On a little-endian machine C finds a default integer (MPI_Attr_put) at the same address. */
struct cell {
    MPI_Aint value;
    struct cell *next;
};

enum { CHAINS = 256 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cell *chains[CHAINS];     /* under lock */
static struct mpif_keyval *keyvals;     /* all of them; under lock */

static struct cell **chain_of(const void *address)
{
    return &chains[((uintptr_t)address >> 4) % CHAINS];
}

/* Where the chain points to the cell, or its end.  Under lock. */
static struct cell **find(const void *address)
{
    struct cell **place = chain_of(address);

    while (*place && *place != address)
        place = &(*place)->next;
    return place;
}

void *mpif_cell_new(MPI_Aint value)
{
    struct cell *cell = malloc(sizeof *cell);

    if (!cell)
        return NULL;
    cell->value = value;
    pthread_mutex_lock(&lock);
    cell->next = *chain_of(cell);
    *chain_of(cell) = cell;
    pthread_mutex_unlock(&lock);
    return cell;
}

void mpif_cell_free(void *attribute)
{
    struct cell **place, *cell;

    pthread_mutex_lock(&lock);
    place = find(attribute);
    cell = *place;
    if (cell)
        *place = cell->next;
    pthread_mutex_unlock(&lock);
    free(cell);
}

/* MPI's own attributes are pointers to int in C, and those integers in Fortran. */
static bool is_predefined(int keyval)
{
    return keyval >= MPI_TAG_UB && keyval <= MPI_UNIVERSE_SIZE;
}

MPI_Aint mpif_attribute(int keyval, void *attribute)
{
    struct cell *cell;
    MPI_Aint value;

    if (is_predefined(keyval))
        return *(int *)attribute;
    if (keyval == MPI_WIN_BASE)
        return (MPI_Aint)attribute;
    if (keyval == MPI_WIN_SIZE)
        return *(MPI_Aint *)attribute;
    if (keyval >= MPI_WIN_DISP_UNIT && keyval <= MPI_WIN_MODEL)
        return *(int *)attribute;
    pthread_mutex_lock(&lock);
    cell = *find(attribute);
    value = cell ? cell->value : (MPI_Aint)attribute;
    pthread_mutex_unlock(&lock);
    return value;
}

/* -- keyvals ----------------------------------------------------------------------------------- */

struct mpif_keyval *mpif_keyval_new(mpif_function *copy, mpif_function *remove, MPI_Aint extra,
                                    bool of_default)
{
    struct mpif_keyval *k = malloc(sizeof *k);

    if (!k)
        return NULL;
    *k = (struct mpif_keyval){ .copy = copy, .remove = remove, .extra = extra,
                               .of_default = of_default };
    pthread_mutex_lock(&lock);
    k->next = keyvals;
    keyvals = k;
    pthread_mutex_unlock(&lock);
    return k;
}

typedef void copy_address(int *object, int *keyval, MPI_Aint *extra, MPI_Aint *in, MPI_Aint *out,
                          int *flag, int *ierror);
typedef void copy_default(int *object, int *keyval, int *extra, int *in, int *out, int *flag,
                          int *ierror);
typedef void delete_address(int *object, int *keyval, MPI_Aint *value, MPI_Aint *extra,
                            int *ierror);
typedef void delete_default(int *object, int *keyval, int *value, int *extra, int *ierror);

static int copy(int object, int keyval, const struct mpif_keyval *k, void *in, void *out,
                int *flag)
{
    MPI_Aint value = mpif_attribute(keyval, in), extra = k->extra, made = 0;
    int value_4 = (int)value, extra_4 = (int)extra, made_4 = 0, ierror = MPI_SUCCESS;

    *flag = 0;
    if (k->of_default) {
        ((copy_default *)k->copy)(&object, &keyval, &extra_4, &value_4, &made_4, flag, &ierror);
        made = made_4;
    } else
        ((copy_address *)k->copy)(&object, &keyval, &extra, &value, &made, flag, &ierror);
    if (ierror != MPI_SUCCESS || !*flag)
        return ierror;
    *flag = 1;
    *(void **)out = mpif_cell_new(made);
    return *(void **)out ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

static int remove_one(int object, int keyval, const struct mpif_keyval *k, void *attribute)
{
    MPI_Aint value = mpif_attribute(keyval, attribute), extra = k->extra;
    int value_4 = (int)value, extra_4 = (int)extra, ierror = MPI_SUCCESS;

    if (k->of_default)
        ((delete_default *)k->remove)(&object, &keyval, &value_4, &extra_4, &ierror);
    else
        ((delete_address *)k->remove)(&object, &keyval, &value, &extra, &ierror);
    if (ierror == MPI_SUCCESS)
        mpif_cell_free(attribute);
    return ierror;
}

int mpif_comm_copy(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
    return copy(PMPI_Comm_toint(comm), keyval, extra, in, out, flag);
}

int mpif_type_copy(MPI_Datatype type, int keyval, void *extra, void *in, void *out, int *flag)
{
    return copy(PMPI_Type_toint(type), keyval, extra, in, out, flag);
}

int mpif_win_copy(MPI_Win win, int keyval, void *extra, void *in, void *out, int *flag)
{
    return copy(PMPI_Win_toint(win), keyval, extra, in, out, flag);
}

int mpif_comm_delete(MPI_Comm comm, int keyval, void *attribute, void *extra)
{
    return remove_one(PMPI_Comm_toint(comm), keyval, extra, attribute);
}

int mpif_type_delete(MPI_Datatype type, int keyval, void *attribute, void *extra)
{
    return remove_one(PMPI_Type_toint(type), keyval, extra, attribute);
}

int mpif_win_delete(MPI_Win win, int keyval, void *attribute, void *extra)
{
    return remove_one(PMPI_Win_toint(win), keyval, extra, attribute);
}

/* -- generalized requests ---------------------------------------------------------------------- */

typedef void query_function(MPI_Aint *extra, MPI_Status *status, int *ierror);
typedef void free_function(MPI_Aint *extra, int *ierror);
typedef void cancel_function(MPI_Aint *extra, int *complete, int *ierror);

int mpif_grequest_query(void *extra_state, MPI_Status *status)
{
    struct mpif_grequest *g = extra_state;
    int ierror = MPI_SUCCESS;

    ((query_function *)g->query)(&g->extra, status, &ierror);
    return ierror;
}

int mpif_grequest_free(void *extra_state)
{
    struct mpif_grequest *g = extra_state;
    int ierror = MPI_SUCCESS;

    ((free_function *)g->free)(&g->extra, &ierror);
    free(g);
    return ierror;
}

int mpif_grequest_cancel(void *extra_state, int complete)
{
    struct mpif_grequest *g = extra_state;
    int ierror = MPI_SUCCESS, is_complete = complete != 0;

    ((cancel_function *)g->cancel)(&g->extra, &is_complete, &ierror);
    return ierror;
}
