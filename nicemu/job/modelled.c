/* The model clock of a job, as its launcher sees it. */
#define _GNU_SOURCE
#include "job/modelled.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/time.h"
#include "job/segment.h"
#include "time/governor.h"
#include "time/network.h"
#include "nicemu/explain.h"

enum { PATIENCE_MS = 1000, PATIENCE_US_PER_RANK = 500 };

/* What a rank does reaches another one no sooner: over the wire, over the bus of a unit that both
 * share, or through the NIC of both; where they pass on each other's packets a part of the wire. */
static uint64_t lookahead_of(const struct nic_profile *p, const struct nic_network *network)
{
    uint64_t least = p->link.latency + nic_network_least(network) * p->link.router;
    if (p->link.contention == NIC_CONTENTION_SHARED && nic_network_has_routers(network))
        least = nic_time_sooner(least, p->link.router);
    if (p->link.contention == NIC_CONTENTION_SHARED && network->of_node > 1)
        least = nic_time_sooner(least, p->link.latency / 2);
    if (p->pgas.unit && p->pgas.ranks > 1)
        least = nic_time_sooner(least, p->bus.latency);
    if (p->node.ranks > 1 && p->node.loop)
        least = nic_time_sooner(least, p->node.loop);
    return least;
}

/* Of the ranks there are, whose buses and clocks may differ, and with a clock what is given in its
 * cycles. */
static void find_least(struct nic_governor_settings *set, const struct nic_profile *p,
                       const struct nic_network *network, unsigned ranks)
{
    set->lookahead = lookahead_of(p, network);
    set->least_latency = p->link.latency;
    for (unsigned i = 0; i < NIC_PROFILE_PARTS_MOST; i++)
        if (p->part[i].count && p->part[i].first < ranks) {
            struct nic_profile own;
            nic_profile_of_rank(p, (unsigned)p->part[i].first, &own);
            set->lookahead = nic_time_sooner(set->lookahead, lookahead_of(&own, network));
            set->least_latency = nic_time_sooner(set->least_latency, own.link.latency);
        }
}

int nic_model_fits(const struct nic_profile *p, unsigned ranks, char *why, size_t room)
{
    struct nic_network w;
    if (nic_network_of(p, ranks, &w))
        return 0;
    snprintf(why, room, "link.x = %u, link.y = %u, link.z = %u: a network of %llu nodes; %u ranks "
             "need %u", w.side[0], w.side[1], w.side[2],
             (unsigned long long)w.side[0] * w.side[1] * w.side[2], ranks,
             (ranks + w.of_node - 1) / w.of_node);
    return -EINVAL;
}

/* Where ranks share cores they stay with one, and one after the other runs: see time/governor.h. */
static uint32_t groups_for(uint32_t cores) { return cores < NIC_GROUPS ? cores : NIC_GROUPS; }

int nic_job_model_init(struct nic_job *j, const struct nic_model_config *c)
{
    struct nic_governor *g = nic_job_governor(j);
    struct nic_governor_settings *set = &g->set;
    struct nic_network network;
    if (!c->profile || !c->profile->link.latency || !c->profile->call.test
        || !c->profile->call.probe || !c->profile->call.wtime || !c->profile->alpu.clock
            || c->explain > NIC_EXPLAIN_MAX)
        return -EINVAL;
    if (!nic_network_of(c->profile, j->ranks, &network))
        return -EINVAL;
    find_least(set, c->profile, &network, j->ranks);
    if (!set->lookahead)
        return -EINVAL;
    if (c->log && strlen(c->log) >= sizeof set->log)
        return -ENAMETOOLONG;
    if (c->log)
        strcpy(set->log, c->log);
    set->profile = *c->profile;
    set->cores = j->layout.here > j->layout.cores ? j->layout.cores : 0;
    set->groups = groups_for(set->cores);
    set->patience_us = PATIENCE_US_PER_RANK * j->ranks;
    set->serial = c->serial;
    set->compute = c->compute;
    set->scale = c->scale ? c->scale : 1000;
    set->modelled = 1;
    memcpy(j->base + j->layout.settings, set, sizeof *set);
    nic_governor_init(g);
    return 0;
}

bool nic_job_modelled(const struct nic_job *j) { return nic_job_governor(j)->set.modelled; }

