/* Reads the command line. */
#include "base/variables.h"
#include "launch/base/say.h"
#include "launch/command/about.h"
#include "launch/command/compat.h"
#include "launch/command/help.h"
#include "launch/command/job_variables.h"
#include "launch/command/listing.h"
#include "launch/command/options.h"
#include "launch/command/placement.h"
#include "launch/command/refused.h"
#include "launch/command/spelling.h"
#include "launch/command/values.h"
#include "launch/where/hosts.h"
#include "nicemu/sizes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An option goes before the environment, which must make sense nevertheless. */
static int sizes_of_environment(struct options *o)
{
    struct nic_job_config said = { 0 };
    char why[256];

    if (nic_job_config_environment(&said, why, sizeof why))
        return say_usage("%s", why);
    o->memory.scratchpad = o->memory.scratchpad ? o->memory.scratchpad : said.scratchpad;
    o->memory.heap = o->memory.heap ? o->memory.heap : said.heap;
    return 0;
}

static int set_listing(struct options *o, const char *path)
{
    return o->words ? say_usage("%s: one file of programs is all there can be", path)
           : listing_read(path, &o->words, &o->text);
}

static int show(void (*print)(void))
{
    errno = 0;
    print();        /* perhaps more than stdio keeps: some of it may have failed already */
    int rc = print_error(stdout);
    if (rc)
        say_unwritten("standard output", rc);
    return rc != 0;
}

/* Two values may be one word, "NAME=VALUE". */
static unsigned words_of(unsigned values, char *const *arg)
{
    return values == 2 && arg[1] && strchr(arg[1], '=') ? 1 : values;
}

/* Of two values: "" where they are one word, behind which another option may stand. */
static const char *second_of(char *const *value)
{
    return strchr(value[0], '=') ? "" : value[1];
}

