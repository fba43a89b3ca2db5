/* A launcher of clusters, and how a command of ours reads for it. */
#ifndef LAUNCH_LAUNCHER_H
#define LAUNCH_LAUNCHER_H

#include "launch/command/options.h"
#include "launch/cluster/words.h"

struct launcher {
    const char *programs[3];    /* by which it is found, the first one first; ends with NULL */
    const char *within;         /* a variable of the environment that must be there; or NULL */
    bool several;               /* it can start several programs as one job */
    const char *levels[LEVEL_COUNT];    /* what --bind-to calls them there; NULL: it has no such */
    /* Adds the arguments that follow its own name. */
    void (*translate)(struct words *words, const struct options *options);
};

extern const struct launcher launcher_srun, launcher_hydra, launcher_prte;

/* Ranks of a program; if nothing says how many, one per slot that was named, else one per host. */
unsigned launcher_ranks(const struct options *options, const struct app *app);

/* --timeout, rounded up. */
long long launcher_seconds(const struct options *options);

/* "a:2,b" or, without slots, "a,b". */
void launcher_add_hosts(struct words *words, const struct options *options, bool slots);

#endif
