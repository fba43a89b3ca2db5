/* MPICH's mpiexec.hydra. */
#include "launch/cluster/launcher.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Variables of one program. */
static void add_variables(struct words *w, const struct vars *vars)
{
    for (size_t i = 0; i < vars->count; i++) {
        const char *value = strchr(vars->list[i], '=');
        words_add(w, "-env");
        words_format(w, "%.*s", (int)(value - vars->list[i]), vars->list[i]);
        words_add(w, value + 1);
    }
}

static void add_app(struct words *w, const struct options *o, const struct app *app)
{
    words_add(w, "-n");
    words_format(w, "%u", launcher_ranks(o, app));
    if (app->dir) {
        words_add(w, "-wdir");
        words_add(w, app->dir);
    }
    add_variables(w, &app->vars);
    words_add_all(w, app->argv);
}

static void translate(struct words *w, const struct options *o)
{
    words_add(w, "-hosts");
    launcher_add_hosts(w, o, true);
    if (o->app[0].per_node) {
        words_add(w, "-ppn");
        words_format(w, "%u", o->app[0].per_node);
    }
    if (o->looks.tag)
        words_add(w, "-prepend-rank");
    if (o->policy.bind == BIND_NONE) {
        words_add(w, "-bind-to");
        words_add(w, "none");
    } else if (o->policy.bind == BIND_LEVEL && launcher_hydra.levels[o->policy.bind_level]) {
        words_add(w, "-bind-to");
        words_add(w, launcher_hydra.levels[o->policy.bind_level]);
    }
    if (o->timeout_ns) {
        char seconds[32];
        snprintf(seconds, sizeof seconds, "%lld", launcher_seconds(o));
        setenv("MPIEXEC_TIMEOUT", seconds, 1);
    }
    for (unsigned i = 0; i < o->apps; i++) {
        if (i)
            words_add(w, ":");
        add_app(w, o, &o->app[i]);
    }
}

const struct launcher launcher_hydra = {
    .programs = { "mpiexec.hydra" }, .several = true,
    .levels = { [LEVEL_HWTHREAD] = "hwthread", [LEVEL_CORE] = "core", [LEVEL_L2CACHE] = "l2cache",
                [LEVEL_L3CACHE] = "l3cache", [LEVEL_NUMA] = "numa", [LEVEL_SOCKET] = "socket" },
    .translate = translate,
};
