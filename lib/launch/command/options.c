/* Reads the command line. */
#include "base/variables.h"
#include "launch/command/options.h"
#include "launch/command/help.h"
#include "launch/where/hosts.h"
#include "nicemu/place.h"
#include "nicemu/sizes.h"
#include "launch/where/policy.h"
#include "launch/base/say.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum option_id {
    OPT_RANKS, OPT_EXPORT, OPT_ENV, OPT_GENV, OPT_DIR, OPT_TAG, OPT_TIMEOUT, OPT_GRACE, OPT_STDIN,
    OPT_QUIET, OPT_VERBOSE,
    OPT_VERSION, OPT_HELP, OPT_HELP_ENVIRONMENT, OPT_IGNORED, OPT_MCA, OPT_HOSTFILE, OPT_HOSTS,
    OPT_NO_STANDSTILL, OPT_NO_FINALIZE,
    OPT_BIND, OPT_MAP, OPT_ORDER, OPT_CPUS, OPT_REPORT, OPT_DRY_RUN, OPT_TOPOLOGY, OPT_OFFLOAD,
    OPT_SCRATCHPAD, OPT_HEAP,
    OPT_MODEL, OPT_SET, OPT_MODEL_HASH, OPT_MODEL_LOG, OPT_MODEL_SERIAL, OPT_COMPUTE, OPT_EXPLAIN,
    OPT_EXPLAIN_MOST, OPT_EXPLAIN_FILE, OPT_PER_NODE,
};

/* Names without their dashes: one and two mean the same.  Where a name stands twice, the second is
 * that with a value behind "=". */
static const struct spec {
    const char *name;
    unsigned char values, id;
} specs[] = {
    { "n", 1, OPT_RANKS }, { "np", 1, OPT_RANKS }, { "c", 1, OPT_RANKS },
    { "x", 1, OPT_EXPORT }, { "env", 2, OPT_ENV }, { "genv", 2, OPT_GENV },
    { "wd", 1, OPT_DIR }, { "wdir", 1, OPT_DIR },
    { "l", 0, OPT_TAG }, { "tag-output", 0, OPT_TAG }, { "prepend-rank", 0, OPT_TAG },
    { "timeout", 1, OPT_TIMEOUT }, { "grace", 1, OPT_GRACE }, { "stdin", 1, OPT_STDIN },
    { "q", 0, OPT_QUIET }, { "quiet", 0, OPT_QUIET }, { "v", 0, OPT_VERBOSE },
    { "verbose", 0, OPT_VERBOSE },
    { "V", 0, OPT_VERSION }, { "version", 0, OPT_VERSION }, { "h", 0, OPT_HELP },
    { "help", 0, OPT_HELP },
    { "help-environment", 0, OPT_HELP_ENVIRONMENT },
    { "ppn", 1, OPT_PER_NODE }, { "N", 1, OPT_PER_NODE }, { "npernode", 1, OPT_PER_NODE },
    { "oversubscribe", 0, OPT_IGNORED }, { "allow-run-as-root", 0, OPT_IGNORED },
    { "genvall", 0, OPT_IGNORED }, { "use-hwthread-cpus", 0, OPT_IGNORED },
    { "mca", 2, OPT_MCA },
    { "f", 1, OPT_HOSTFILE }, { "hostfile", 1, OPT_HOSTFILE }, { "machinefile", 1, OPT_HOSTFILE },
    { "host", 1, OPT_HOSTS }, { "hosts", 1, OPT_HOSTS }, { "H", 1, OPT_HOSTS },
    { "no-deadlock-check", 0, OPT_NO_STANDSTILL }, { "no-finalize-check", 0, OPT_NO_FINALIZE },
    { "bind-to", 1, OPT_BIND }, { "map-by", 1, OPT_MAP }, { "rank-by", 1, OPT_ORDER },
    { "cpu-set", 1, OPT_CPUS }, { "cpu-list", 1, OPT_CPUS }, { "report-bindings", 0, OPT_REPORT },
    { "dry-run", 0, OPT_DRY_RUN }, { "topology", 1, OPT_TOPOLOGY },
    { "offload", 1, OPT_OFFLOAD },
    { "scratchpad", 1, OPT_SCRATCHPAD }, { "heap", 1, OPT_HEAP },
    { "model", 1, OPT_MODEL }, { "set", 1, OPT_SET }, { "model-hash", 0, OPT_MODEL_HASH },
    { "model-log", 1, OPT_MODEL_LOG }, { "model-serial", 0, OPT_MODEL_SERIAL },
    { "compute", 1, OPT_COMPUTE },
    { "explain", 0, OPT_EXPLAIN }, { "explain", 1, OPT_EXPLAIN_MOST },
    { "explain-file", 1, OPT_EXPLAIN_FILE },
};

