/* Attributes of communicators and datatypes, and their keys. */
#include <limits.h>

#include "core/attribute.h"
#include "core/derived.h"
#include "core/err.h"
#include "core/world.h"
#include "mpi/args.h"
#include "mpi/attribute.h"
#include "mpi/job_numbers.h"
#include "mpi/weak_alias.h"

/* -- keys */

static int key_create(const char *call, enum mpi_key_kind kind, union mpi_key_copy copy,
                      union mpi_key_delete delete, void *extra, int *keyval)
{
    MPI_ENTER(call);
    if (!keyval)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the address for the key is NULL");
    *keyval = mpi_key_new(kind, copy, delete, extra);
    if (*keyval == MPI_KEYVAL_INVALID)
        return mpi_err(NULL, call, MPI_ERR_NO_MEM, "no memory for another key");
    return MPI_SUCCESS;
}

static int bad_key(struct mpi_comm *c, const char *call, enum mpi_key_kind kind, int keyval)
{
    const char *of = kind == MPI_KEY_COMM ? "communicators" : "datatypes";
    if (keyval == MPI_KEYVAL_INVALID)
        return mpi_err(c, call, MPI_ERR_KEYVAL, "the key is MPI_KEYVAL_INVALID");
    if (kind == MPI_KEY_COMM && mpi_job_number(keyval))
        return mpi_err(c, call, MPI_ERR_KEYVAL, "key %d is predefined", keyval);
    return mpi_err(c, call, MPI_ERR_KEYVAL, "%d is no key of %s (freed?)", keyval, of);
}

static int key_free(const char *call, enum mpi_key_kind kind, int *keyval)
{
    MPI_ENTER(call);
    if (!keyval)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the address of the key is NULL");
    if (!mpi_key_free(kind, *keyval))
        return bad_key(NULL, call, kind, *keyval);
    *keyval = MPI_KEYVAL_INVALID;
    return MPI_SUCCESS;
}

/* -- objects.  comm: where errors are raised; NULL: MPI_COMM_SELF. */

struct object {
    const char *call;
    enum mpi_key_kind kind;
    struct mpi_attributes *attributes;
    uintptr_t handle;
    struct mpi_comm *comm;
};

static int of_comm(struct object *o, MPI_Comm comm)
{
    MPI_ENTER(o->call);
    int rc = mpi_check_comm(o->call, comm, &o->comm);
    o->kind = MPI_KEY_COMM;
    o->handle = (uintptr_t)comm;
    if (!rc)
        o->attributes = &o->comm->attributes;
    return rc;
}

static int of_type(struct object *o, MPI_Datatype type)
{
    const struct mpi_type *t;
    MPI_ENTER(o->call);
    int rc = mpi_check_type(o->call, NULL, type, &t);
    o->kind = MPI_KEY_TYPE;
    o->handle = (uintptr_t)type;
    if (!rc)
        o->attributes = mpi_type_attributes(t);
    return rc;
}

int mpi_attribute_raise(struct mpi_comm *c, const char *call, const struct mpi_attribute_error *e)
{
    switch (e->step[0]) {
    case 'c': case 'd':
        return mpi_err(c, call, e->code, "the %s function of key %d returned %d", e->step, e->key,
                       e->code);
    case 'm':
        return mpi_err(c, call, e->code, "no memory for an attribute");
    default:
        if (e->key == MPI_KEYVAL_INVALID)
            return mpi_err(c, call, e->code, "the object is %s", e->step);
        return mpi_err(c, call, e->code, "key %d: %s", e->key, e->step);
    }
}

static int set(const struct object *o, int keyval, void *value)
{
    struct mpi_attribute_error error;
    if (!mpi_key_valid(o->kind, keyval))
        return bad_key(o->comm, o->call, o->kind, keyval);
    if (mpi_attribute_set(o->attributes, o->handle, keyval, value, &error))
        return MPI_SUCCESS;
    return mpi_attribute_raise(o->comm, o->call, &error);
}

static int get(const struct object *o, int keyval, void *value, int *flag)
{
    const int *number = o->kind == MPI_KEY_COMM ? mpi_job_number(keyval) : NULL;
    if (!value || !flag)
        return mpi_err(o->comm, o->call, MPI_ERR_ARG,
                       "the address for the value or the flag is NULL");
    if (number) {
        *flag = 1;
        *(void **)value = (void *)(uintptr_t)number;
        return MPI_SUCCESS;
    }
    *flag = mpi_attribute_get(o->attributes, keyval, value);
    if (!*flag && !mpi_key_lives(o->kind, keyval))
        return bad_key(o->comm, o->call, o->kind, keyval);
    return MPI_SUCCESS;
}

