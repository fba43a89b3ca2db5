/* Slurm's srun, inside an allocation.  The environment goes along. */
#include "launch/cluster/launcher.h"
#include "launch/base/say.h"

#include <stdio.h>
#include <stdlib.h>

/* Ranks per host are said, host by host. */
static bool has_slots(const struct options *o)
{
    bool any = false;

    for (unsigned i = 0; i < o->hosts.count; i++)
        any |= o->hosts.host[i].slots;
    return any && !o->app[0].per_node;
}

/* A host for each rank, in order: as often as it has slots, and from the first one on again. */
static void add_host_of_each(struct words *w, const struct options *o, unsigned ranks)
{
    char *text = NULL;
    size_t size;
    FILE *out = need(open_memstream(&text, &size));

    for (unsigned i = 0, taken = 0, rank = 0; rank < ranks; rank++) {
        const struct host *h = &o->hosts.host[i];
        fprintf(out, "%s%s", rank ? "," : "", h->name);
        if (++taken >= h->slots) {
            i = (i + 1) % o->hosts.count;
            taken = 0;
        }
    }
    fclose(out);
    words_add(w, "-marbitrary");
    words_add(w, "-w");
    words_add(w, need(text));
    free(text);
}

static void translate(struct words *w, const struct options *o)
{
    const struct app *app = &o->app[0];

    words_add(w, "--mpi=pmi2");
    words_format(w, "-n%u", launcher_ranks(o, app));
    if (app->per_node)
        words_format(w, "--ntasks-per-node=%u", app->per_node);
    if (has_slots(o)) {
        add_host_of_each(w, o, launcher_ranks(o, app));
    } else {
        words_add(w, "-w");
        launcher_add_hosts(w, o, false);
    }
    words_add(w, "--overcommit");
    if (app->dir)
        words_format(w, "--chdir=%s", app->dir);
    if (o->looks.tag)
        words_add(w, "--label");
    if (o->quiet)
        words_add(w, "--quiet");
    if (o->timeout_ns)
        words_format(w, "--time=%lld:%02lld", launcher_seconds(o) / 60, launcher_seconds(o) % 60);
    if (o->stdin_rank >= 0)
        words_format(w, "--input=%ld", o->stdin_rank);
    else
        words_add(w, o->stdin_rank == STDIN_ALL ? "--input=all" : "--input=none");
    if (o->policy.bind == BIND_NONE)
        words_add(w, "--cpu-bind=none");
    else if (o->policy.bind == BIND_LEVEL && launcher_srun.levels[o->policy.bind_level])
        words_format(w, "--cpu-bind=%s", launcher_srun.levels[o->policy.bind_level]);
    words_add_all(w, app->argv);
}

const struct launcher launcher_srun = {
    .programs = { "srun" }, .within = "SLURM_JOB_ID",
    .levels = { [LEVEL_HWTHREAD] = "threads", [LEVEL_CORE] = "cores", [LEVEL_NUMA] = "ldoms",
                [LEVEL_SOCKET] = "sockets" },
    .translate = translate,
};
