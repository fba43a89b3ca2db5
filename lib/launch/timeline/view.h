/* What all ranks did, in one array in the order of time. */
#ifndef LAUNCH_VIEW_H
#define LAUNCH_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/region.h"
#include "trace/calls.h"

struct job;

/* Whom a call waited for; see cause.h. */
enum wait_cause { CAUSE_NOBODY, CAUSE_SENDER, CAUSE_RECEIVER, CAUSE_RANKS, CAUSES };

struct entry {
    struct trace_record r;      /* begin and end in picoseconds from the job's beginning */
    uint32_t rank;
    uint32_t partner;           /* the other end of a message, or NO_PARTNER */
    uint64_t seen_from;         /* of what came: the beginning of the call that saw its end */
    uint64_t waited;            /* from its begin, for `cause` */
    enum wait_cause cause;
    bool last;                  /* of a collective: no other rank came later */
};
#define NO_PARTNER UINT32_MAX

struct view {
    const struct job *job;
    unsigned ranks;
    bool modelled;
    uint64_t end;               /* of the job */
    struct entry *entry;
    size_t count;
    unsigned shift;             /* one of 2^shift slices of time is there */
    uint64_t slice;             /* how long one is */
    uint64_t lost;
    uint64_t unnumbered;        /* ends of messages that have no arrow, as there were too many */
    unsigned silent;            /* ranks that have recorded nothing */
    unsigned hidden;            /* enum trace_call + 1 of a call that was not recorded; 0: none */
};

void view_open(struct view *view, const struct job *job);
void view_close(struct view *view);

/* A rank's own sums. */
const struct trace_region *view_rank(const struct view *view, unsigned rank);
/* Ticks as picoseconds. */
uint64_t view_time(const struct view *view, uint64_t ticks);

/* "MPI_Send"; "?" for what is no call. */
const char *call_name(unsigned call);
/* Whether it is a call of the host, not a note of one. */
static inline bool entry_is_call(const struct entry *e) { return e->r.kind <= TRACE_COLL; }

#endif