static int delete(const struct object *o, int keyval)
{
    struct mpi_attribute_error error;
    if (!mpi_key_lives(o->kind, keyval))
        return bad_key(o->comm, o->call, o->kind, keyval);
    if (mpi_attribute_delete(o->attributes, o->handle, keyval, &error))
        return MPI_SUCCESS;
    return mpi_attribute_raise(o->comm, o->call, &error);
}

/* -- the calls, of communicators with the names that MPI-1 had */

#define COMM_CALLS(create, free_key, set_value, get_value, delete_value, copy_fn, delete_fn) \
    int PMPI_##create(copy_fn *comm_copy_attr_fn, delete_fn *comm_delete_attr_fn, \
                      int *comm_keyval, void *extra_state) \
    { \
        return key_create("MPI_" #create, MPI_KEY_COMM, \
                          (union mpi_key_copy){ .comm = comm_copy_attr_fn }, \
                          (union mpi_key_delete){ .comm = comm_delete_attr_fn }, extra_state, \
                          comm_keyval); \
    } \
    MPI_WEAK_ALIAS(create); \
    int PMPI_##free_key(int *comm_keyval) \
    { \
        return key_free("MPI_" #free_key, MPI_KEY_COMM, comm_keyval); \
    } \
    MPI_WEAK_ALIAS(free_key); \
    int PMPI_##set_value(MPI_Comm comm, int comm_keyval, void *attribute_val) \
    { \
        struct object o = { .call = "MPI_" #set_value }; \
        int rc = of_comm(&o, comm); \
        return rc ? rc : set(&o, comm_keyval, attribute_val); \
    } \
    MPI_WEAK_ALIAS(set_value); \
    int PMPI_##get_value(MPI_Comm comm, int comm_keyval, void *attribute_val, int *flag) \
    { \
        struct object o = { .call = "MPI_" #get_value }; \
        int rc = of_comm(&o, comm); \
        return rc ? rc : get(&o, comm_keyval, attribute_val, flag); \
    } \
    MPI_WEAK_ALIAS(get_value); \
    int PMPI_##delete_value(MPI_Comm comm, int comm_keyval) \
    { \
        struct object o = { .call = "MPI_" #delete_value }; \
        int rc = of_comm(&o, comm); \
        return rc ? rc : delete(&o, comm_keyval); \
    } \
    MPI_WEAK_ALIAS(delete_value)

COMM_CALLS(Comm_create_keyval, Comm_free_keyval, Comm_set_attr, Comm_get_attr, Comm_delete_attr,
           MPI_Comm_copy_attr_function, MPI_Comm_delete_attr_function);
COMM_CALLS(Keyval_create, Keyval_free, Attr_put, Attr_get, Attr_delete, MPI_Copy_function,
           MPI_Delete_function);

int PMPI_Type_create_keyval(MPI_Type_copy_attr_function *type_copy_attr_fn,
                            MPI_Type_delete_attr_function *type_delete_attr_fn, int *type_keyval,
                            void *extra_state)
{
    return key_create("MPI_Type_create_keyval", MPI_KEY_TYPE,
                      (union mpi_key_copy){ .type = type_copy_attr_fn },
                      (union mpi_key_delete){ .type = type_delete_attr_fn }, extra_state,
                      type_keyval);
}
MPI_WEAK_ALIAS(Type_create_keyval);

int PMPI_Type_free_keyval(int *type_keyval)
{
    return key_free("MPI_Type_free_keyval", MPI_KEY_TYPE, type_keyval);
}
MPI_WEAK_ALIAS(Type_free_keyval);

int PMPI_Type_set_attr(MPI_Datatype datatype, int type_keyval, void *attribute_val)
{
    struct object o = { .call = "MPI_Type_set_attr" };
    int rc = of_type(&o, datatype);
    return rc ? rc : set(&o, type_keyval, attribute_val);
}
MPI_WEAK_ALIAS(Type_set_attr);

int PMPI_Type_get_attr(MPI_Datatype datatype, int type_keyval, void *attribute_val, int *flag)
{
    struct object o = { .call = "MPI_Type_get_attr" };
    int rc = of_type(&o, datatype);
    return rc ? rc : get(&o, type_keyval, attribute_val, flag);
}
MPI_WEAK_ALIAS(Type_get_attr);

int PMPI_Type_delete_attr(MPI_Datatype datatype, int type_keyval)
{
    struct object o = { .call = "MPI_Type_delete_attr" };
    int rc = of_type(&o, datatype);
    return rc ? rc : delete(&o, type_keyval);
}
MPI_WEAK_ALIAS(Type_delete_attr);