/* Placement options that a variable may stand for. */
static const struct { unsigned char id; const char *option, *variable; } environment[] = {
    { OPT_BIND, "--bind-to", "MPILITE_BIND_TO" }, { OPT_MAP, "--map-by", "MPILITE_MAP_BY" },
    { OPT_ORDER, "--rank-by", "MPILITE_RANK_BY" }, { OPT_CPUS, "--cpu-set", "MPILITE_CPU_SET" },
    { OPT_REPORT, "--report-bindings", "MPILITE_REPORT_BINDINGS" },
};
enum { ENVIRONMENT = sizeof environment / sizeof *environment };

static int set_ranks(struct app *app, const char *text)
{
    char *end;

    errno = 0;
    long n = strtol(text, &end, 10);
    if (end == text || *end || errno || n < 1)
        return say_usage("'%s' is not a number of ranks: it must be 1 or more", text);
    if (n > NIC_MAX_RANKS)
        return say_usage("%s ranks are too many: at most %d", text, NIC_MAX_RANKS);
    app->ranks = (unsigned)n;
    return 0;
}

/* On each host; here there is one node: so many ranks, unless -n says otherwise. */
static int set_ranks_per_node(struct app *app, const char *text)
{
    struct app said = { 0 };
    int rc = set_ranks(&said, text);

    app->per_node = said.ranks;
    return rc;
}

static int set_time(int64_t *ns, const char *what, const char *text)
{
    char *end;
    double seconds = strtod(text, &end);

    if (end == text || *end || !(seconds > 0) || !isfinite(seconds))
        return say_usage("'%s' is not a %s: it must be a number of seconds above 0", text, what);
    /* A year is as good as none and keeps clear of the clock's end. */
    if (seconds > 366 * 86400.0)
        seconds = 366 * 86400.0;
    *ns = (int64_t)(seconds * 1e9) + 1;
    return 0;
}

static int set_stdin(struct options *o, const char *text)
{
    char *end;

    if (strcmp(text, "all") == 0 || strcmp(text, "none") == 0) {
        o->stdin_rank = text[0] == 'a' ? STDIN_ALL : STDIN_NONE;
        return 0;
    }
    o->stdin_rank = strtol(text, &end, 10);
    if (end == text || *end || o->stdin_rank < 0)
        return say_usage("'%s' is no value for --stdin: it must be a rank, 'all' or 'none'", text);
    return 0;
}

static int set_report(struct options *o, const char *source, const char *text)
{
    if (strcmp(text, "0") != 0 && strcmp(text, "1") != 0)
        return say_usage("'%s' is no value for %s: it must be 0 or 1", text, source);
    o->report_bindings = text[0] == '1';
    return 0;
}

static int set_size(struct options *o, const char *name, const char *text)
{
    char why[256];

    return nic_job_config_set(&o->memory, name, text, why, sizeof why) ? say_usage("--%s", why) : 0;
}

/* An option goes before the environment, which must make sense nevertheless. */
static int sizes_of_environment(struct options *o)
{
    char why[256];

    return nic_job_config_environment(&o->memory, why, sizeof why) ? say_usage("%s", why) : 0;
}

