/* Attributes: values that a program hangs on communicators, datatypes and windows, under keys, and
 * its functions that are called when an object is duplicated or a value goes.
 *
 * Thread rules: one lock covers keys and lists, taken inside; no function of the program runs under
 * it, so these may call MPI, and nest. */
#ifndef MPI_ATTRIBUTE_H
#define MPI_ATTRIBUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi.h"

enum mpi_key_kind { MPI_KEY_COMM, MPI_KEY_TYPE, MPI_KEY_WIN };

/* Which member holds depends on the kind of the key; 0 and 1 stand for the ready-made ones. */
union mpi_key_copy {
    MPI_Comm_copy_attr_function *comm;
    MPI_Type_copy_attr_function *type;
    MPI_Win_copy_attr_function *win;
};
union mpi_key_delete {
    MPI_Comm_delete_attr_function *comm;
    MPI_Type_delete_attr_function *type;
    MPI_Win_delete_attr_function *win;
};

/* A new key; MPI_KEYVAL_INVALID: no memory. */
int mpi_key_new(enum mpi_key_kind kind, union mpi_key_copy copy, union mpi_key_delete delete,
                void *extra);
/* Whether a number is one of these, made by the program and not freed. */
bool mpi_key_valid(enum mpi_key_kind kind, int number);
/* The same, or freed while objects have values under it: these may be read and deleted. */
bool mpi_key_lives(enum mpi_key_kind kind, int number);
/* The program gives it up, or has done so before: it lives on with its last value.  False: there is
 * no such key. */
bool mpi_key_free(enum mpi_key_kind kind, int number);

/* The values of one object.  All zero: none.  Owner: the object. */
struct mpi_attributes {
    struct mpi_attribute *newest;
    unsigned copies;            /* under way; under the lock of attribute.c */
};

/* What went wrong: `code` is what the program's function returned, or MPI_ERR_NO_MEM or
 * MPI_ERR_KEYVAL, and `step` which it was. */
struct mpi_attribute_error { int code, key; const char *step; };

/* False: there is no value. */
bool mpi_attribute_get(const struct mpi_attributes *a, int key, void **value);

/* handle: the object's.  False: an error; the value is what it was.  To set a value again deletes
 * the old one first; to delete one that is not there does nothing. */
bool mpi_attribute_set(struct mpi_attributes *a, uintptr_t handle, int key, void *value,
                       struct mpi_attribute_error *error);
bool mpi_attribute_delete(struct mpi_attributes *a, uintptr_t handle, int key,
                          struct mpi_attribute_error *error);

/* All that the program's functions let pass, from an object to its new duplicate, oldest first; and
 * all deleted, newest first.  False: an error, and the rest is as it was; MPI_ERR_KEYVAL if a
 * function of one of the object's values runs, as the object must stay until it has. */
bool mpi_attributes_copy(struct mpi_attributes *from, uintptr_t handle,
                         struct mpi_attributes *to, struct mpi_attribute_error *error);
bool mpi_attributes_clear(struct mpi_attributes *a, uintptr_t handle,
                          struct mpi_attribute_error *error);

/* The same of an object that goes in any case, or was never the program's: all are deleted,
 * whatever their functions return.  False: an error, the first one. */
bool mpi_attributes_abandon(struct mpi_attributes *a, uintptr_t handle,
                            struct mpi_attribute_error *error);

#endif
