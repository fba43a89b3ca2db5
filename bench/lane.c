/* What rings between two processes allow without any MPI, best of many short bursts:
 *   inbox-long    many producers may write: lines are reserved by compare-and-swap, and each
 *                 message takes the next of 2,048
 *   inbox-short   the same with lines for two messages, which stay in both caches
 *   lane-short    one producer, lines for two messages, a sequence number in each line
 * half round trips by size, and the time of an 8-byte message in a stream.
 * usage: lane [milliseconds per row, default 20] */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LONG = 2048, MOST = 4096, HEAD = 48, BURST = 200, STREAM_LINES = 64 };
enum way { INBOX, LANE };

/* One line: `seq` says that the rest is there; of a lane's each line has one, of an inbox's the
 * first of a message. */
struct line { _Atomic uint64_t seq; uint64_t length; unsigned char data[HEAD]; };
struct ring {
    _Alignas(128) _Atomic uint64_t tail;        /* producers */
    _Alignas(128) _Atomic uint64_t taken;       /* bursts of a stream that the consumer has */
    _Alignas(4096) struct line line[LONG + 128];
};
/* ring[i] is read by process i. */
static struct { struct ring ring[2]; _Alignas(128) _Atomic unsigned meeting; } *shared;

static unsigned me, met;
static unsigned long lines;             /* of the ring in use */
static uint64_t sent, received;         /* positions */
static unsigned char out[MOST], in[MOST];

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* To the n-th processor that the program may use. */
static void pin(unsigned n)
{
    cpu_set_t allowed, one;
    sched_getaffinity(0, sizeof allowed, &allowed);
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed) && n-- == 0)
            CPU_SET(cpu, &one);
    if (CPU_COUNT(&one))
        sched_setaffinity(0, sizeof one, &one);
}

static void meet(void)
{
    met += 2;
    atomic_fetch_add(&shared->meeting, 1);
    while (atomic_load(&shared->meeting) < met)
        ;
}

static void begin(unsigned long length)
{
    meet();
    if (me == 0)
        memset(shared->ring, 0, sizeof shared->ring);
    sent = received = 0;
    lines = length;
    meet();
}

/* -- one message */

static unsigned lines_of(unsigned bytes)
{
    return bytes <= HEAD ? 1 : 1 + (bytes - HEAD + 63) / 64;
}

static void inbox_put(struct ring *r, unsigned bytes)
{
    unsigned need = lines_of(bytes);
    uint64_t at = atomic_load_explicit(&r->tail, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&r->tail, &at, at + need, memory_order_relaxed,
                                                  memory_order_relaxed))
        ;
    struct line *l = &r->line[at % lines];
    if (bytes > HEAD)
        memcpy(l + 1, out + HEAD, bytes - HEAD);
    l->length = bytes;
    memcpy(l->data, out, bytes < HEAD ? bytes : HEAD);
    atomic_store_explicit(&l->seq, at + 1, memory_order_release);
}

static void inbox_get(struct ring *r, unsigned bytes)
{
    struct line *l = &r->line[received % lines];
    while (atomic_load_explicit(&l->seq, memory_order_acquire) != received + 1)
        ;
    memcpy(in, l->data, bytes < HEAD ? bytes : HEAD);
    if (bytes > HEAD)
        memcpy(in + HEAD, l + 1, bytes - HEAD);
    received += lines_of(bytes);
}

static void lane_put(struct ring *r, unsigned bytes)
{
    for (unsigned at = 0; at < bytes; at += HEAD, sent++) {
        struct line *l = &r->line[sent % lines];
        memcpy(l->data, out + at, bytes - at < HEAD ? bytes - at : HEAD);
        atomic_store_explicit(&l->seq, sent + 1, memory_order_release);
    }
}

static void lane_get(struct ring *r, unsigned bytes)
{
    for (unsigned at = 0; at < bytes; at += HEAD, received++) {
        struct line *l = &r->line[received % lines];
        while (atomic_load_explicit(&l->seq, memory_order_acquire) != received + 1)
            ;
        memcpy(in + at, l->data, bytes - at < HEAD ? bytes - at : HEAD);
    }
}

static void put(enum way way, unsigned bytes)
{
    struct ring *r = &shared->ring[!me];
    way == INBOX ? inbox_put(r, bytes) : lane_put(r, bytes);
}

static void get(enum way way, unsigned bytes)
{
    struct ring *r = &shared->ring[me];
    way == INBOX ? inbox_get(r, bytes) : lane_get(r, bytes);
}

/* -- rows */

/* Both processes take as many bursts: rank 0's clock decides, and its last message says so. */
static double round_trips(enum way way, unsigned bytes, double limit)
{
    double best = 1, end = now() + limit;
    for (out[0] = 0; !out[0];) {
        double t = now();
        out[0] = t > end;
        for (unsigned i = 0; i < BURST; i++) {
            if (me == 0)
                put(way, bytes);
            get(way, bytes);
            if (me == 1) {
                out[0] = in[0];
                put(way, bytes);
            }
        }
        t = (now() - t) / (2 * BURST);
        best = t < best ? t : best;
    }
    return best;
}

/* A burst is at most as long as the ring, so that nobody has to wait for room within it. */
static double stream(enum way way, double limit)
{
    _Atomic uint64_t *taken = &shared->ring[1].taken;
    double best = 1, end = now() + limit;
    out[0] = in[0] = 0;
    for (uint64_t burst = 1; !out[0] && !in[0]; burst++) {
        double t = now();
        out[0] = me == 0 && t > end;
        for (unsigned i = 0; i < STREAM_LINES; i++)
            me == 0 ? put(way, 8) : get(way, 8);
        if (me == 1)
            atomic_store_explicit(taken, burst, memory_order_release);
        while (atomic_load_explicit(taken, memory_order_acquire) != burst)
            ;
        t = (now() - t) / STREAM_LINES;
        best = t < best ? t : best;
    }
    return best;
}

static void row(const char *name, enum way way, unsigned long length, double limit)
{
    static const unsigned sizes[] = { 8, 64, 256, 1024, 4096 };
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        unsigned each = way == LANE ? (sizes[i] + HEAD - 1) / HEAD : lines_of(sizes[i]);
        begin(length ? length : 2 * each);
        double t = round_trips(way, sizes[i], limit);
        if (me == 0)
            printf("%s/%u/ns %.1f\n", name, sizes[i], 1e9 * t);
    }
}

static void stream_row(const char *name, enum way way, double limit)
{
    begin(STREAM_LINES);
    double t = stream(way, limit);
    if (me == 0)
        printf("%s/8/ns %.1f\n", name, 1e9 * t);
}

int main(int argc, char **argv)
{
    double limit = (argc > 1 ? atof(argv[1]) : 20) / 1000;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return 1;
    pid_t child = fork();
    if (child < 0)
        return 1;
    me = child == 0;
    if (me)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    pin(me);
    row("inbox-long", INBOX, LONG, limit);
    row("inbox-short", INBOX, 0, limit);
    row("lane-short", LANE, 0, limit);
    stream_row("inbox-stream", INBOX, limit);
    stream_row("lane-stream", LANE, limit);
    fflush(stdout);
    if (me == 0)
        waitpid(child, NULL, 0);
    return 0;
}
