/* Values of options, read and checked. */
#include "launch/command/values.h"
#include "launch/base/say.h"
#include "nicemu/sizes.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int option_set_ranks(struct app *app, const char *text)
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
int option_set_ranks_per_node(struct app *app, const char *text)
{
    struct app said = { 0 };
    int rc = option_set_ranks(&said, text);

    app->per_node = said.ranks;
    return rc;
}

int option_set_time(int64_t *ns, const char *what, const char *text)
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

int option_set_stdin(struct options *o, const char *text)
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

int option_set_size(struct options *o, const char *name, const char *text)
{
    char why[256];

    return nic_job_config_set(&o->memory, name, text, why, sizeof why) ? say_usage("--%s", why) : 0;
}

/* NAME VALUE, or NAME=VALUE. */
int option_set_var(struct vars *vars, char **value)
{
    char *sign = strchr(value[0], '=');

    if (!*value[0] || sign == value[0])
        return say_usage("'%s' is not the name of an environment variable", value[0]);
    if (sign)
        vars_add(vars, (char *[]){ value[0], NULL });
    else
        vars_set(vars, value[0], value[1]);
    return 0;
}

int option_set_inherit(struct inherit *inherit, int kind, const char *list)
{
    *inherit = (struct inherit){ .kind = kind, .list = list };
    return 0;
}

int option_set_launcher(const struct options *o, const char *text)
{
    if (strcmp(text, "fork") != 0 && !o->quiet)
        say_later("warning: --launcher %s has no meaning here and is ignored: ranks are started "
                  "by mpirun itself, on this machine", text);
    return 0;
}

/* What the ranks' network interfaces do by themselves. */
bool option_is_offload(const char *text)
{
    static const char *const kinds[] = { "none", "match", "all", "forward" };
    unsigned i = 0;
    while (i < 4 && strcmp(text, kinds[i]) != 0)
        i++;
    return i < 4;
}

int option_set_offload(struct options *o, const char *text)
{
    if (!option_is_offload(text))
        return say_usage("'%s' is no value for --offload: it must be none, forward, match or all",
                         text);
    vars_set(&o->vars, "NICEMU_OFFLOAD", text);
    return 0;
}

/* For all programs (MPI-4, 11.5). */
int option_set_errhandler(struct options *o, const char *text)
{
    static const char *const kinds[] = { "mpi_errors_are_fatal", "mpi_errors_abort",
                                         "mpi_errors_return" };
    unsigned i = 0;
    while (i < 3 && strcmp(text, kinds[i]) != 0)
        i++;
    if (i == 3)
        return say_usage("'%s' is no value for -initial-errhandler: it must be "
                         "mpi_errors_are_fatal, mpi_errors_abort or mpi_errors_return", text);
    vars_set(&o->vars, "MPILITE_INITIAL_ERRHANDLER", text);
    return 0;
}

/* "-x NAME" exports what is there anyway, unless ranks get no environment; it must exist. */
int option_export_var(struct options *o, struct app *app, char *text)
{
    char *value = strchr(text, '=');

    if (value == text || !*text)
        return say_usage("'%s' is not the name of an environment variable", text);
    if (value)
        vars_add(&app->vars, (char *[]){ text, NULL });
    else if (getenv(text))
        vars_set(&app->vars, text, getenv(text));
    else if (!o->quiet)
        say_later("warning: -x %s: there is no such variable in the environment", text);
    return 0;
}
