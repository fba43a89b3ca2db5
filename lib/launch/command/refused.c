#include "launch/command/refused.h"

#include <stdlib.h>
#include <string.h>

#include "launch/base/say.h"
#include "launch/command/values.h"
#include "nicemu/variables.h"

/* The model's machines are those of its profile. */
static bool means_nothing(const struct options *o, const char *name, const char *value)
{
    return o->model.name && strcmp(name, "NICEMU_MACHINES") == 0 && strtoul(value, NULL, 10) > 1;
}

/* Of "NAME=VALUE". */
static int check(const struct options *o, const char *variable)
{
    size_t bytes = strcspn(variable, "=");
    char name[32], why[300];

    if (!variable[bytes] || bytes >= sizeof name)
        return 0;
    memcpy(name, variable, bytes);
    name[bytes] = '\0';
    const char *value = variable + bytes + 1;
    if (strcmp(name, "NICEMU_OFFLOAD") == 0 && !option_is_offload(value))
        return say_usage("'%s' is no value for NICEMU_OFFLOAD: it must be none, forward, match or "
                         "all", value);
    if (!nic_variable_takes(name, value, o->ranks, why, sizeof why))
        return say_usage("%s", why);
    return means_nothing(o, name, value)
           ? say_usage("NICEMU_MACHINES does not go with --model") : 0;
}

static int check_list(const struct options *o, char *const *list)
{
    int rc = 0;

    for (; list && *list && !rc; list++)
        rc = check(o, *list);
    return rc;
}

/* An option goes before the environment, which must make sense nevertheless. */
int refused_variable(const struct options *o)
{
    extern char **environ;
    int rc = check_list(o, environ);

    rc = rc ? rc : check_list(o, o->vars.list);
    for (unsigned i = 0; i < o->apps && !rc; i++)
        rc = check_list(o, o->app[i].vars.list);
    return rc;
}
