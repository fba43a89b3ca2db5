/* Handing a command over to the launcher of a cluster. */
#include "launch/cluster/cluster.h"
#include "base/attach.h"
#include "base/crash.h"
#include "base/findings.h"
#include "launch/base/say.h"
#include "launch/cluster/launcher.h"
#include "nicemu/job.h"
#include "nicemu/sizes.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* In the order in which they are looked for. */
static const struct launcher *const launchers[] = {
    &launcher_srun, &launcher_hydra, &launcher_prte,
};
enum { LAUNCHERS = sizeof launchers / sizeof *launchers };

/* -- finding one */

/* A file of that name in PATH, to be freed; NULL: there is none. */
static char *find_program(const char *name)
{
    const char *path = getenv("PATH");

    for (size_t n; path && *path; path += n + (path[n] == ':')) {
        char *file;
        n = strcspn(path, ":");
        if (n && asprintf(&file, "%.*s/%s", (int)n, path, name) >= 0) {
            if (access(file, X_OK) == 0)
                return file;
            free(file);
        }
    }
    return NULL;
}

static const struct launcher *find_launcher(char **file, const char **name)
{
    for (unsigned i = 0; i < LAUNCHERS; i++) {
        if (launchers[i]->within && !getenv(launchers[i]->within))
            continue;
        for (unsigned p = 0; (*name = launchers[i]->programs[p]); p++)
            if ((*file = find_program(*name)))
                return launchers[i];
    }
    return NULL;
}

/* -- what it cannot do */

static int refuse_here(const char *what, const char *name)
{
    say("%s: ranks on other machines are started by %s, which has no such thing", what, name);
    return EXIT_USAGE;
}

static int refuse_level(const char *level, const char *name)
{
    char what[64];

    snprintf(what, sizeof what, "--bind-to %s", level);
    return refuse_here(what, name);
}

static int check(const struct options *o, const struct launcher *l, const char *name)
{
    if (o->model.name)
        return refuse_here("--model", name);
    if (tracing_wanted(&o->tracing))
        return refuse_here(o->tracing.file ? "--trace" : "--report", name);
    if (debugging_is_checked(&o->debugging))
        return refuse_here("--check", name);
    if (o->debugging.wrapper || o->debugging.xterm)
        return refuse_here("--gdb, --lldb, --valgrind, --xterm and --wrapper", name);
    if (o->topology)
        return refuse_here("--topology", name);
    if (o->rankfile.count)
        return refuse_here("--rankfile", name);
    if (cpulists_said(&o->cpulists))
        return refuse_here("--bind-to rr and user:", name);
    if (o->apps > 1 && !l->several)
        return refuse_here("several programs", name);
    if (o->policy.bind == BIND_LEVEL && !l->levels[o->policy.bind_level])
        return refuse_level(level_name(o->policy.bind_level), name);
    return 0;
}

/* What of the ranks' output and environment is more than launchers have in common. */
static bool own_output(const struct options *o)
{
    bool own = o->style.dir || o->style.file[0] || o->style.file[1] || o->style.merged
        || o->looks.timestamp || o->looks.pattern || o->inherit.kind > INHERIT_ALL
        || o->print_codes;

    for (unsigned i = 0; i < o->apps; i++)
        own |= o->app[i].inherit.kind > INHERIT_ALL;
    return own;
}

/* Placement in more detail than launchers have in common.  A dry run has its report by itself. */
static bool own_placement(const struct options *o)
{
    const struct policy *p = &o->policy;

    return p->map_said || p->order || p->cores_each || p->no_oversubscribe || o->cpus
        || (o->report_bindings && !o->dry_run);
}

static void warn(const struct options *o, const char *name)
{
    if (own_placement(o) && !o->quiet)
        say("warning: of the options of placement only --bind-to LEVEL is passed on: %s places "
            "ranks by itself", name);
    if (own_output(o) && !o->quiet)
        say("warning: of the options of output and environment only -l, -x, -env and -genv are "
            "passed on to %s", name);
}

/* -- handing over */

static void export(const char *name, const char *value) { setenv(name, value, 1); }

static void export_size(const char *name, uint64_t bytes)
{
    char text[32];

    snprintf(text, sizeof text, "%llu", (unsigned long long)bytes);
    export(name, bytes == NIC_HEAP_OFF ? "none" : text);
}

/* What our options say to ranks stands in the environment there. */
static void export_options(const struct options *o)
{
    for (size_t i = 0; i < o->vars.count; i++) {
        char *var = need(strdup(o->vars.list[i])), *value = strchr(var, '=');
        *value = 0;
        export(var, value + 1);
        free(var);
    }
    if (o->memory.scratchpad)
        export_size(NIC_ENV_SCRATCHPAD, o->memory.scratchpad);
    if (o->memory.heap)
        export_size(NIC_ENV_HEAP, o->memory.heap);
    if (o->debugging.attach)
        export(ATTACH_ENV, o->debugging.attach);
    if (!o->check_finalize)
        export("MPILITE_FINALIZE", "off");
    if (!o->watch_standstill)
        export("MPILITE_DEADLOCK", "off");
}

/* One program's own variables, for a launcher that takes the whole environment along. */
static void export_program(const struct options *o)
{
    for (size_t i = 0; i < o->app[0].vars.count; i++)
        putenv(o->app[0].vars.list[i]);
}

/* Of a job around this one, in which the new ranks have no part. */
static void leave_job(void)
{
    static const char *const names[] = { NIC_ENV_JOB_FD, NIC_ENV_RANK, NIC_ENV_THREAD_CPUS,
                                         "MPILITE_LAUNCHED", "MPILITE_SIZE", "MPILITE_PROGRAM",
                                         CRASH_ENV_FD, FINDINGS_ENV_FD };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
}

static int become(const char *file, const struct words *words)
{
    signal(SIGCHLD, SIG_DFL);
    execv(file, words->list);
    say("cannot start %s: %s", file, strerror(errno));
    return errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

int cluster_run(const struct options *o)
{
    struct words words = { 0 };
    const char *name;
    char *file = NULL;
    const struct launcher *l = find_launcher(&file, &name);

    if (!l) {
        say("host %s is another machine: ranks there are started by mpiexec.hydra, prterun, "
            "orterun or, inside an allocation of Slurm, srun, and none of them is in PATH "
            "(Debian, Ubuntu: apt-get install mpich)", o->hosts.elsewhere);
        return EXIT_NOT_FOUND;
    }
    int rc = check(o, l, name);
    if (!rc) {
        warn(o, name);
        export_options(o);
        if (!l->several)
            export_program(o);
        words_add(&words, name);
        leave_job();
        l->translate(&words, o);
        char *text = words_quote(&words);
        if (!o->quiet || o->dry_run)
            say("other machines: %s", text);
        free(text);
        if (!o->dry_run)
            rc = become(file, &words);
    }
    words_free(&words);
    free(file);
    return rc;
}
