/* What the model clock knows of a job's messages, in one place. */
#ifndef LAUNCH_EXPLAINED_H
#define LAUNCH_EXPLAINED_H

#include "nicemu/explain.h"

struct facts {
    struct nic_explained *slowest;
    unsigned count, ranks;
    /* sum: of the messages of all; its end is the job's */
    struct nic_explained_rank *rank, sum;
};

static inline uint64_t total_of(const struct nic_explained *e)
{
    return e->way.time - e->way.began;
}

/* What a unit had besides: until the end of the job. */
static inline uint64_t idle_of(const struct facts *f, const struct nic_explained_rank *r,
                               unsigned unit)
{
    return f->sum.end - r->busy[unit] - (unit == NIC_UNIT_HOST ? r->computed + r->waited : 0);
}

#endif
