/* From options to a plan. */
#include "launch/ranks/layout.h"
#include "launch/where/map.h"
#include "launch/base/say.h"
#include "launch/where/topology.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void fewer_by_quota(struct layout *l)
{
    unsigned quota = cores_quota_own();

    if (quota && quota < l->cores)
        l->cores = quota;
}

/* The allowed processors without those that are not in the
 * user's set, all of which must be allowed. */
static int restrict_to(struct layout *l, const struct cores *wanted)
{
    char text[128];

    for (unsigned cpu = 0; cpu < CORES_MAX; cpu++)
        if (cores_has(wanted, cpu) && !cores_has(&l->allowed, cpu)) {
            cores_print(&l->allowed, text, sizeof text);
            return say_usage("--cpu-set: processor %u is none of those that may be used, %s", cpu,
                             text);
        }
    l->allowed = *wanted;
    return 0;
}

static int describe(struct layout *l, const char *text)
{
    if (topology_describe(text, &l->machine) < 0)
        return say_usage("'%s' is no value for --topology: it must be a description as in "
                         "'socket:2 core:8 pu:2', or an XML file of lstopo's",
                         text);
    l->allowed = (struct cores){ 0 };
    for (unsigned i = 0; i < l->machine.count; i++)
        cores_add(&l->allowed, l->machine.thread[i].cpu);
    return 0;
}

static void read_once(struct layout *l)
{
    if (!l->machine.count)
        topology_read(&l->allowed, &l->machine);
}

/* With so many ranks on each object, that is how many there are. */
static unsigned default_ranks(struct layout *l, const struct policy *policy)
{
    unsigned objects = 0;

    if (!policy->per_object)
        return l->cores;
    read_once(l);
    for (unsigned o = 0; o < l->machine.objects[policy->map_level]; o++)
        for (unsigned i = 0; i < l->machine.count; i++)
            if (l->machine.thread[i].allowed && l->machine.thread[i].in[policy->map_level] == o) {
                objects++;
                break;
            }
    return objects * policy->per_object;
}

static int count_slots(struct layout *l, const struct options *o)
{
    unsigned named = 0;

    for (unsigned i = 0; i < o->hosts.count; i++)
        named += o->hosts.host[i].slots;
    l->slots = named ? named : l->cores;
    if (!o->policy.no_oversubscribe || o->ranks <= l->slots)
        return 0;
    return say_usage("%u ranks are too many: there %s %u slot%s, and --nooversubscribe", o->ranks,
                     l->slots == 1 ? "is" : "are", l->slots, l->slots == 1 ? "" : "s");
}

int layout_look(struct layout *l, struct options *o)
{
    int rc = 0;

    *l = (struct layout){ 0 };
    if (o->topology)
        rc = describe(l, o->topology);
    else
        cores_allowed(&l->allowed);
    if (!rc && o->cpus)
        rc = restrict_to(l, o->cpus);
    if (rc)
        return rc;
    if (o->topology)
        machine_allow(&l->machine, &l->allowed);
    else if (o->cpus && sched_setaffinity(0, sizeof l->allowed, l->allowed.part) < 0) {
        say("--cpu-set: %s", strerror(errno));
        return 1;
    }
    l->cores = cores_count(&l->allowed);
    if (!o->topology)
        fewer_by_quota(l);
    rc = options_count_ranks(o, o->rankfile.count ? o->rankfile.count
                                : default_ranks(l, &o->policy));
    return rc ? rc : count_slots(l, o);
}

static void warn_of(const struct layout *l, const struct options *o, bool said, enum level level)
{
    enum level instead = level <= LEVEL_L3CACHE ? level - 1 : LEVEL_MACHINE;

    if (said && !l->machine.known[level] && !o->quiet)
        say("warning: this machine does not tell its %s: %s is taken", level_name(level),
            level_name(instead));
}

static int refuse(const struct plan *plan, const struct options *o, unsigned placed)
{
    const struct policy *p = &o->policy;
    const char *units = plan->unit == LEVEL_HWTHREAD ? "hardware threads" : "cores";

    if (p->per_object)
        say("--map-by: with %u on each %s there is room for %u ranks, and %u are to be started",
            p->per_object,
            level_name(p->map_level), placed, o->ranks);
    else
        say("%u %s for each rank: there is room for %u ranks, and %u are to be started",
            p->cores_each, units, placed, o->ranks);
    return EXIT_USAGE;
}

static int plan_told(struct layout *l, const struct options *o)
{
    const char *text = getenv("MPILITE_SEATS");

    if (!text || !*text)
        return 0;
    if (topology_describe(text, &l->told_machine) < 0)
        return say_usage("'%s' is no value for MPILITE_SEATS: it must be a description as in "
                         "'socket:2 core:8 pu:2', or an XML file of lstopo's", text);
    unsigned refused = plan_make(&l->told, &l->told_machine, &o->policy, o->ranks, true);
    return refused ? refuse(&l->told, o, refused - 1) : 0;
}

/* Each rank where its line of the rank file says, or its part of --bind-to. */
static int take_given(struct layout *l, const struct options *o)
{
    struct cores *cores;

    read_once(l);
    int rc = o->rankfile.count ? rankfile_cores(&o->rankfile, &l->machine, o->ranks, &cores)
             : cpulists_cores(&o->cpulists, &l->allowed, o->ranks, &cores);
    if (rc) {
        free(cores);
        return rc;
    }
    l->bound = true;
    plan_take(&l->plan, &l->machine, &o->policy, o->ranks, cores);
    if (o->report_bindings)
        map_print(&l->plan, &o->policy);
    return 0;
}

int layout_make(struct layout *l, const struct options *o)
{
    const struct policy *p = &o->policy;
    int rc = plan_told(l, o);

    if (rc || o->rankfile.count || cpulists_said(&o->cpulists))
        return rc ? rc : take_given(l, o);
    l->bound = place_wanted(p, o->ranks, cores_count(&l->allowed));
    if (!l->bound && !o->report_bindings)
        return 0;
    read_once(l);
    warn_of(l, o, p->bind == BIND_LEVEL, p->bind_level);
    warn_of(l, o, p->map_said, p->map_level);
    unsigned refused = plan_make(&l->plan, &l->machine, p, o->ranks, l->bound);
    if (refused)
        return refuse(&l->plan, o, refused - 1);
    if (o->report_bindings)
        map_print(&l->plan, p);
    return 0;
}

void layout_free(struct layout *l)
{
    if (l->plan.machine)
        plan_free(&l->plan);
    if (l->told.machine)
        plan_free(&l->told);
    machine_free(&l->machine);
    machine_free(&l->told_machine);
}