static int set_cpus(struct options *o, const char *source, const char *text)
{
    o->cpus = need(o->cpus ? o->cpus : malloc(sizeof *o->cpus));
    return policy_set_cpus(o->cpus, source, text);
}

/* From the option or, if `source` is one, from the variable. */
static int set_placement(struct options *o, enum option_id id, const char *source, const char *text)
{
    o->said |= UINT32_C(1) << id;
    switch (id) {
    case OPT_BIND: return policy_set_bind(&o->policy, source, text);
    case OPT_MAP: return policy_set_map(&o->policy, source, text);
    case OPT_ORDER: return policy_set_order(&o->policy, source, text);
    case OPT_CPUS: return set_cpus(o, source, text);
    default: return set_report(o, source, text);
    }
}

static const char *placement_option(enum option_id id)
{
    unsigned i = 0;

    while (environment[i].id != id)
        i++;
    return environment[i].option;
}

static int set_var(struct vars *vars, const char *name, const char *value)
{
    if (!*name || strchr(name, '='))
        return say_usage("'%s' is not the name of an environment variable", name);
    vars_set(vars, name, value);
    return 0;
}

/* What the ranks' network interfaces do by themselves. */
static int set_offload(struct options *o, const char *text)
{
    if (strcmp(text, "none") != 0 && strcmp(text, "match") != 0 && strcmp(text, "all") != 0)
        return say_usage("'%s' is no value for --offload: it must be none, match or all", text);
    vars_set(&o->vars, "NICEMU_OFFLOAD", text);
    return 0;
}

/* "-x NAME" exports what is there anyway, since ranks get our environment; it must exist. */
static int export_var(struct options *o, struct app *app, char *text)
{
    char *value = strchr(text, '=');

    if (value == text || !*text)
        return say_usage("'%s' is not the name of an environment variable", text);
    if (value)
        vars_add(&app->vars, (char *[]){ text, NULL });
    else if (!getenv(text) && !o->quiet)
        say("warning: -x %s: there is no such variable in the environment", text);
    return 0;
}

static int show(void (*print)(void))
{
    errno = 0;
    print();        /* perhaps more than stdio keeps: some of it may have failed already */
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    say_unwritten("standard output", errno ? errno : EIO);
    return 1;
}

/* Returns 0 to go on, -1 if all is done (help, version), else an exit code. */
static int apply(struct options *o, struct app *app, const struct spec *spec, char **value)
{
    switch ((enum option_id)spec->id) {
    case OPT_RANKS: return set_ranks(app, value[0]);
    case OPT_PER_NODE: return set_ranks_per_node(app, value[0]);
    case OPT_EXPORT: return export_var(o, app, value[0]);
    case OPT_ENV: return set_var(&app->vars, value[0], value[1]);
    case OPT_GENV: return set_var(&o->vars, value[0], value[1]);
    case OPT_DIR: app->dir = value[0]; return 0;
    case OPT_TAG: o->tag = true; return 0;
    case OPT_TIMEOUT: return set_time(&o->timeout_ns, "time-out", value[0]);
    case OPT_GRACE: return set_time(&o->grace_ns, "time of grace", value[0]);
    case OPT_STDIN: return set_stdin(o, value[0]);
    case OPT_QUIET: o->quiet = true; return 0;
    case OPT_VERBOSE: o->verbose = true; return 0;
    case OPT_VERSION: return show(help_version) ? 1 : -1;
    case OPT_HELP: return show(help_print) ? 1 : -1;
    case OPT_HELP_ENVIRONMENT: return show(help_environment) ? 1 : -1;
    case OPT_IGNORED: return 0;
    case OPT_MCA:
        if (!o->quiet)
            say("warning: --mca %s %s has no meaning here and is ignored", value[0], value[1]);
        return 0;
    case OPT_HOSTFILE: return hosts_add_file(&o->hosts, value[0]);
    case OPT_HOSTS: return hosts_add_list(&o->hosts, value[0]);
    case OPT_BIND: case OPT_MAP: case OPT_ORDER: case OPT_CPUS:
        return set_placement(o, spec->id, placement_option(spec->id), value[0]);
    case OPT_REPORT: return set_placement(o, spec->id, placement_option(spec->id), "1");
    case OPT_DRY_RUN: o->dry_run = true; return 0;
    case OPT_TOPOLOGY: o->topology = value[0]; o->dry_run = true; return 0;
    case OPT_OFFLOAD: return set_offload(o, value[0]);
    case OPT_MODEL: return clock_set_model(&o->model, value[0]);
    case OPT_SET: return clock_set_key(&o->model, value[0]);
    case OPT_MODEL_HASH: o->model.hash = true; return 0;
    case OPT_MODEL_LOG: return clock_set_log(&o->model, value[0]);
    case OPT_MODEL_SERIAL: o->model.serial = true; return 0;
    case OPT_COMPUTE: return clock_set_compute(&o->model, value[0]);
    case OPT_EXPLAIN: return explain_set_most(&o->model.explain, NULL);
    case OPT_EXPLAIN_MOST: return explain_set_most(&o->model.explain, value[0]);
    case OPT_EXPLAIN_FILE: return explain_set_file(&o->model.explain, value[0]);
    case OPT_NO_STANDSTILL: o->watch_standstill = false; return 0;
    case OPT_NO_FINALIZE: o->check_finalize = false; return 0;
    case OPT_SCRATCHPAD: return set_size(o, "scratchpad", value[0]);
    case OPT_HEAP: return set_size(o, "heap", value[0]);
    }
    return 0;
}

