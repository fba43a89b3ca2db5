/* One file in memory for all ranks, which is as large as what they write. */
#include "launch/ranks/traced.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#ifdef __x86_64__
#include <cpuid.h>
#include <x86intrin.h>
#endif

#include "launch/base/calls.h"
#include "launch/ranks/preload.h"
#include "nicemu/job.h"
#include "trace/region.h"

/* All records together; of each rank at least and at most so many. */
enum { RECORDS = 480 * 1024, LEAST = 1024, MOST = 128 * 1024, PAGE = 4096 };
/* Slices of time: some 100 us. */
enum { SLICE_TSC = 18, SLICE_NS = 17, SLICE_PS = 27 };

/* The processor's counter runs at one rate on all cores, whatever they do. */
static bool has_steady_counter(void)
{
#ifdef __x86_64__
    unsigned a, b, c, d;

    return __get_cpuid(0x80000007, &a, &b, &c, &d) && d >> 8 & 1;
#else
    return false;
#endif
}

static void note_time(struct traced *t, unsigned which)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    t->ns[which] = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    t->tick[which] = t->ns[which];
#ifdef __x86_64__
    t->tick[which] = __rdtsc();
#endif
}

struct trace_region *traced_rank(const struct traced *t, unsigned rank)
{
    return (struct trace_region *)(t->memory + rank * t->bytes);
}

static unsigned records_each(unsigned ranks)
{
    unsigned each = RECORDS / ranks;

    return each < LEAST ? LEAST : each > MOST ? MOST : each;
}

const struct trace_record *traced_records(const struct traced *t, unsigned rank, uint32_t *count)
{
    const struct trace_region *r = traced_rank(t, rank);
    uint32_t said = __atomic_load_n(&r->count, __ATOMIC_RELAXED);      /* once */

    *count = said < t->capacity ? said : t->capacity;
    return (const struct trace_record *)&r->peer[t->ranks];
}

static void begin_rank(const struct traced *t, unsigned rank)
{
    struct trace_region *r = traced_rank(t, rank);

    r->magic = TRACE_MAGIC;
    r->ranks = t->ranks;
    r->bytes = t->bytes;
    r->capacity = t->capacity;
    r->clock = t->clock;
    r->slice_bits = t->slice_bits;
}

static void set_clock(struct traced *t, bool modelled)
{
    static const uint32_t slice[] = { [TRACE_TSC] = SLICE_TSC, [TRACE_NS] = SLICE_NS,
                                      [TRACE_PS] = SLICE_PS };

    t->clock = modelled ? TRACE_PS : has_steady_counter() ? TRACE_TSC : TRACE_NS;
    t->slice_bits = slice[t->clock];
}

int traced_open(struct traced *t, unsigned ranks, bool modelled)
{
    size_t bytes = sizeof(struct trace_region) + ranks * sizeof(struct trace_peer)
                   + records_each(ranks) * sizeof(struct trace_record);

    *t = (struct traced){ .ranks = ranks, .bytes = (bytes + PAGE - 1) / PAGE * PAGE,
                          .capacity = records_each(ranks) };
    set_clock(t, modelled);
    t->fd = call_raise(memfd_create("mpirun-trace", 0));
    if (t->fd < 0 || ftruncate(t->fd, (off_t)(t->bytes * ranks)) < 0)
        return -errno;
    t->memory = mmap(NULL, t->bytes * ranks, PROT_READ | PROT_WRITE, MAP_SHARED, t->fd, 0);
    if (t->memory == MAP_FAILED) {
        t->memory = NULL;
        return -errno;
    }
    for (unsigned rank = 0; rank < ranks; rank++)
        begin_rank(t, rank);
    note_time(t, 0);
    return 0;
}

int traced_load(const struct traced *t, struct vars *vars)
{
    char name[NIC_FD_NAME];

    if (t->fd < 0)
        return 0;
    nic_fd_name(t->fd, name, sizeof name);
    vars_set(vars, TRACE_ENV_FD, name);
    return preload(vars, "libmpilite_trace.so", "--trace, --report");
}

void traced_end(struct traced *t) { note_time(t, 1); }

void traced_close(struct traced *t)
{
    if (t->memory)
        munmap(t->memory, t->bytes * t->ranks);
    if (t->fd >= 0)
        close(t->fd);
    *t = (struct traced){ .fd = -1 };
}
