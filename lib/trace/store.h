/* Where records go. */
#ifndef TRACE_STORE_H
#define TRACE_STORE_H

#include <stdbool.h>

#include "trace/region.h"
#include "trace/calls.h"

#ifdef __x86_64__
#include <x86intrin.h>
#endif

/* Without a region there is nothing to do. */
struct trace_store {
    struct trace_region *region;
    struct trace_record *records;
    uint32_t clock;             /* enum trace_clock */
    bool several;               /* threads may call at once */
    bool over;                  /* MPI_Finalize is done, or this is not the first program */
};
extern struct trace_store trace_store;

uint64_t trace_now_slow(void);

static inline uint64_t trace_now(void)
{
#ifdef __x86_64__
    if (__builtin_expect(trace_store.clock == TRACE_TSC, 1))
        return __rdtsc();
#endif
    return trace_now_slow();
}

/* Behind a call that may have received: the processor reads its counter before a load in front has
 * its value, unless a fence waits for that.  Of 2 million messages 5 had come up to 20 ns before
 * they were sent. */
static inline uint64_t trace_now_received(void)
{
#ifdef __x86_64__
    _mm_lfence();
#endif
    return trace_now();
}

/* Before anything is recorded, and when nothing more is to come. */
void trace_store_open(void);
void trace_store_close(void);

/* Around what several records, counters and tables have in common. */
void trace_lock_slow(void);
void trace_unlock_slow(void);
static inline void trace_lock(void)
{
    if (trace_store.several)
        trace_lock_slow();
}
static inline void trace_unlock(void)
{
    if (trace_store.several)
        trace_unlock_slow();
}

/* The rest with the lock held, if it is needed, and only if there is a region. */

/* Copies it. */
void trace_add(const struct trace_record *record);
/* The same, or makes the last one longer if that was the same call, which had done nothing. */
void trace_add_idle(const struct trace_record *record);
/* A number of this thread. */
uint8_t trace_lane(void);

static inline void trace_count(unsigned call, uint64_t begin, uint64_t end)
{
    struct trace_total *t = &trace_store.region->call[call];

    t->calls++;
    t->ticks += end - begin;
    if (end - begin > t->longest)
        t->longest = end - begin;
}

static inline unsigned trace_size_of(uint64_t bytes)
{
    unsigned size = bytes ? 64 - (unsigned)__builtin_clzll(bytes) : 0;

    return size < TRACE_SIZES ? size : TRACE_SIZES - 1;
}

static inline void trace_count_sent(int peer, uint64_t bytes)
{
    struct trace_region *r = trace_store.region;

    r->sizes[trace_size_of(bytes)]++;
    r->peer[peer].messages++;
    r->peer[peer].bytes += bytes;
}

/* It has been cancelled in time. */
static inline void trace_uncount_sent(int peer, uint64_t bytes)
{
    struct trace_region *r = trace_store.region;

    r->sizes[trace_size_of(bytes)]--;
    r->peer[peer].messages--;
    r->peer[peer].bytes -= bytes;
}

#endif
