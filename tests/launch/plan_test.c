/* Unit test of plans, on machines that are described: what
 * holds for every plan, and some maps in full. */
#include "launch/ranks/layout.h"
#include "launch/where/map.h"
#include "launch/where/policy.h"
#include "launch/where/topology.h"

#include <stdlib.h>
#include <string.h>

static int failed;
static char context[256];

static void expect(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "failed: %s (%s)\n", what, context);
        failed = 1;
    }
}

static struct machine describe(const char *text, const char *cpus)
{
    struct machine m;
    struct cores allowed;

    if (topology_describe(text, &m) < 0) {
        fprintf(stderr, "failed: cannot read %s\n", text);
        exit(1);
    }
    if (cpus && policy_set_cpus(&allowed, "test", cpus) == 0)
        machine_allow(&m, &allowed);
    return m;
}

/* -- maps in full */

/* NULL: the option is not given. */
struct wish { const char *bind, *map, *order, *progress; };

static struct policy make_policy(const struct wish *w)
{
    struct policy p = { 0 };

    expect(!w->bind || policy_set_bind(&p, "--bind-to", w->bind) == 0,
           "the value of --bind-to is right");
    expect(!w->map || policy_set_map(&p, "--map-by", w->map) == 0,
           "the value of --map-by is right");
    expect(!w->order || policy_set_order(&p, "--rank-by", w->order) == 0,
           "the value of --rank-by is right");
    expect(!w->progress || nic_progress_parse(w->progress, &p.progress) == 0,
           "the value of NICEMU_PROGRESS is right");
    return p;
}

/* The drawings of all ranks, with a space between them. */
static void expect_maps(const char *machine, const char *cpus, struct wish wish, unsigned ranks,
                        const char *wanted)
{
    struct machine m = describe(machine, cpus);
    struct policy policy = make_policy(&wish);
    struct plan plan;
    struct place place;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    snprintf(context, sizeof context, "%s, %u ranks", machine, ranks);
    unsigned refused = plan_make(&plan, &m, &policy, ranks,
                                 place_wanted(&policy, ranks, m.allowed));
    if (refused)
        fprintf(out, "room for %u", refused - 1);
    for (unsigned rank = 0; rank < ranks && !refused; rank++) {
        plan_rank(&plan, rank, &place);
        fputs(rank ? " " : "", out);
        map_draw(out, &m, &place);
    }
    fclose(out);
    if (strcmp(text, wanted) != 0)
        fprintf(stderr, "  %s\nis not\n  %s\n", text, wanted);
    expect(strcmp(text, wanted) == 0, "the maps are as they should be");
    free(text);
    plan_free(&plan);
    machine_free(&m);
}

#define WISH(...) ((struct wish){ __VA_ARGS__ })

static void test_default_maps(void)
{
    expect_maps("core:1 pu:1", NULL, WISH(0), 1, "[B]");
    expect_maps("core:1 pu:1", NULL, WISH(0), 2, "[B] [B]");
    expect_maps("core:2 pu:2", NULL, WISH(0), 2, "[BB/BB] [BB/BB]");
    expect_maps("core:2 pu:2", NULL, WISH(0), 3, "[B./..] [../BB] [.B/..]");
    expect_maps("core:2 pu:2", NULL, WISH(0), 4, "[B./..] [../B.] [.B/..] [../.B]");
    expect_maps("core:2 pu:2", NULL, WISH(0), 5, "[BB/BB] [BB/BB] [BB/BB] [BB/BB] [BB/BB]");
    expect_maps("l3:1 core:4 pu:1", NULL, WISH(0), 3, "[B/././n] [./B/./n] [././B/n]");
    expect_maps("l3:1 core:4 pu:1", NULL, WISH(.progress = "host"), 3,
                "[B/././.] [./B/./.] [././B/.]");
    expect_maps("l3:1 core:4 pu:1", "1-3", WISH(0), 2, "[-/B/./n] [-/./B/n]");
}

