/* The options by their names. */
#include "launch/command/spelling.h"
#include "base/nearest.h"
#include "launch/base/say.h"
#include "launch/command/compat.h"

#include <string.h>

/* Names without their dashes: one and two mean the same.  Where a name stands twice, the second is
 * that with a value behind "=". */
static const struct spec specs[] = {
    { "n", 1, OPT_RANKS }, { "np", 1, OPT_RANKS }, { "c", 1, OPT_RANKS },
    { "x", 1, OPT_EXPORT }, { "env", 2, OPT_ENV }, { "genv", 2, OPT_GENV },
    { "wd", 1, OPT_DIR }, { "wdir", 1, OPT_DIR },
    { "l", 0, OPT_TAG }, { "tag-output", 0, OPT_TAG }, { "prepend-rank", 0, OPT_TAG },
    { "timeout", 1, OPT_TIMEOUT }, { "grace", 1, OPT_GRACE }, { "stdin", 1, OPT_STDIN },
    { "s", 1, OPT_STDIN },
    { "q", 0, OPT_QUIET }, { "quiet", 0, OPT_QUIET }, { "v", 0, OPT_VERBOSE },
    { "verbose", 0, OPT_VERBOSE },
    { "V", 0, OPT_VERSION }, { "version", 0, OPT_VERSION }, { "h", 0, OPT_HELP },
    { "help", 0, OPT_HELP },
    { "help-environment", 0, OPT_HELP_ENVIRONMENT },
    { "ppn", 1, OPT_PER_NODE }, { "N", 1, OPT_PER_NODE }, { "npernode", 1, OPT_PER_NODE },
    { "oversubscribe", 0, OPT_IGNORED }, { "allow-run-as-root", 0, OPT_IGNORED },
    { "report-state-on-timeout", 0, OPT_IGNORED }, { "ordered-output", 0, OPT_IGNORED },
    { "mca", 2, OPT_MCA },
    { "f", 1, OPT_HOSTFILE }, { "hostfile", 1, OPT_HOSTFILE }, { "machinefile", 1, OPT_HOSTFILE },
    { "host", 1, OPT_HOSTS }, { "hosts", 1, OPT_HOSTS }, { "H", 1, OPT_HOSTS },
    { "no-deadlock-check", 0, OPT_NO_STANDSTILL }, { "no-finalize-check", 0, OPT_NO_FINALIZE },
    { "initial-errhandler", 1, OPT_ERRHANDLER },
    { "bind-to", 1, OPT_BIND }, { "map-by", 1, OPT_MAP }, { "rank-by", 1, OPT_ORDER },
    { "cpu-set", 1, OPT_CPUS }, { "cpu-list", 1, OPT_CPUS }, { "report-bindings", 0, OPT_REPORT },
    { "dry-run", 0, OPT_DRY_RUN }, { "topology", 1, OPT_TOPOLOGY },
    { "offload", 1, OPT_OFFLOAD },
    { "scratchpad", 1, OPT_SCRATCHPAD }, { "heap", 1, OPT_HEAP },
    { "model", 1, OPT_MODEL }, { "set", 1, OPT_SET }, { "model-hash", 0, OPT_MODEL_HASH },
    { "model-log", 1, OPT_MODEL_LOG }, { "model-serial", 0, OPT_MODEL_SERIAL },
    { "compute", 1, OPT_COMPUTE }, { "trace", 1, OPT_TRACE }, { "report", 1, OPT_PAGE },
    { "explain", 0, OPT_EXPLAIN }, { "explain", 1, OPT_EXPLAIN_MOST },
    { "explain-file", 1, OPT_EXPLAIN_FILE },
    { "envall", 0, OPT_ENV_ALL }, { "envnone", 0, OPT_ENV_NONE }, { "envlist", 1, OPT_ENV_LIST },
    { "envexcl", 1, OPT_ENV_BUT }, { "genvexcl", 1, OPT_GENV_BUT },
    { "genvall", 0, OPT_GENV_ALL }, { "genvnone", 0, OPT_GENV_NONE },
    { "genvlist", 1, OPT_GENV_LIST },
    { "prepend-pattern", 1, OPT_PREFIX }, { "timestamp-output", 0, OPT_TIMESTAMP },
    { "outfile-pattern", 1, OPT_OUT_FILE }, { "errfile-pattern", 1, OPT_ERR_FILE },
    { "outfile", 1, OPT_OUT_FILE }, { "errfile", 1, OPT_ERR_FILE },
    { "output-filename", 1, OPT_OUT_FOLDER }, { "output-directory", 1, OPT_OUT_FOLDER },
    { "output", 1, OPT_OUTPUT }, { "merge-stderr-to-stdout", 0, OPT_MERGE },
    { "app", 1, OPT_LISTING }, { "configfile", 1, OPT_LISTING },
    { "launcher", 1, OPT_LAUNCHER }, { "use-hwthread-cpus", 0, OPT_HWTHREADS },
    { "nooversubscribe", 0, OPT_FULL }, { "print-all-exitcodes", 0, OPT_CODES },
    { "gdb", 0, OPT_DEBUGGING + DEBUGGING_GDB }, { "gdb", 1, OPT_DEBUGGING + DEBUGGING_GDB },
    { "lldb", 0, OPT_DEBUGGING + DEBUGGING_LLDB }, { "lldb", 1, OPT_DEBUGGING + DEBUGGING_LLDB },
    { "valgrind", 0, OPT_DEBUGGING + DEBUGGING_VALGRIND },
    { "valgrind", 1, OPT_DEBUGGING + DEBUGGING_VALGRIND },
    { "xterm", 0, OPT_DEBUGGING + DEBUGGING_XTERM },
    { "xterm", 1, OPT_DEBUGGING + DEBUGGING_XTERM },
    { "wrapper", 1, OPT_DEBUGGING + DEBUGGING_WRAPPER },
    { "attach", 1, OPT_DEBUGGING + DEBUGGING_ATTACH },
    { "check", 0, OPT_DEBUGGING + DEBUGGING_CHECK },
    { "check", 1, OPT_DEBUGGING + DEBUGGING_CHECK },
    { "stacks", 0, OPT_DEBUGGING + DEBUGGING_STACKS },
    { "get-stack-traces", 0, OPT_DEBUGGING + DEBUGGING_STACKS },
    { "pass-sigquit", 0, OPT_DEBUGGING + DEBUGGING_QUIT },
    { "print-rank-map", 0, OPT_RANK_MAP }, { "display-allocation", 0, OPT_HOST_MAP },
    { "display", 1, OPT_DISPLAY },
    { "info", 0, OPT_INFO }, { "rankfile", 1, OPT_RANKFILE }, { "rf", 1, OPT_RANKFILE },
};
enum { SPECS = sizeof specs / sizeof *specs };