/* Finds "-name" or "--name"; *attached is the value behind "=",
 * which only an option with one value can have. */
static const struct spec *find_spec(const char *arg, char **attached)
{
    const char *name = arg + (arg[1] == '-' ? 2 : 1);
    size_t length = strcspn(name, "=");

    *attached = name[length] ? (char *)name + length + 1 : NULL;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        if (strlen(specs[i].name) == length && strncmp(specs[i].name, name, length) == 0
            && (!*attached || specs[i].values == 1))
            return &specs[i];
    return NULL;
}

/* Reads the options of one program; *argv ends at the program or at the end. */
static int parse_options(struct options *o, struct app *app, char ***argv)
{
    char **arg = *argv, *attached;
    int rc = 0;

    for (; !rc && *arg && (*arg)[0] == '-' && (*arg)[1]; arg++) {
        if (strcmp(*arg, "--") == 0) {
            arg++;
            break;
        }
        const struct spec *spec = find_spec(*arg, &attached);
        if (!spec)
            return say_usage("unknown option %s", *arg);
        if (attached) {
            rc = apply(o, app, spec, &attached);
            continue;
        }
        for (unsigned i = 1; i <= spec->values; i++)
            if (!arg[i])
                return say_usage("%s needs %s", *arg, spec->values == 1 ? "a value" : "two values");
        rc = apply(o, app, spec, arg + 1);
        arg += spec->values;
    }
    *argv = arg;
    return rc;
}

/* Reads up to a ":" or the end, past which *argv is left;
 * *more says that another program must follow. */
static int parse_app(struct options *o, struct app *app, char ***argv, bool *more)
{
    int rc = parse_options(o, app, argv);
    char **end = *argv;

    if (rc)
        return rc;
    while (*end && strcmp(*end, ":") != 0)
        end++;
    app->argv = *argv;
    if (end == *argv && (*end || !o->dry_run))
        return o->apps > 1 || *end ? say_usage("there is no program %s ':'",
                                               o->apps > 1 ? "after a" : "before the")
                                   : say_usage("there is no program to start");
    *more = *end;
    *end = NULL;
    *argv = end + *more;
    return 0;
}

static struct app *add_app(struct options *o)
{
    o->app = need(realloc(o->app, (o->apps + 1) * sizeof *o->app));
    o->app[o->apps] = (struct app){ 0 };
    return &o->app[o->apps++];
}