static void test_bind_maps(void)
{
    expect_maps("socket:2 core:2 pu:1", NULL, WISH(.bind = "none"), 1, "[B/B][B/B]");
    expect_maps("socket:2 core:2 pu:1", NULL, WISH(.bind = "socket"), 3,
                "[B/B][./.] [B/B][./.] [./.][B/B]");
    expect_maps("socket:2 l2:2 core:2 pu:1", NULL, WISH(.bind = "l2cache"), 3,
                "[B/B/./.][./././.] [B/B/./.][./././.] [././B/B][./././.]");
    expect_maps("socket:2 l3:2 core:2 pu:1", NULL, WISH(.bind = "l3cache", .map = "socket"), 3,
                "[B/B|./.][./.|./.] [./.|./.][B/B|./.] [B/B|./.][./.|./.]");
    expect_maps("socket:1 numa:2 core:2 pu:1", "0,2-3", WISH(.bind = "numa", .map = "numa"), 3,
                "[B/-|./.] [./-|B/B] [./-|B/B]");
    expect_maps("core:2 pu:2", NULL, WISH(.bind = "hwthread"), 3, "[B./..] [../Bn] [.B/..]");
    expect_maps("core:2 pu:2", NULL, WISH(.bind = "core"), 6,
                "[BB/..] [../BB] [BB/..] [../BB] [BB/..] [../BB]");
    expect_maps("l3:1 core:4 pu:1", NULL, WISH(.bind = "core:2"), 2, "[B/B/./.] [././B/B]");
    expect_maps("l3:1 core:4 pu:1", NULL, WISH(.bind = "core:3"), 2, "room for 1");
}

static void test_map_maps(void)
{
    expect_maps("socket:2 core:2 pu:1", NULL, WISH(.map = "socket"), 3,
                "[B/.][./.] [./.][B/n] [./B][./.]");
    expect_maps("socket:2 core:2 pu:1", "0,2-3", WISH(.map = "socket"), 3,
                "[B/-][./.] [./-][B/.] [./-][./B]");
    expect_maps("socket:2 core:2 pu:1", NULL,
                WISH(.map = "socket", .order = "fill", .progress = "host"), 4,
                "[B/.][./.] [./B][./.] [./.][B/.] [./.][./B]");
    expect_maps("socket:2 core:4 pu:1", NULL,
                WISH(.map = "socket", .order = "fill", .progress = "thread"), 4,
                "[B/n/./.][./././.] [././B/n][./././.] [./././.][B/n/./.] [./././.][././B/n]");
    /* the two cases of Open MPI's manual, and as they are placed */
    expect_maps("socket:2 core:2 pu:1", NULL,
                WISH(.map = "ppr:2:socket", .order = "core", .progress = "host"), 4,
                "[B/.][./.] [./B][./.] [./.][B/.] [./.][./B]");
    expect_maps("socket:2 core:2 pu:1", NULL,
                WISH(.map = "ppr:2:socket", .order = "socket:span", .progress = "host"), 4,
                "[B/.][./.] [./.][B/.] [./B][./.] [./.][./B]");
    expect_maps("socket:2 core:2 pu:1", NULL,
                WISH(.map = "socket", .order = "core", .progress = "host"), 4,
                "[B/.][./.] [./B][./.] [./.][B/.] [./.][./B]");
    expect_maps("socket:2 core:2 pu:1", NULL,
                WISH(.map = "socket", .order = "node", .progress = "host"), 4,
                "[B/.][./.] [./.][B/.] [./B][./.] [./.][./B]");
    expect_maps("socket:2 core:4 pu:1", NULL,
                WISH(.order = "package", .progress = "thread", .map = "ppr:2:socket"), 3,
                "[B/n/./.][./././.] [./././.][B/n/./.] [././B/n][./././.]");
    expect_maps("socket:2 core:2 pu:1", NULL, WISH(.map = "ppr:1:socket", .progress = "host"), 2,
                "[B/.][./.] [./.][B/.]");
    expect_maps("socket:2 core:2 pu:1", NULL, WISH(.map = "ppr:2:socket:span", .progress = "host"),
                3, "[B/.][./.] [./B][./.] [./.][B/.]");
    expect_maps("socket:2 core:2 pu:1", NULL, WISH(.map = "ppr:1:socket"), 3, "room for 2");
    expect_maps("core:2 pu:2", NULL, WISH(.map = "hwthread", .progress = "host"), 3,
                "[B./..] [.B/..] [../B.]");
    expect_maps("core:2 pu:2", NULL, WISH(.map = "core", .progress = "host"), 3,
                "[B./..] [../BB] [.B/..]");
    expect_maps("socket:2 core:2 pu:1", NULL, WISH(.map = "socket:PE=2"), 2,
                "[B/B][./.] [./.][B/B]");
    expect_maps("core:2 pu:2", NULL, WISH(.map = "hwthread:pe=2", .progress = "host"), 2,
                "[BB/..] [../BB]");
    expect_maps("core:2 pu:2", NULL, WISH(.map = "ppr:1:core", .progress = "host"), 2,
                "[BB/..] [../BB]");
    expect_maps("socket:2 core:4 pu:1", NULL,
                WISH(.map = "socket:pe=2", .order = "fill", .progress = "host"), 4,
                "[B/B/./.][./././.] [././B/B][./././.] [./././.][B/B/./.] [./././.][././B/B]");
    expect_maps("socket:2 core:3 pu:1", NULL, WISH(.map = "slot:pe=2", .progress = "host"), 3,
                "[B/B/.][././.] [././.][B/B/.] [././B][././B]");
    expect_maps("socket:2 core:1 pu:1", NULL, WISH(.map = "socket"), 3, "[B][.] [.][B] [B][.]");
}

