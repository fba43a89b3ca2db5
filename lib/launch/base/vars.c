/* Environment variables. */
#include "launch/base/vars.h"
#include "launch/base/say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t name_length(const char *var)
{
    return strcspn(var, "=");
}

static char **find(const struct vars *vars, const char *name, size_t length)
{
    for (size_t i = 0; i < vars->count; i++)
        if (strncmp(vars->list[i], name, length) == 0 && vars->list[i][length] == '=')
            return &vars->list[i];
    return NULL;
}

/* Takes over the string. */
static void put(struct vars *vars, char *var)
{
    char **old = find(vars, var, name_length(var));

    if (old) {
        free(*old);
        *old = var;
        return;
    }
    vars->list = need(realloc(vars->list, (vars->count + 2) * sizeof *vars->list));
    vars->list[vars->count++] = var;
    vars->list[vars->count] = NULL;
}

void vars_set(struct vars *vars, const char *name, const char *value)
{
    char *var = need(malloc(strlen(name) + strlen(value) + 2));

    stpcpy(stpcpy(stpcpy(var, name), "="), value);
    put(vars, var);
}

void vars_add(struct vars *vars, char *const *list)
{
    for (; list && *list; list++)
        put(vars, need(strdup(*list)));
}

const char *vars_get(const struct vars *vars, const char *name)
{
    size_t length = strlen(name);
    char **var = find(vars, name, length);

    return var ? *var + length + 1 : NULL;
}

void vars_free(struct vars *vars)
{
    for (size_t i = 0; i < vars->count; i++)
        free(vars->list[i]);
    free(vars->list);
    *vars = (struct vars){ 0 };
}

static bool is_listed(const char *list, const char *name, size_t length)
{
    while (*list) {
        size_t bytes = strcspn(list, ",");
        if (bytes == length && strncmp(list, name, length) == 0)
            return true;
        list += bytes + (list[bytes] == ',');
    }
    return false;
}

bool inherit_has(const struct inherit *inherit, const char *var)
{
    if (inherit->kind == INHERIT_LIST || inherit->kind == INHERIT_BUT)
        return is_listed(inherit->list, var, name_length(var)) == (inherit->kind == INHERIT_LIST);
    return inherit->kind != INHERIT_NONE;
}