/* Not a word that a rank has written there by mistake: nobody's bound is a time then. */
bool nic_job_stands(const struct nic_job *j)
{
    struct nic_governor *g = nic_job_governor(j);
    if (!g->set.modelled || atomic_load(&g->shared->standstill) != NIC_STANDS)
        return false;
    for (unsigned r = 0; r < g->ranks; r++)
        if (nic_governor_promise(g, r) != NIC_NEVER)
            return false;
    return true;
}

/* The launcher must not wait for a rank that died with the lock: it is about to end the job then.
 * Nor twice for a lock that has been overwritten. */
static bool lock_patiently(struct nic_governor *g)
{
    const struct timespec ms = { .tv_nsec = 1000000 };
    for (unsigned i = 0; i < PATIENCE_MS; i++) {
        uint32_t free = 0;
        if (atomic_compare_exchange_strong(&g->shared->lock, &free, 2))
            return true;
        nanosleep(&ms, NULL);
    }
    return false;
}

void nic_job_model_ended(struct nic_job *j, unsigned rank)
{
    struct nic_governor *g = nic_job_governor(j);
    if (!g->set.modelled || j->lock_lost)
        return;
    j->lock_lost = !lock_patiently(g);
    if (j->lock_lost)
        return;
    struct nic_governed_rank *r = nic_governor_rank(g, rank);
    if (r->state != NIC_GOVERNED_GONE) {
        r->broken_off = r->state != NIC_GOVERNED_ABSENT;
        nic_governor_mark_gone(g, rank);
        r->check = nic_governed_check(r, rank);
        nic_governor_wake_safe(g);
    }
    nic_governor_unlock(g);
}

enum { ERRNO_MOST = 4095 };       /* what is above has been written there by mistake */

int nic_job_log_error(const struct nic_job *j, unsigned rank)
{
    struct nic_governor *g = nic_job_governor(j);
    int error = g->set.modelled && rank < g->ranks
                ? atomic_load(&nic_governor_rank(g, rank)->log_error) : 0;
    return error > 0 && error <= ERRNO_MOST ? -error : 0;
}

/* Any rank may have written over what this one has left. */
static bool add_rank(struct nic_model_result *result, const struct nic_governed_rank *shared,
                     unsigned rank)
{
    struct nic_governed_rank left = *shared;
    if (left.state != NIC_GOVERNED_GONE || left.broken_off
        || left.check != nic_governed_check(&left, rank))
        return false;
    result->hash = nic_clock_mix(nic_clock_mix(result->hash, rank), left.hash);
    result->events += left.events;
    if (left.time > result->time)
        result->time = left.time;
    return true;
}

static bool result_of_generation(struct nic_governor *g, struct nic_model_result *result)
{
    *result = (struct nic_model_result){ 0 };
    for (unsigned r = 0; r < g->ranks; r++)
        if (!add_rank(result, nic_governor_rank(g, r), r))
            return false;
    return true;
}

/* -- several programs, one after the other: each begins at time 0 */

static uint64_t past_check(const struct nic_model_result *p)
{
    return nic_clock_mix(nic_clock_mix(nic_clock_mix(1, p->hash), p->events), p->time) | 1;
}

/* False: it has been overwritten.  All zeros if nothing has passed. */
static bool read_past(const struct nic_job *j, struct nic_model_result *past)
{
    *past = j->state->past;
    return atomic_load(&j->state->generation) < 2 || j->state->past_check == past_check(past);
}

static void append(struct nic_model_result *result, const struct nic_model_result *next)
{
    result->hash = nic_clock_mix(result->hash, next->hash);
    result->events += next->events;
    result->time += next->time;
}

void nic_job_model_fold(struct nic_job *j)
{
    struct nic_model_result past, now;
    bool known = read_past(j, &past) && result_of_generation(nic_job_governor(j), &now);
    if (known)
        append(&past, &now);
    j->state->past = past;
    j->state->past_check = known ? past_check(&past) : 0;
}

bool nic_job_model_result(const struct nic_job *j, struct nic_model_result *result)
{
    struct nic_governor *g = nic_job_governor(j);
    struct nic_model_result past;
    if (!g->set.modelled || !result_of_generation(g, result) || !read_past(j, &past))
        return false;
    if (atomic_load(&j->state->generation) < 2)
        return true;
    append(&past, result);
    *result = past;
    return true;
}