static void test_busy_maps(void)
{
    struct wish busy = { .progress = "thread" }, bound = { .progress = "thread", .bind = "core" };

    expect_maps("l3:1 core:4 pu:1", NULL, busy, 2, "[B/n/./.] [././B/n]");
    expect_maps("l3:1 core:4 pu:1", NULL, busy, 1, "[B/B/B/B]");
    expect_maps("socket:2 core:2 pu:1", NULL, WISH(.bind = "socket", .progress = "thread"), 2,
                "[B/B][./.] [B/B][./.]");
    expect_maps("l2:2 core:2 pu:2", NULL, WISH(.bind = "hwthread", .progress = "thread"), 3,
                "[Bn/../../..] [../Bn/../..] [../../Bn/..]");
    expect_maps("l3:1 core:4 pu:1", NULL, busy, 3, "[B/././.] [./B/./.] [././B/.]");
    expect_maps("l3:2 core:3 pu:1", NULL, bound, 3, "[B/n/.|././.] [././.|B/n/.] [././B|././n]");
    expect_maps("core:2 pu:2", NULL, busy, 2, "[Bn/..] [../Bn]");
    expect_maps("core:2 pu:2", NULL, bound, 1, "[BB/nn]");
    expect_maps("core:2 pu:2", NULL, bound, 3, "[B./..] [../Bn] [.B/..]");
}

/* -- what holds for every plan */

static const struct { const char *machine, *cpus; } machines[] = {
    { "core:1 pu:1", NULL }, { "core:2 pu:2", NULL }, { "socket:2 core:8 pu:2", NULL },
    { "socket:2 l3:2 core:4 pu:2", NULL },
    { "numa:4 core:4 pu:1", NULL }, { "socket:2 numa:2 l3:1 core:4 pu:2", NULL },
    { "l3:3 l2:2 core:2 pu:1", NULL },
    { "socket:2 l3:2 core:3 pu:1", NULL }, { "socket:2 core:8 pu:2", "0-6,20" },
    { "socket:2 l3:2 core:4 pu:2", "1,3,5-9,24-31" },
    { "numa:4 core:4 pu:1", "5,6,7,15" }, { "socket:4 core:2 pu:4", "0,1,4,6,9,30-31" },
    { "socket:2 core:1 pu:1", "1" },
};

static const struct wish wishes[] = {
    { 0 }, { .bind = "none" }, { .bind = "hwthread" }, { .bind = "core" }, { .bind = "l3cache" },
    { .bind = "socket" },
    { .bind = "numa", .map = "numa" }, { .map = "socket" }, { .map = "numa" },
    { .map = "l2cache", .order = "fill" }, { .map = "l3cache" },
    { .map = "hwthread" }, { .map = "slot", .bind = "core" }, { .map = "socket:pe=2" },
    { .map = "ppr:2:l3cache" }, { .bind = "core:2" },
};

static unsigned first_thread(const struct machine *m, const struct cores *set)
{
    unsigned i = 0;

    while (i + 1 < m->count && !cores_has(set, m->thread[i].cpu))
        i++;
    return i;
}

