/* The memory in which ranks leave what they did, for --trace and --report. */
#ifndef LAUNCH_TRACED_H
#define LAUNCH_TRACED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "launch/base/vars.h"

struct trace_record;
struct trace_region;

struct traced {
    int fd;                     /* below 0: nobody asks */
    unsigned ranks;
    char *memory;
    size_t bytes;               /* of each rank */
    /* What ranks are told, and may have written over: their regions are not asked for it. */
    uint32_t capacity, clock, slice_bits;
    uint64_t tick[2], ns[2];    /* the same moments, by both clocks: before and after the job */
};

/* modelled: times are virtual.  0 or a negative errno. */
int traced_open(struct traced *traced, unsigned ranks, bool modelled);
/* Has the ranks with this environment write there.  0, or an exit code. */
int traced_load(const struct traced *traced, struct vars *vars);
/* All ranks have ended. */
void traced_end(struct traced *traced);
struct trace_region *traced_rank(const struct traced *traced, unsigned rank);
/* As many as that has, or as there is room for. */
const struct trace_record *traced_records(const struct traced *traced, unsigned rank,
                                          uint32_t *count);
void traced_close(struct traced *traced);

#endif