/* Returns 0 to go on, -1 if all is done (help, version), else an exit code. */
static int apply(struct options *o, struct app *app, const struct spec *spec, char **value)
{
    if (spec->id >= OPT_DEBUGGING && spec->id <= OPT_DEBUGGING_LAST)
        return debugging_set(&o->debugging, spec->id - OPT_DEBUGGING,
                             spec->values ? value[0] : NULL);
    switch ((enum option_id)spec->id) {
    case OPT_RANKS: return option_set_ranks(app, value[0]);
    case OPT_PER_NODE: return option_set_ranks_per_node(app, value[0]);
    case OPT_EXPORT: return option_export_var(o, app, value[0]);
    case OPT_ERRHANDLER: return option_set_errhandler(o, value[0]);
    case OPT_ENV: return option_set_var(&app->vars, value);
    case OPT_GENV: return option_set_var(&o->vars, value);
    case OPT_DIR: app->dir = value[0]; return 0;
    case OPT_TAG: o->looks.tag = true; return 0;
    case OPT_TIMEOUT: return option_set_time(&o->timeout_ns, "time-out", value[0]);
    case OPT_GRACE: return option_set_time(&o->grace_ns, "time of grace", value[0]);
    case OPT_STDIN: return option_set_stdin(o, value[0]);
    case OPT_QUIET: o->quiet = true; return 0;
    case OPT_VERBOSE: o->verbose = true; return 0;
    case OPT_VERSION: return show(help_version) ? 1 : -1;
    case OPT_HELP: return show(help_print) ? 1 : -1;
    case OPT_HELP_ENVIRONMENT: return show(help_environment) ? 1 : -1;
    case OPT_IGNORED: case OPT_DEBUGGING: case OPT_DEBUGGING_LAST: return 0;
    case OPT_MCA:
        if (!o->quiet)
            say_later("warning: --mca %s%s%s has no meaning here and is ignored", value[0],
                      *second_of(value) ? " " : "", second_of(value));
        return 0;
    case OPT_HOSTFILE: return hosts_add_file(&o->hosts, value[0]);
    case OPT_HOSTS: return hosts_add_list(&o->hosts, value[0]);
    case OPT_BIND: return placement_set(o, PLACE_BIND, value[0]);
    case OPT_MAP: return placement_set(o, PLACE_MAP, value[0]);
    case OPT_ORDER: return placement_set(o, PLACE_ORDER, value[0]);
    case OPT_CPUS: return placement_set(o, PLACE_CPUS, value[0]);
    case OPT_REPORT: return placement_set(o, PLACE_REPORT, "1");
    case OPT_DISPLAY: return placement_display(o, value[0]);
    case OPT_DRY_RUN: o->dry_run = true; return 0;
    case OPT_TOPOLOGY: o->topology = value[0]; o->dry_run = true; return 0;
    case OPT_OFFLOAD: return option_set_offload(o, value[0]);
    case OPT_MODEL: return clock_set_model(&o->model, value[0]);
    case OPT_SET: return clock_set_key(&o->model, value[0]);
    case OPT_MODEL_HASH: o->model.hash = true; return 0;
    case OPT_MODEL_LOG: return clock_set_log(&o->model, value[0]);
    case OPT_MODEL_SERIAL: o->model.serial = true; return 0;
    case OPT_COMPUTE: return clock_set_compute(&o->model, value[0]);
    case OPT_EXPLAIN: return explain_set_most(&o->model.explain, NULL);
    case OPT_EXPLAIN_MOST: return explain_set_most(&o->model.explain, value[0]);
    case OPT_EXPLAIN_FILE: return explain_set_file(&o->model.explain, value[0]);
    case OPT_TRACE: return tracing_set_file(&o->tracing, value[0]);
    case OPT_PAGE: return tracing_set_folder(&o->tracing, value[0]);
    case OPT_NO_STANDSTILL: o->watch_standstill = false; return 0;
    case OPT_NO_FINALIZE: o->check_finalize = false; return 0;
    case OPT_SCRATCHPAD: return option_set_size(o, "scratchpad", value[0]);
    case OPT_HEAP: return option_set_size(o, "heap", value[0]);
    case OPT_ENV_ALL: return option_set_inherit(&app->inherit, INHERIT_ALL, NULL);
    case OPT_ENV_NONE: return option_set_inherit(&app->inherit, INHERIT_NONE, NULL);
    case OPT_ENV_LIST: return option_set_inherit(&app->inherit, INHERIT_LIST, value[0]);
    case OPT_ENV_BUT: return option_set_inherit(&app->inherit, INHERIT_BUT, value[0]);
    case OPT_GENV_BUT: return option_set_inherit(&o->inherit, INHERIT_BUT, value[0]);
    case OPT_GENV_ALL: return option_set_inherit(&o->inherit, INHERIT_ALL, NULL);
    case OPT_GENV_NONE: return option_set_inherit(&o->inherit, INHERIT_NONE, NULL);
    case OPT_GENV_LIST: return option_set_inherit(&o->inherit, INHERIT_LIST, value[0]);
    case OPT_PREFIX: return looks_set_prefix(&o->looks, value[0]);
    case OPT_TIMESTAMP: o->looks.timestamp = true; return 0;
    case OPT_OUT_FILE: return looks_set_file(&o->style, 0, "--outfile-pattern", value[0]);
    case OPT_ERR_FILE: return looks_set_file(&o->style, 1, "--errfile-pattern", value[0]);
    case OPT_OUT_FOLDER: return looks_set_folder(&o->style, "--output-filename", value[0]);
    case OPT_OUTPUT: return looks_set_output(&o->looks, &o->style, value[0]);
    case OPT_MERGE: o->style.merged = true; return 0;
    case OPT_LISTING: return set_listing(o, value[0]);
    case OPT_LAUNCHER: return option_set_launcher(o, value[0]);
    case OPT_RANKFILE: return rankfile_read(&o->rankfile, value[0], &o->hosts);
    case OPT_HWTHREADS: o->hwthreads = true; return 0;
    case OPT_FULL: o->policy.no_oversubscribe = true; return 0;
    case OPT_CODES: o->print_codes = true; return 0;
    case OPT_RANK_MAP: o->print_ranks = true; return 0;
    case OPT_HOST_MAP: o->print_hosts = true; return 0;
    case OPT_INFO: return show(about_print) ? 1 : -1;
    }
    return 0;
}

/* An option of a peer's that is one of ours, of those that keep no text. */
static int apply_as(struct options *o, struct app *app, const struct compat *c, char **value)
{
    size_t length = strcspn(c->text, " ");
    const struct spec *spec = spec_find(c->text, length, false);
    const char *form = c->text + length + (c->text[length] == ' ');
    int n = (int)strcspn(form, "%");
    char *made = NULL;

    if (asprintf(&made, "%.*s%s%s", n, form, form[n] ? value[0] : "",
                 form[n] ? form + n + 1 : "") < 0)
        made = NULL;
    int rc = apply(o, app, spec, &(char *){ need(made) });
    free(made);
    return rc;
}