static void check_sets(const struct machine *m, const struct plan *plan, const struct place *place)
{
    unsigned seat = first_thread(m, &place->host), near = 0, allowed = 0;

    expect(cores_count(&place->host) > 0, "a rank may run somewhere");
    for (unsigned i = 0; i < m->count; i++) {
        unsigned cpu = m->thread[i].cpu;
        allowed += m->thread[i].allowed
            && (cores_has(&place->host, cpu) || cores_has(&place->nic, cpu));
        near += cores_has(&place->nic, cpu) && m->thread[i].cache == m->thread[seat].cache;
        if (plan->bound && plan->bind > LEVEL_CORE && cores_has(&place->host, cpu))
            expect(m->thread[i].in[plan->bind] == m->thread[seat].in[plan->bind],
                   "a rank stays in its object");
        if (place->node >= 0 && cores_has(&place->host, cpu))
            expect(m->thread[i].node == place->node,
                   "the memory node is that of all of a rank's processors");
    }
    struct cores both = place->host;
    CPU_OR_S(sizeof both, both.part, place->host.part, place->nic.part);
    expect(allowed == cores_count(&both), "nothing runs outside of the allowed set");
    expect(cores_count(&place->nic) ? plan->policy.progress != NIC_PROGRESS_HOST
           : plan->policy.progress == NIC_PROGRESS_HOST,
           "there are processors for a NIC's thread if there is one");
    if (plan->policy.progress == NIC_PROGRESS_AUTO)
        expect(near > 0, "a NIC's thread can share its rank's cache");
}

static unsigned free_units(const struct machine *m, const unsigned *used, enum level unit)
{
    unsigned count = 0;

    for (unsigned o = 0; o < m->objects[unit]; o++) {
        bool allowed = false, taken = false;
        for (unsigned i = 0; i < m->count; i++)
            if (m->thread[i].in[unit] == o && m->thread[i].allowed) {
                allowed = true;
                taken |= used[i] > 0;
            }
        count += allowed && !taken;
    }
    return count;
}

/* The most ranks that share a thread or core: 1 while there are others. */
static void check_spread(const struct machine *m, const struct plan *plan)
{
    unsigned most = 0, least = ~0u;
    const unsigned *used = plan->unit == LEVEL_CORE ? plan->ranks_near : plan->ranks_on;

    for (unsigned i = 0; i < m->count; i++)
        if (m->thread[i].allowed) {
            unsigned n = plan->unit == LEVEL_CORE ? used[m->thread[i].in[LEVEL_CORE]] : used[i];
            most = n > most ? n : most;
            least = plan->ranks_on[i] < least ? plan->ranks_on[i] : least;
        }
    if (plan->policy.per_object || plan->policy.cores_each)
        return;
    expect(most <= 1 || free_units(m, plan->ranks_on, plan->unit) == 0,
           "no two ranks share a core while others are free");
    for (unsigned i = 0; i < m->count; i++)
        expect(!m->thread[i].allowed || plan->ranks_on[i] <= least + 1,
               "ranks are spread evenly over threads");
}

/* While there is room in all objects, none has two ranks more than another. */
static void check_round(const struct machine *m, const struct plan *plan)
{
    enum level level = plan->policy.map_level;
    unsigned most = 0, least = ~0u, room = ~0u;

    if (plan->policy.per_object || plan->policy.cores_each
        || plan->policy.progress == NIC_PROGRESS_THREAD || level == LEVEL_MACHINE)
        return;
    for (unsigned o = 0; o < m->objects[level]; o++) {
        unsigned ranks = 0, cores = 0;
        for (unsigned i = 0; i < m->count; i++)
            if (m->thread[i].in[level] == o && m->thread[i].allowed) {
                ranks += plan->ranks_on[i];
                cores += plan->turn[i] == 0;
            }
        if (!cores)
            continue;
        most = ranks > most ? ranks : most;
        least = ranks < least ? ranks : least;
        room = cores < room ? cores : room;
    }
    if (most <= room)
        expect(most <= least + 1, "ranks go round the objects");
}

