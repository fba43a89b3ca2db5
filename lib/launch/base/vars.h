/* A list of environment variables, "NAME=VALUE", in the order of execve. */
#ifndef LAUNCH_VARS_H
#define LAUNCH_VARS_H

#include <stdbool.h>
#include <stddef.h>

/* The strings belong to the list; list is NULL or ends with NULL. */
struct vars {
    char **list;
    size_t count;
};

/* Sets a variable; the one of this name is replaced where it stands. */
void vars_set(struct vars *vars, const char *name, const char *value);

/* Sets from "NAME=VALUE" strings, the list ends with NULL (which may be the list itself). */
void vars_add(struct vars *vars, char *const *list);

/* NULL if the variable is not in the list. */
const char *vars_get(const struct vars *vars, const char *name);

void vars_free(struct vars *vars);

/* Which variables of the environment a rank gets. */
struct inherit {
    enum { INHERIT_UNSAID, INHERIT_ALL, INHERIT_NONE, INHERIT_LIST, INHERIT_BUT } kind;
    const char *list;           /* names, with commas between them: these, or all but these */
};

/* Whether "NAME=VALUE" is among them; INHERIT_UNSAID: it is. */
bool inherit_has(const struct inherit *inherit, const char *var);

#endif
