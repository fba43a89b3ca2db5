/* Records in memory of mpirun's, so that they outlive a rank that crashes.  When it is full every
 * other slice of time goes: what remains is whole, from the beginning of the job to its end, and
 * the same slices remain in all ranks. */
#define _GNU_SOURCE
#include "trace/store.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "base/other_mpi.h"
#include "mpi/door.h"
#include "nicemu/model.h"

enum { SHIFT_MOST = 20, LANES_MOST = 200 };

struct trace_store trace_store = { .clock = TRACE_NS };

/* -- time */

/* On the model clock a look at the time takes none. */
static uint64_t virtual_time(void)
{
    struct nic *nic = mpi_door.nic();

    return nic ? mpi_door.nic_moment(nic) : trace_store.region->end;
}

uint64_t trace_now_slow(void)
{
    struct timespec t;

    if (trace_store.clock == TRACE_PS)
        return virtual_time();
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* -- the region */

static struct trace_region *map(int fd, unsigned long rank)
{
    struct trace_region *first = mmap(NULL, sizeof *first, PROT_READ, MAP_SHARED, fd, 0), *own;
    uint64_t bytes;

    if (first == MAP_FAILED)
        return NULL;
    bytes = first->magic == TRACE_MAGIC && rank < first->ranks ? first->bytes : 0;
    munmap(first, sizeof *first);
    own = bytes ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                       (off_t)(rank * bytes)) : MAP_FAILED;
    return own == MAP_FAILED || own->magic != TRACE_MAGIC ? NULL : own;
}

/* In MPI_Init and not before: a shell that a rank is started by loads this library, too.  A program
 * of another MPI records nothing. */
void trace_store_open(void)
{
    const char *fd = getenv(TRACE_ENV_FD), *rank = getenv("NICEMU_RANK");
    struct trace_region *r;

    if (trace_store.region || trace_store.over || !fd || !rank || other_mpi(&mpi_door))
        return;
    r = map(mpi_door.nic_fd_find(fd), strtoul(rank, NULL, 10));
    unsetenv(TRACE_ENV_FD);
    if (!r)
        return;
    if (r->programs++) {
        trace_store.over = true;
        return;
    }
    trace_store.records = trace_records(r);
    trace_store.clock = r->clock;
    trace_store.region = r;
}

void trace_store_close(void)
{
    trace_store.region = NULL;
    trace_store.over = true;
}

/* -- threads */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void trace_lock_slow(void) { pthread_mutex_lock(&mutex); }
void trace_unlock_slow(void) { pthread_mutex_unlock(&mutex); }

uint8_t trace_lane(void)
{
    static _Atomic unsigned lanes;
    static __thread unsigned own;

    if (!own)
        own = 1 + (lanes < LANES_MOST ? atomic_fetch_add(&lanes, 1) : LANES_MOST);
    return (uint8_t)(own - 1);
}

/* -- records */

/* What is longer than a slice stays: there is little of it, and it is what one looks for. */
static bool is_kept(const struct trace_region *s, const struct trace_record *r)
{
    uint64_t slice = r->begin >> s->slice_bits;

    return !(slice & ((UINT64_C(1) << s->shift) - 1)) || (r->end - r->begin) >> s->slice_bits;
}

static void thin_out(struct trace_region *s)
{
    uint32_t kept = 0;

    s->shift++;
    for (uint32_t i = 0; i < s->count; i++)
        if (is_kept(s, &trace_store.records[i]))
            trace_store.records[kept++] = trace_store.records[i];
    s->count = kept;
}

static bool make_room(struct trace_region *s)
{
    while (s->count >= s->capacity && s->shift < SHIFT_MOST)
        thin_out(s);
    return s->count < s->capacity;
}

void trace_add(const struct trace_record *r)
{
    struct trace_region *s = trace_store.region;

    if (__builtin_expect(s->shift && !is_kept(s, r), 0))
        return;
    if (__builtin_expect(s->count >= s->capacity, 0)) {
        if (!make_room(s)) {
            s->lost++;
            return;
        }
        if (!is_kept(s, r))
            return;
    }
    trace_store.records[s->count++] = *r;
}

/* Only within a slice, so that what is kept does not depend on what else there was. */
void trace_add_idle(const struct trace_record *r)
{
    struct trace_region *s = trace_store.region;
    struct trace_record *last = s->count ? &trace_store.records[s->count - 1] : NULL;

    if (last && last->kind == TRACE_CALL && last->what == r->what && last->lane == r->lane
        && last->times && last->begin >> s->slice_bits == r->begin >> s->slice_bits) {
        last->end = r->end;
        last->times++;
        return;
    }
    struct trace_record first = *r;
    first.times = 1;
    trace_add(&first);
}
