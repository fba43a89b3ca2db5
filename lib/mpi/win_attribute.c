/* Attributes of windows, and their keys. */
#include "core/attribute.h"
#include "mpi/weak_alias.h"
#include "mpi/win_args.h"
#include "mpi/win_info.h"

int PMPI_Win_create_keyval(MPI_Win_copy_attr_function *win_copy_attr_fn,
                           MPI_Win_delete_attr_function *win_delete_attr_fn, int *win_keyval,
                           void *extra_state)
{
    const char *call = "MPI_Win_create_keyval";
    MPI_ENTER(call);
    if (!win_keyval)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the address for the key is NULL");
    *win_keyval = mpi_key_new(MPI_KEY_WIN, (union mpi_key_copy){ .win = win_copy_attr_fn },
                              (union mpi_key_delete){ .win = win_delete_attr_fn }, extra_state);
    if (*win_keyval == MPI_KEYVAL_INVALID)
        return mpi_err(NULL, call, MPI_ERR_NO_MEM, "no memory for another key");
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Win_create_keyval);

int PMPI_Win_free_keyval(int *win_keyval)
{
    const char *call = "MPI_Win_free_keyval";
    MPI_ENTER(call);
    if (!win_keyval)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the address of the key is NULL");
    if (!mpi_key_free(MPI_KEY_WIN, *win_keyval))
        return mpi_err(NULL, call, MPI_ERR_KEYVAL, "%d is no key of windows (freed?)",
                       *win_keyval);
    *win_keyval = MPI_KEYVAL_INVALID;
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Win_free_keyval);

int mpi_win_attribute_raise(struct mpi_win *w, const char *call,
                            const struct mpi_attribute_error *e)
{
    return mpi_win_err(w, call, e->code, "key %d: %s (code %d)", e->key, e->step, e->code);
}

/* The window's own: where its value stands.  NULL: the key is none of these. */
static void *predefined(struct mpi_win *w, int keyval)
{
    switch (keyval) {
    case MPI_WIN_BASE:
        return &w->base;
    case MPI_WIN_SIZE:
        return &w->size;
    case MPI_WIN_DISP_UNIT:
        return &w->unit_int;
    case MPI_WIN_CREATE_FLAVOR:
        return &w->flavor;
    case MPI_WIN_MODEL:
        return &w->model;
    default:
        return NULL;
    }
}

/* good: what the call asks of a key, mpi_key_valid or mpi_key_lives. */
static int enter(const char *call, MPI_Win win, int keyval,
                 bool good(enum mpi_key_kind kind, int number), struct mpi_win **w)
{
    MPI_ENTER(call);
    int rc = mpi_check_win(call, win, w);
    if (rc || good(MPI_KEY_WIN, keyval))
        return rc;
    if (predefined(*w, keyval))
        return mpi_win_err(*w, call, MPI_ERR_KEYVAL, "key %d is predefined", keyval);
    return mpi_win_err(*w, call, MPI_ERR_KEYVAL, keyval == MPI_KEYVAL_INVALID
                       ? "%d is MPI_KEYVAL_INVALID" : "%d is no key of windows (freed?)", keyval);
}

int PMPI_Win_set_attr(MPI_Win win, int win_keyval, void *attribute_val)
{
    const char *call = "MPI_Win_set_attr";
    struct mpi_attribute_error error;
    struct mpi_win *w;
    int rc = enter(call, win, win_keyval, mpi_key_valid, &w);
    if (!rc && !mpi_attribute_set(&w->attributes, (uintptr_t)win, win_keyval, attribute_val,
                                  &error))
        rc = mpi_win_attribute_raise(w, call, &error);
    return rc;
}
MPI_WEAK_ALIAS(Win_set_attr);

/* The base itself, and where the others' values stand. */
static void give_predefined(const struct mpi_win *w, int keyval, void *value, void *attribute_val)
{
    *(void **)attribute_val = keyval == MPI_WIN_BASE ? w->base : value;
}

int PMPI_Win_get_attr(MPI_Win win, int win_keyval, void *attribute_val, int *flag)
{
    const char *call = "MPI_Win_get_attr";
    struct mpi_win *w;
    MPI_ENTER(call);
    int rc = mpi_check_win(call, win, &w);
    if (!rc && (!attribute_val || !flag))
        rc = mpi_win_err(w, call, MPI_ERR_ARG, "the address for the value or the flag is NULL");
    if (rc)
        return rc;
    void *value = predefined(w, win_keyval);
    *flag = value != NULL;
    if (value)
        give_predefined(w, win_keyval, value, attribute_val);
    else if (!(rc = enter(call, win, win_keyval, mpi_key_lives, &w)))
        *flag = mpi_attribute_get(&w->attributes, win_keyval, attribute_val);
    return rc;
}
MPI_WEAK_ALIAS(Win_get_attr);

int PMPI_Win_delete_attr(MPI_Win win, int win_keyval)
{
    const char *call = "MPI_Win_delete_attr";
    struct mpi_attribute_error error;
    struct mpi_win *w;
    int rc = enter(call, win, win_keyval, mpi_key_lives, &w);
    if (!rc && !mpi_attribute_delete(&w->attributes, (uintptr_t)win, win_keyval, &error))
        rc = mpi_win_attribute_raise(w, call, &error);
    return rc;
}
MPI_WEAK_ALIAS(Win_delete_attr);