/* Busy NIC threads that have processors of their own share them with nobody. */
static void check_busy(const struct plan *plan, unsigned ranks)
{
    struct place one, other;

    if (plan->policy.progress != NIC_PROGRESS_THREAD || !plan->bound || plan->bind > LEVEL_CORE
        || plan->crowded)
        return;
    for (unsigned a = 0; a < ranks; a++) {
        plan_rank(plan, a, &one);
        for (unsigned b = 0; b < ranks; b++) {
            plan_rank(plan, b, &other);
            CPU_AND_S(sizeof other.host, other.host.part, other.host.part, one.nic.part);
            expect(cores_count(&other.host) == 0, "a busy NIC has its core to itself");
        }
    }
}

/* Pairs of cores behind one cache. */
static unsigned count_pairs(const struct machine *m, const struct plan *plan)
{
    unsigned pairs = 0;

    for (unsigned c = 0; c < m->count; c++) {       /* caches by their first thread */
        unsigned cores = 0;
        bool first = true;
        for (unsigned i = 0; i < m->count; i++) {
            first &= i >= c || m->thread[i].cache != m->thread[c].cache;
            cores += m->thread[i].cache == m->thread[c].cache && m->thread[i].allowed
                && plan->turn[i] == 0;
        }
        pairs += first ? cores / 2 : 0;
    }
    return pairs;
}

static void check_neighbours(const struct machine *m, const struct plan *plan, unsigned ranks)
{
    struct place place;

    if (plan->policy.progress != NIC_PROGRESS_THREAD || !plan->bound || plan->bind != LEVEL_CORE
        || plan->unit != LEVEL_CORE ||
        plan->policy.cores_each || plan->policy.per_object || ranks > count_pairs(m, plan))
        return;
    expect(!plan->crowded, "there are cores for all busy NICs");
    for (unsigned rank = 0; rank < ranks; rank++) {
        plan_rank(plan, rank, &place);
        expect(m->thread[first_thread(m, &place.nic)].cache == m->thread[plan->seat[rank]].cache,
               "a busy NIC shares its rank's cache");
    }
}

static void check_plan(const struct machine *m, const struct policy *policy, unsigned ranks)
{
    struct plan plan;
    struct place place;
    unsigned refused = plan_make(&plan, m, policy, ranks, place_wanted(policy, ranks, m->allowed));

    expect(!refused || policy->per_object || policy->cores_each, "there is room for everybody");
    expect(refused <= ranks, "it says how many have room");
    if (!refused) {
        for (unsigned rank = 0; rank < ranks; rank++) {
            plan_rank(&plan, rank, &place);
            check_sets(m, &plan, &place);
        }
        check_spread(m, &plan);
        check_round(m, &plan);
        check_busy(&plan, ranks);
        check_neighbours(m, &plan, ranks);
    }
    plan_free(&plan);
}

static void test_properties(void)
{
    static const char *const progresses[] = { "auto", "thread", "host" };

    for (unsigned i = 0; i < sizeof machines / sizeof *machines; i++) {
        struct machine m = describe(machines[i].machine, machines[i].cpus);
        for (unsigned k = 0; k < 3 * sizeof wishes / sizeof *wishes; k++) {
            struct wish wish = wishes[k / 3];
            wish.progress = progresses[k % 3];
            struct policy policy = make_policy(&wish);
            for (unsigned ranks = 1; ranks <= m.allowed + 3; ranks++) {
                snprintf(context, sizeof context,
                         "%s, cpus %s, bind %s, map %s, progress %s, %u ranks", machines[i].machine,
                         machines[i].cpus ? machines[i].cpus : "all",
                             wish.bind ? wish.bind : "auto", wish.map ? wish.map : "-",
                         wish.progress, ranks);
                check_plan(&m, &policy, ranks);
            }
        }
        machine_free(&m);
    }
}

/* A machine that tells nothing is one of cores. */
static void test_flat(void)
{
    struct machine m;
    struct cores cpus;
    struct policy policy = { 0 };

    policy_set_cpus(&cpus, "test", "2,5-7");
    machine_flat(&cpus, &m);
    snprintf(context, sizeof context, "flat");
    expect(m.count == 4 && m.allowed == 4, "four cores");
    for (unsigned ranks = 1; ranks < 9; ranks++)
        check_plan(&m, &policy, ranks);
    machine_free(&m);
}

int main(void)
{
    test_default_maps();
    test_bind_maps();
    test_map_maps();
    test_busy_maps();
    test_properties();
    test_flat();
    return failed;
}
