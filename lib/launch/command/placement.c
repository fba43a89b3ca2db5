/* Placement, from options and variables. */
#include "launch/command/placement.h"
#include "launch/base/say.h"
#include "launch/command/asked.h"
#include "launch/where/policy.h"
#include "nicemu/place.h"

#include <stdlib.h>
#include <string.h>

static const struct { const char *option, *variable; } names[] = {
    [PLACE_BIND] = { "--bind-to", "MPILITE_BIND_TO" },
    [PLACE_MAP] = { "--map-by", "MPILITE_MAP_BY" },
    [PLACE_ORDER] = { "--rank-by", "MPILITE_RANK_BY" },
    [PLACE_CPUS] = { "--cpu-set", "MPILITE_CPU_SET" },
    [PLACE_REPORT] = { "--report-bindings", "MPILITE_REPORT_BINDINGS" },
};
enum { NAMES = sizeof names / sizeof *names };

static int set_report(struct options *o, const char *source, const char *text)
{
    if (strcmp(text, "0") != 0 && strcmp(text, "1") != 0)
        return say_usage("'%s' is no value for %s: it must be 0 or 1", text, source);
    o->report_bindings = text[0] == '1';
    return 0;
}

static int set_cpus(struct options *o, const char *source, const char *text)
{
    o->cpus = need(o->cpus ? o->cpus : malloc(sizeof *o->cpus));
    return policy_set_cpus(o->cpus, source, text);
}

/* `source` is the option or the variable. */
static int set(struct options *o, enum placement_id id, const char *source, const char *text)
{
    o->said |= UINT32_C(1) << id;
    switch (id) {
    case PLACE_BIND:
        return cpulists_read(&o->cpulists, text) ? 0 : policy_set_bind(&o->policy, source, text);
    case PLACE_MAP: return policy_set_map(&o->policy, source, text);
    case PLACE_ORDER: return policy_set_order(&o->policy, source, text);
    case PLACE_CPUS: return set_cpus(o, source, text);
    case PLACE_REPORT: break;
    }
    return set_report(o, source, text);
}

int placement_set(struct options *o, enum placement_id id, const char *text)
{
    return set(o, id, names[id].option, text);
}

static int display(struct options *o, const char *word)
{
    static const char *const drawn[] = { "map", "map-devel", "bind", "bindings" };

    if (strcmp(word, "allocation") == 0) {
        o->print_hosts = true;
        return 0;
    }
    for (unsigned i = 0; i < sizeof drawn / sizeof *drawn; i++)
        if (strcmp(word, drawn[i]) == 0)
            return placement_set(o, PLACE_REPORT, "1");
    return say_usage("'%s' is no value for --display: it must be of allocation, map, bind", word);
}

int placement_display(struct options *o, char *words)
{
    char *word;
    int rc = 0;

    while (!rc && (word = strsep(&words, ",")))
        rc = display(o, word);
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

/* An empty variable says nothing.  Where hardware threads are what is counted they are what ranks
 * take, unless something else was said. */
int placement_finish(struct options *o)
{
    int rc = 0;

    for (unsigned i = 0; i < NAMES && !rc; i++) {
        const char *text = getenv(names[i].variable);
        if (text && *text && !(o->said & UINT32_C(1) << i))
            rc = set(o, i, names[i].variable, text);
    }
    if (!rc && o->hwthreads && !o->policy.map_said)
        rc = policy_set_map(&o->policy, "--use-hwthread-cpus", "hwthread");
    return rc ? rc : read_progress(o);
}
