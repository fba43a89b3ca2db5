/* PRRTE's prterun and Open MPI's orterun, which have the same options. */
#include "launch/cluster/launcher.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

/* It passes nothing on by itself but what begins with its own names. */
static void add_environment(struct words *w)
{
    static const char *const passed[] = { "MPILITE_", "NICEMU_", "LD_LIBRARY_PATH=", "PATH=" };

    for (char **var = environ; *var; var++)
        for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
            if (strncmp(*var, passed[i], strlen(passed[i])) == 0) {
                words_add(w, "-x");
                words_format(w, "%.*s", (int)strcspn(*var, "="), *var);
            }
}

static void add_variables(struct words *w, const struct vars *vars)
{
    for (size_t i = 0; i < vars->count; i++) {
        words_add(w, "-x");
        words_add(w, vars->list[i]);
    }
}

static void add_app(struct words *w, const struct options *o, const struct app *app)
{
    words_add(w, "-n");
    words_format(w, "%u", launcher_ranks(o, app));
    if (app->dir) {
        words_add(w, "--wdir");
        words_add(w, app->dir);
    }
    add_environment(w);
    add_variables(w, &o->vars);
    add_variables(w, &app->vars);
    words_add_all(w, app->argv);
}

static void add_stdin(struct words *w, long rank)
{
    words_add(w, "--stdin");
    if (rank >= 0)
        words_format(w, "%ld", rank);
    else
        words_add(w, rank == STDIN_ALL ? "all" : "none");
}

static void translate(struct words *w, const struct options *o)
{
    words_add(w, "--host");
    launcher_add_hosts(w, o, true);
    words_add(w, "--oversubscribe");
    if (geteuid() == 0)
        words_add(w, "--allow-run-as-root");
    if (o->app[0].per_node) {
        words_add(w, "--map-by");
        words_format(w, "ppr:%u:node", o->app[0].per_node);
    }
    if (o->looks.tag)
        words_add(w, "--tag-output");
    if (o->timeout_ns) {
        words_add(w, "--timeout");
        words_format(w, "%lld", launcher_seconds(o));
    }
    if (o->stdin_rank)
        add_stdin(w, o->stdin_rank);
    if (o->policy.bind == BIND_NONE || o->policy.bind == BIND_LEVEL) {
        words_add(w, "--bind-to");
        words_add(w, o->policy.bind == BIND_NONE
                  ? "none" : launcher_prte.levels[o->policy.bind_level]);
    }
    for (unsigned i = 0; i < o->apps; i++) {
        if (i)
            words_add(w, ":");
        add_app(w, o, &o->app[i]);
    }
}

const struct launcher launcher_prte = {
    .programs = { "prterun", "orterun" }, .several = true,
    .levels = { [LEVEL_HWTHREAD] = "hwthread", [LEVEL_CORE] = "core", [LEVEL_L2CACHE] = "l2cache",
                [LEVEL_L3CACHE] = "l3cache", [LEVEL_NUMA] = "numa", [LEVEL_SOCKET] = "socket",
                [LEVEL_MACHINE] = "none" },
    .translate = translate,
};
