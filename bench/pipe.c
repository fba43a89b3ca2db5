/* Two processes without any MPI that pass a message to and fro through a few buffers in shared
 * memory: each part is copied in by one while the other copies the last one out.  Whoever has read
 * a buffer leaves it so, or writes a byte of each line anew, so that the next fill finds lines that
 * one cache has alone: lib/fw/refill.h.  Rows: half a round trip, the faster of the two.
 * usage: pipe [milliseconds per row, default 50] */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LINE = 64, BUFFERS = 8, BYTES = 32 * 1024, PART_LEAST = 16 * 1024, LARGEST = 4 << 20 };

struct word { _Alignas(128) atomic_ulong turns; };
/* One direction: how often each buffer was filled, and emptied. */
struct way { struct word filled[BUFFERS], emptied[BUFFERS]; };
struct shared {
    struct way way[2];
    struct word stop;
    _Alignas(4096) char buffer[2][BUFFERS][BYTES];
};

static struct shared *shared;
static unsigned long passed[2];     /* parts so far, of each direction, either end's own count */
static int claims;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void wait_for(struct word *w, unsigned long turns)
{
    while (atomic_load_explicit(&w->turns, memory_order_acquire) < turns)
        ;
}

static size_t part_of(size_t bytes)
{
    size_t part = bytes / 4;
    return part < PART_LEAST ? PART_LEAST : part > BYTES ? BYTES : part;
}

static void claim(void *lines, size_t bytes)
{
    _Atomic unsigned char *at = lines;
    for (size_t i = 0; i < bytes; i += LINE)
        atomic_store_explicit(&at[i], atomic_load_explicit(&at[i], memory_order_relaxed),
                              memory_order_relaxed);
}

/* Of direction d. */
static void pass(int d, char *message, size_t bytes, int in)
{
    for (size_t at = 0, part = part_of(bytes), n; at < bytes; at += n) {
        unsigned i = passed[d] % BUFFERS;
        unsigned long turn = passed[d]++ / BUFFERS;
        n = bytes - at < part ? bytes - at : part;
        wait_for(in ? &shared->way[d].emptied[i] : &shared->way[d].filled[i], turn + !in);
        if (in)
            memcpy(shared->buffer[d][i], message + at, n);
        else
            memcpy(message + at, shared->buffer[d][i], n);
        if (!in && claims)
            claim(shared->buffer[d][i], n);
        atomic_store_explicit(in ? &shared->way[d].filled[i].turns
                              : &shared->way[d].emptied[i].turns, turn + 1, memory_order_release);
    }
}

static void round_trip(char *message, size_t bytes)
{
    pass(0, message, bytes, 1);
    pass(1, message, bytes, 0);
}

/* Nanoseconds.  The other end is told before the last round trip of a row. */
static double measure(char *message, size_t bytes, unsigned number, double limit)
{
    long n = 0;
    double begin, t = 0;
    round_trip(message, bytes);
    for (begin = now(); t < limit; t = now() - begin, n++)
        round_trip(message, bytes);
    atomic_store_explicit(&shared->stop.turns, number, memory_order_release);
    round_trip(message, bytes);
    return t / (double)n / 2 * 1e9;
}

static void answer(char *message, size_t bytes, unsigned number)
{
    int last;
    do {
        pass(0, message, bytes, 0);
        last = atomic_load_explicit(&shared->stop.turns, memory_order_acquire) >= number;
        pass(1, message, bytes, 1);
    } while (!last);
}

int main(int argc, char **argv)
{
    double limit = (argc > 1 ? atof(argv[1]) : 50) * 1e-3;
    char *message = malloc(LARGEST);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!message || shared == MAP_FAILED)
        return 1;
    memset(message, 1, LARGEST);
    pid_t child = fork();
    if (child < 0)
        return 1;
    if (!child)
        prctl(PR_SET_PDEATHSIG, SIGKILL);       /* it spins */
    unsigned number = 0;
    for (size_t bytes = 16384; bytes <= LARGEST; bytes *= 4) {
        double ns[2];
        for (claims = 0; claims < 2; claims++)
            if (child)
                ns[claims] = measure(message, bytes, ++number, limit);
            else
                answer(message, bytes, ++number);
        if (child)
            printf("two-copies/%zu/ns %.1f\n", bytes, ns[0] < ns[1] ? ns[0] : ns[1]);
    }
    if (!child)
        _exit(0);
    waitpid(child, NULL, 0);
    return 0;
}
