/* Sums over a run, for the page. */
#ifndef LAUNCH_SUMS_H
#define LAUNCH_SUMS_H

#include "launch/timeline/view.h"

enum { LATENCIES = 48 };

struct rank_sums {
    uint64_t there;             /* from MPI_Init to the end of MPI_Finalize, or of what is known */
    uint64_t mpi;               /* in calls, without those two */
    uint64_t setup;             /* in those two */
    uint64_t waited[CAUSES];    /* of `mpi`; CAUSE_NOBODY: the rest of it */
    unsigned posted, unexpected;        /* most receives, most messages that waited at a time */
    uint64_t early;             /* messages that came before their receive */
    uint64_t last;              /* collectives to which it came last */
};

struct sums {
    struct rank_sums *rank;
    uint64_t messages;          /* whose both ends are known */
    uint64_t latency[LATENCIES];        /* of them, by powers of two of nanoseconds */
    struct rank_sums all;
};

void sums_make(struct sums *sums, const struct view *view);
void sums_free(struct sums *sums);
/* From where a message was sent to where it had been received. */
uint64_t latency_of(const struct view *view, const struct entry *send);
static inline bool is_message(const struct view *v, const struct entry *e)
{
    return e->r.kind == TRACE_SEND && e->partner != NO_PARTNER && e->partner < v->count;
}

#endif