/* Finds an option by its name; a value behind "=" is what only one with one value can have. */
const struct spec *spec_find(const char *name, size_t length, bool attached)
{
    for (size_t i = 0; i < SPECS; i++)
        if (strlen(specs[i].name) == length && strncmp(specs[i].name, name, length) == 0
            && (!attached || specs[i].values == 1))
            return &specs[i];
    return NULL;
}

const char *spec_name(const char *arg) { return arg + (arg[1] == '-' ? 2 : 1); }

static const char *spelling_at(unsigned i)
{
    const struct compat *c = i < SPECS ? NULL : compat_at(i - SPECS);

    return i < SPECS ? specs[i].name : c ? c->name : NULL;
}

int spec_refuse(const char *arg)
{
    const char *name = spec_name(arg);
    size_t length = strcspn(name, "=");
    const char *meant = mpi_nearest_name(spelling_at, name, length, (unsigned)length / 3 + 1);

    if (name[length] && (spec_find(name, length, false) || compat_find(name, length)))
        return say_usage("%.*s takes no value: %s", (int)(name - arg + (long)length), arg, arg);
    return meant ? say_usage("unknown option %s: did you mean %.*s%s?", arg, (int)(name - arg),
                             arg, meant)
           : say_usage("unknown option %s", arg);
}

/* "-n2": a number right behind the name. */
const struct spec *spec_find_number(const char *name, char **attached)
{
    static const char *const names[] = { "np", "n", "c", "N", "ppn" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i]);
        const char *digits = name + length;
        if (strncmp(name, names[i], length) == 0 && *digits
            && !digits[strspn(digits, "0123456789")]) {
            *attached = (char *)digits;
            return spec_find(name, length, true);
        }
    }
    return NULL;
}
