/* Names of options, and which option has which. */
#ifndef LAUNCH_SPELLING_H
#define LAUNCH_SPELLING_H

#include <stdbool.h>
#include <stddef.h>

#include "launch/command/debugging.h"

enum option_id {
    OPT_RANKS, OPT_EXPORT, OPT_ENV, OPT_GENV, OPT_DIR, OPT_TAG, OPT_TIMEOUT, OPT_GRACE, OPT_STDIN,
    OPT_QUIET, OPT_VERBOSE,
    OPT_VERSION, OPT_HELP, OPT_HELP_ENVIRONMENT, OPT_IGNORED, OPT_MCA, OPT_HOSTFILE, OPT_HOSTS,
    OPT_NO_STANDSTILL, OPT_NO_FINALIZE, OPT_ERRHANDLER,
    OPT_BIND, OPT_MAP, OPT_ORDER, OPT_CPUS, OPT_REPORT, OPT_DRY_RUN, OPT_TOPOLOGY, OPT_OFFLOAD,
    OPT_SCRATCHPAD, OPT_HEAP,
    OPT_MODEL, OPT_SET, OPT_MODEL_HASH, OPT_MODEL_LOG, OPT_MODEL_SERIAL, OPT_COMPUTE, OPT_EXPLAIN,
    OPT_EXPLAIN_MOST, OPT_EXPLAIN_FILE, OPT_TRACE, OPT_PAGE, OPT_PER_NODE,
    OPT_ENV_ALL, OPT_ENV_NONE, OPT_ENV_LIST, OPT_GENV_ALL, OPT_GENV_NONE, OPT_GENV_LIST,
    OPT_ENV_BUT, OPT_GENV_BUT,
    OPT_PREFIX, OPT_TIMESTAMP, OPT_OUT_FILE, OPT_ERR_FILE, OPT_OUT_FOLDER, OPT_OUTPUT, OPT_MERGE,
    OPT_DEBUGGING, OPT_DEBUGGING_LAST = OPT_DEBUGGING + DEBUGGING_QUIT,
    OPT_LISTING, OPT_LAUNCHER, OPT_HWTHREADS, OPT_FULL, OPT_CODES, OPT_RANK_MAP, OPT_HOST_MAP,
    OPT_DISPLAY, OPT_INFO, OPT_RANKFILE,
};

struct spec {
    const char *name;
    unsigned char values, id;
};

/* The word without its dashes. */
const char *spec_name(const char *arg);

/* Finds an option by its name; a value behind "=" is what only one with one value can have. */
const struct spec *spec_find(const char *name, size_t length, bool attached);

/* "-n2": finds the option with a number right behind its name, which *attached then is. */
const struct spec *spec_find_number(const char *name, char **attached);

/* Says that there is no such option, and which one may be meant; an exit code. */
int spec_refuse(const char *arg);

#endif
