/* Control variables: looking at them, and setting those that are still to be read. */
#define _GNU_SOURCE
#include "tool/cvar_list.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/world.h"
#include "mpi/weak_alias.h"
#include "tool/enumeration.h"
#include "tool/object.h"
#include "tool/tool.h"

struct cvar { struct mpi_tool_object object; unsigned index; };

/* -- what there is */

int PMPI_T_cvar_get_num(int *num_cvar)
{
    TOOL_ENTER();
    if (!num_cvar)
        return MPI_T_ERR_INVALID;
    *num_cvar = mpi_tool_cvar_count();
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(T_cvar_get_num);

static int verbosity_of(const struct nic_variable *v)
{
    static const int of[] = {
        [NIC_VARIABLE_USER] = MPI_T_VERBOSITY_USER_BASIC,
        [NIC_VARIABLE_TRIAL] = MPI_T_VERBOSITY_TUNER_DETAIL,
        [NIC_VARIABLE_RANK] = MPI_T_VERBOSITY_MPIDEV_BASIC,
    };
    return of[v->use];
}

static int scope_of(const struct nic_variable *v)
{
    return v->set == NIC_VARIABLE_FIXED ? MPI_T_SCOPE_CONSTANT
           : v->set == NIC_VARIABLE_AT_START_ALL ? MPI_T_SCOPE_ALL_EQ : MPI_T_SCOPE_LOCAL;
}

static MPI_Datatype datatype_of(const struct nic_variable *v)
{
    return mpi_tool_cvar_kind(v) == MPI_TOOL_CVAR_TEXT ? MPI_CHAR : MPI_INT;
}

int PMPI_T_cvar_get_info(int cvar_index, char *name, int *name_len, int *verbosity,
                         MPI_Datatype *datatype, MPI_T_enum *enumtype, char *desc, int *desc_len,
                         int *bind, int *scope)
{
    char text[1200];
    TOOL_ENTER();
    const struct nic_variable *v = cvar_index < 0 ? NULL : mpi_variable_at((unsigned)cvar_index);
    if (!v)
        return MPI_T_ERR_INVALID_INDEX;
    bool choice = mpi_tool_cvar_kind(v) == MPI_TOOL_CVAR_CHOICE;
    mpi_variable_describe(v, text, sizeof text);
    mpi_tool_string(v->name, name, name_len);
    mpi_tool_string(text, desc, desc_len);
    TOOL_GIVE(verbosity, verbosity_of(v));
    TOOL_GIVE(datatype, datatype_of(v));
    TOOL_GIVE(enumtype, choice ? mpi_tool_enum(MPI_TOOL_ENUM_CVAR, (unsigned)cvar_index)
                               : MPI_T_ENUM_NULL);
    TOOL_GIVE(bind, MPI_T_BIND_NO_OBJECT);
    TOOL_GIVE(scope, scope_of(v));
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(T_cvar_get_info);

int PMPI_T_cvar_get_index(const char *name, int *cvar_index)
{
    const struct nic_variable *v;
    TOOL_ENTER();
    if (!name || !cvar_index)
        return MPI_T_ERR_INVALID;
    for (int i = 0; (v = mpi_variable_at((unsigned)i)); i++)
        if (!strcmp(v->name, name)) {
            *cvar_index = i;
            return MPI_SUCCESS;
        }
    return MPI_T_ERR_INVALID_NAME;
}
MPI_WEAK_ALIAS(T_cvar_get_index);

/* -- handles */

int PMPI_T_cvar_handle_alloc(int cvar_index, void *obj_handle, MPI_T_cvar_handle *handle,
                             int *count)
{
    (void)obj_handle;       /* none is bound to an object */
    TOOL_ENTER();
    const struct nic_variable *v = cvar_index < 0 ? NULL : mpi_variable_at((unsigned)cvar_index);
    if (!v)
        return MPI_T_ERR_INVALID_INDEX;
    if (!handle || !count)
        return MPI_T_ERR_INVALID;
    mpi_tool_begin();
    struct cvar *c = mpi_tool_object_new(MPI_TOOL_CVAR, sizeof *c);
    if (c) {
        c->index = (unsigned)cvar_index;
        *handle = (MPI_T_cvar_handle)c->object.handle;
        *count = mpi_tool_cvar_kind(v) == MPI_TOOL_CVAR_TEXT ? MPI_TOOL_CVAR_TEXT_BYTES : 1;
    }
    mpi_tool_end();
    return c ? MPI_SUCCESS : MPI_T_ERR_OUT_OF_HANDLES;
}
MPI_WEAK_ALIAS(T_cvar_handle_alloc);

int PMPI_T_cvar_handle_free(MPI_T_cvar_handle *handle)
{
    TOOL_ENTER();
    if (!handle)
        return MPI_T_ERR_INVALID_HANDLE;
    mpi_tool_begin();
    struct cvar *c = mpi_tool_object(MPI_TOOL_CVAR, *handle);
    if (c)
        mpi_tool_object_free(&c->object);
    mpi_tool_end();
    if (!c)
        return MPI_T_ERR_INVALID_HANDLE;
    *handle = MPI_T_CVAR_HANDLE_NULL;
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(T_cvar_handle_free);

/* -- values.  The lock keeps other calls from changing the environment meanwhile. */

/* The number of the word that the environment has; 0: none of them. */
static int choice_now(unsigned index, const char *text)
{
    char word[64];
    for (int i = 1; mpi_tool_cvar_choice(index, (unsigned)i, word, sizeof word); i++)
        if (!strcmp(word, text))
            return i;
    return 0;
}

static int number_now(const char *text)
{
    char *end;
    long n = strtol(text, &end, 10);
    return end == text || *end || n < 0 || n > INT32_MAX ? -1 : (int)n;
}

static void get(const struct cvar *c, void *buf)
{
    const struct nic_variable *v = mpi_variable_at(c->index);
    const char *text = getenv(v->name);
    text = text ? text : "";
    switch (mpi_tool_cvar_kind(v)) {
    case MPI_TOOL_CVAR_CHOICE:
        *(int *)buf = choice_now(c->index, text);
        return;
    case MPI_TOOL_CVAR_NUMBER:
        *(int *)buf = number_now(text);
        return;
    case MPI_TOOL_CVAR_TEXT:
        snprintf(buf, MPI_TOOL_CVAR_TEXT_BYTES, "%s", text);
    }
}

int PMPI_T_cvar_read(MPI_T_cvar_handle handle, void *buf)
{
    TOOL_ENTER();
    if (!buf)
        return MPI_T_ERR_INVALID;
    mpi_tool_begin();
    const struct cvar *c = mpi_tool_object(MPI_TOOL_CVAR, handle);
    if (c)
        get(c, buf);
    mpi_tool_end();
    return c ? MPI_SUCCESS : MPI_T_ERR_INVALID_HANDLE;
}
MPI_WEAK_ALIAS(T_cvar_read);

/* Whether a new value would still be read. */
static int check_time(const struct nic_variable *v)
{
    bool launched = getenv("MPILITE_LAUNCHED");
    if (v->set == NIC_VARIABLE_FIXED || (v->set == NIC_VARIABLE_ALONE && launched))
        return MPI_T_ERR_CVAR_SET_NEVER;
    int last = v->set == NIC_VARIABLE_AT_END ? MPI_STATE_INIT : MPI_STATE_NONE;
    return mpi_state_now() <= last ? MPI_SUCCESS : MPI_T_ERR_CVAR_SET_NEVER;
}

/* What the environment gets for the program's value: NULL: nothing; false: it makes no sense. */
static bool text_of(const struct cvar *c, const struct nic_variable *v, const void *buf,
                    char text[MPI_TOOL_CVAR_TEXT_BYTES], const char **given)
{
    enum mpi_tool_cvar_kind kind = mpi_tool_cvar_kind(v);
    int n = kind == MPI_TOOL_CVAR_TEXT ? 0 : *(const int *)buf;
    *given = text;
    if (kind == MPI_TOOL_CVAR_TEXT) {
        if (strnlen(buf, MPI_TOOL_CVAR_TEXT_BYTES) == MPI_TOOL_CVAR_TEXT_BYTES)
            return false;
        strcpy(text, buf);
        *given = *text ? text : NULL;
        return true;
    }
    if (kind == MPI_TOOL_CVAR_NUMBER) {
        snprintf(text, MPI_TOOL_CVAR_TEXT_BYTES, "%d", n);
        *given = n < 0 ? NULL : text;
        return n >= -1;
    }
    if (n == 0)
        *given = NULL;
    return n >= 0 && mpi_tool_cvar_choice(c->index, (unsigned)n, text, MPI_TOOL_CVAR_TEXT_BYTES);
}

static int put(const struct cvar *c, const void *buf)
{
    const struct nic_variable *v = mpi_variable_at(c->index);
    char text[MPI_TOOL_CVAR_TEXT_BYTES];
    const char *given;
    int rc = check_time(v);
    if (rc)
        return rc;
    if (!text_of(c, v, buf, text, &given))
        return MPI_T_ERR_INVALID;
    rc = given ? setenv(v->name, given, 1) : unsetenv(v->name);
    return rc ? MPI_T_ERR_MEMORY : MPI_SUCCESS;
}

int PMPI_T_cvar_write(MPI_T_cvar_handle handle, const void *buf)
{
    TOOL_ENTER();
    if (!buf)
        return MPI_T_ERR_INVALID;
    mpi_tool_begin();
    const struct cvar *c = mpi_tool_object(MPI_TOOL_CVAR, handle);
    int rc = c ? put(c, buf) : MPI_T_ERR_INVALID_HANDLE;
    mpi_tool_end();
    return rc;
}
MPI_WEAK_ALIAS(T_cvar_write);