static int apply_compat(struct options *o, struct app *app, const struct compat *c,
                        const char *arg, char **value)
{
    const char *first = c->values ? value[0] : "", *second = c->values > 1 ? second_of(value) : "";

    if (c->kind == COMPAT_AS)
        return apply_as(o, app, c, value);
    if (c->kind == COMPAT_REFUSED)
        return say_usage("%s: %s", arg, c->text);
    if (!o->quiet)
        say_later("warning: %s%s%s%s%s has no meaning here and is ignored: %s", arg,
                  c->values ? " " : "", first, *second ? " " : "", second, c->text);
    return 0;
}

/* One option with its values, *argv goes behind it.  `behind` becomes the option if it takes
 * none. */
static int parse_option(struct options *o, struct app *app, char ***argv)
{
    char **arg = *argv, *attached = NULL;
    const char *name = spec_name(*arg);
    size_t length = strcspn(name, "=");

    if (name[length])
        attached = (char *)name + length + 1;
    const struct spec *spec = spec_find(name, length, attached);
    const struct compat *compat = spec ? NULL : compat_find(name, length);
    if (!spec && !compat)
        spec = spec_find_number(name, &attached);
    if ((!spec && !compat) || (compat && attached && compat->values != 1))
        return spec_refuse(*arg);
    unsigned values = spec ? spec->values : compat->values;
    unsigned words = attached ? 0 : words_of(values, arg);
    for (unsigned i = 1; i <= words; i++)
        if (!arg[i])
            return say_usage("%s needs %s", *arg, values == 1 ? "a value" : "two values");
    app->behind = values ? NULL : *arg;
    *argv = arg + 1 + words;
    char **value = attached ? &attached : arg + 1;
    return spec ? apply(o, app, spec, value) : apply_compat(o, app, compat, *arg, value);
}

/* Reads the options of one program; *argv ends at the program or at the end.  A file of programs is
 * read in place of the option that names it, which must be the last word. */
static int parse_options(struct options *o, struct app *app, char ***argv)
{
    int rc = 0;

    while (!rc && **argv && (**argv)[0] == '-' && (**argv)[1]) {
        if (strcmp(**argv, "--") == 0) {
            ++*argv;
            app->behind = NULL;
            break;
        }
        bool read = o->words;
        rc = parse_option(o, app, argv);
        if (!rc && !read && o->words && **argv)
            return say_usage("%s: nothing can follow a file of programs", **argv);
        if (!rc && !read && o->words)
            *argv = o->words;
    }
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
    int rc = debugging_check_ranks(&o->debugging, sum);
    return rc ? rc : refused_variable(o);
}

static void warn(const char *text) { say("warning: %s", text); }

static bool is_in_environment(const char *assignment)
{
    extern char **environ;

    for (char **one = environ; *one; one++)
        if (strcmp(*one, assignment) == 0)
            return true;
    return false;
}

/* Those of the command line; what mpirun has taken over stands in its environment as well. */
static void check_vars(const struct vars *vars, bool modelled)
{
    for (char *const *one = vars->list; one && *one; one++)
        if (!is_in_environment(*one))
            mpi_variables_check((char *const[]){ *one, NULL }, modelled, warn);
}

/* Of all ranks at once: they do not look if they have been launched. */
static void check_variables(const struct options *o)
{
    extern char **environ;
    bool modelled = o->model.name;

    mpi_variables_check(environ, modelled, warn);
    check_vars(&o->vars, modelled);
    for (unsigned i = 0; i < o->apps; i++)
        check_vars(&o->app[i].vars, modelled);
}

static bool is_off(const char *variable)
{
    const char *text = getenv(variable);

    return text && strcmp(text, "off") == 0;
}

int options_parse(struct options *o, char **argv)
{
    bool more = true;

    int rc = 0;

    *o = (struct options){ .grace_ns = 250 * MS_NS, .watch_standstill = true,
                           .check_finalize = true };
    argv += *argv != NULL;
    while (!rc && more) {
        more = false;
        rc = parse_app(o, add_app(o), &argv, &more);
    }
    say_kept(!o->quiet);
    job_variables_take(o);
    o->watch_standstill &= !is_off("MPILITE_DEADLOCK");
    o->check_finalize &= !is_off("MPILITE_FINALIZE");
    if (!rc)
        rc = sizes_of_environment(o);
    if (!rc)
        rc = placement_finish(o);
    if (!rc)
        rc = clock_read_environment(&o->model);
    if (!rc)
        rc = tracing_try(&o->tracing, debugging_is_checked(&o->debugging));
    looks_finish(&o->looks, &o->style);
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
    free(o->words);
    free(o->text);
    clock_free(&o->model);
    looks_free(&o->looks);
    hosts_free(&o->hosts);
    rankfile_free(&o->rankfile);
    cpulists_free(&o->cpulists);
    vars_free(&o->vars);
    *o = (struct options){ 0 };
}
