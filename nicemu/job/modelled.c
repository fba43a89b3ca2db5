/* The model clock of a job, as its launcher sees it. */
#define _GNU_SOURCE
#include "job/modelled.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#include "base/time.h"
#include "job/segment.h"
#include "time/governor.h"

enum { PATIENCE_MS = 1000 };

int nic_job_model_init(struct nic_job *j, const struct nic_model_config *c)
{
    struct nic_governor *g = nic_job_governor(j);
    if (!c->profile || !c->profile->link.latency || !c->profile->call.test || !c->profile->call.probe || !c->profile->call.wtime || !c->profile->alpu.clock || c->explain > NIC_EXPLAIN_MAX)
        return -EINVAL;
    if (c->log && strlen(c->log) >= sizeof g->log)
        return -ENAMETOOLONG;
    if (c->log)
        strcpy(g->log, c->log);
    g->profile = *c->profile;
    g->lookahead = c->profile->link.latency;
    g->serial = c->serial;
    g->compute = c->compute;
    g->scale = c->scale ? c->scale : 1000;
    nic_governor_init(g, j->ranks);
    return 0;
}

bool nic_job_modelled(const struct nic_job *j) { return nic_job_governor(j)->modelled; }
bool nic_job_stands(const struct nic_job *j) { return atomic_load(&nic_job_governor(j)->standstill) != 0; }

/* The launcher must not wait for a rank that died with the lock: it is about to end the job then. */
static bool lock_patiently(struct nic_governor *g)
{
    const struct timespec ms = { .tv_nsec = 1000000 };
    for (unsigned i = 0; i < PATIENCE_MS; i++) {
        uint32_t free = 0;
        if (atomic_compare_exchange_strong(&g->lock, &free, 2))
            return true;
        nanosleep(&ms, NULL);
    }
    return false;
}

void nic_job_absent(struct nic_job *j, unsigned rank)
{
    struct nic_governor *g = nic_job_governor(j);
    if (!g->modelled || !lock_patiently(g))
        return;
    if (nic_governor_rank(g, rank)->state == NIC_GOVERNED_ABSENT) {
        nic_governor_rank(g, rank)->state = NIC_GOVERNED_GONE;
        nic_governor_set_bound(g, rank, NIC_NEVER);
        nic_governor_tell(g);
    }
    nic_governor_unlock(g);
}

bool nic_job_model_result(const struct nic_job *j, struct nic_model_result *result)
{
    struct nic_governor *g = nic_job_governor(j);
    *result = (struct nic_model_result){ 0 };
    if (!g->modelled)
        return false;
    for (unsigned r = 0; r < g->ranks; r++) {
        const struct nic_governed_rank *rank = nic_governor_rank(g, r);
        if (rank->state != NIC_GOVERNED_GONE)
            return false;
        result->hash = nic_clock_mix(nic_clock_mix(result->hash, r), rank->hash);
        result->events += rank->events;
        if (rank->time > result->time)
            result->time = rank->time;
    }
    return true;
}