int options_count_ranks(struct options *o, unsigned ranks)
{
    unsigned long sum = 0;

    for (unsigned i = 0; i < o->apps; i++) {
        if (!o->app[i].ranks)
            o->app[i].ranks = o->app[i].per_node ? o->app[i].per_node : o->apps == 1 ? ranks : 1;
        sum += o->app[i].ranks;
    }
    if (sum > NIC_MAX_RANKS)
        return say_usage("%lu ranks are too many: at most %d", sum, NIC_MAX_RANKS);
    o->ranks = (unsigned)sum;
    if (o->stdin_rank >= (long)sum)
        return say_usage("--stdin %ld: there is no such rank, the last one is %lu", o->stdin_rank,
                         sum - 1);
    return 0;
}

/* What the command line leaves open.  An empty variable says nothing. */
static int read_environment(struct options *o)
{
    int rc = 0;

    for (unsigned i = 0; i < ENVIRONMENT && !rc; i++) {
        const char *text = getenv(environment[i].variable);
        if (text && *text && !(o->said & UINT32_C(1) << environment[i].id))
            rc = set_placement(o, environment[i].id, environment[i].variable, text);
    }
    return rc;
}

/* The ranks read it by themselves; said here, it is said once.  One program whose NICs have busy
 * threads decides for the job's plan. */
static int read_progress(struct options *o)
{
    int rc = 0;

    for (unsigned i = 0; i < o->apps && !rc; i++) {
        enum nic_progress progress = NIC_PROGRESS_AUTO;
        const char *text = vars_get(&o->app[i].vars, NIC_ENV_PROGRESS);
        text = text ? text : vars_get(&o->vars, NIC_ENV_PROGRESS);
        text = text ? text : getenv(NIC_ENV_PROGRESS);
        if (text && *text && nic_progress_parse(text, &progress) < 0)
            rc = say_usage("'%s' is no value for " NIC_ENV_PROGRESS ": it must be one of "
                           NIC_PROGRESS_VALUES, text);
        if (i == 0 || progress == NIC_PROGRESS_THREAD || o->policy.progress == NIC_PROGRESS_HOST)
            o->policy.progress = progress;
    }
    return rc;
}

static void warn(const char *text) { say("warning: %s", text); }

/* Of all ranks at once: they do not look if they have been launched. */
static void check_variables(const struct options *o)
{
    extern char **environ;

    mpi_variables_check(environ, warn);
    mpi_variables_check(o->vars.list, warn);
    for (unsigned i = 0; i < o->apps; i++)
        mpi_variables_check(o->app[i].vars.list, warn);
}

static bool is_off(const char *variable)
{
    const char *text = getenv(variable);

    return text && strcmp(text, "off") == 0;
}

int options_parse(struct options *o, char **argv)
{
    bool more = true;

    *o = (struct options){ .grace_ns = 250 * MS_NS };
    o->watch_standstill = !is_off("MPILITE_DEADLOCK");
    o->check_finalize = !is_off("MPILITE_FINALIZE");
    int rc = sizes_of_environment(o);
    argv += *argv != NULL;
    while (!rc && more) {
        more = false;
        rc = parse_app(o, add_app(o), &argv, &more);
    }
    if (!rc)
        rc = read_environment(o);
    if (!rc)
        rc = read_progress(o);
    if (!rc)
        rc = clock_read_environment(&o->model);
    if (!rc && !o->quiet)
        check_variables(o);
    o->report_bindings |= o->dry_run;
    return rc == 0 ? -1 : rc == -1 ? 0 : rc;
}

void options_free(struct options *o)
{
    for (unsigned i = 0; i < o->apps; i++)
        vars_free(&o->app[i].vars);
    free(o->app);
    free(o->cpus);
    clock_free(&o->model);
    hosts_free(&o->hosts);
    vars_free(&o->vars);
    *o = (struct options){ 0 };
}
