/* What the machine allows without any MPI: hand-off of a cache line between two cores, memcpy, and
 * the kernel's copy from another process.  usage: floor [milliseconds per row, default 50] */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LARGEST = 4 << 20, STOP = 0xffffffff, CHUNK = 100 };

static struct { _Alignas(128) atomic_uint ping; _Alignas(128) atomic_uint pong; } line;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Before anything was pinned: a new thread inherits its creator's mask. */
static cpu_set_t allowed;

/* Pins the calling thread to the n-th processor that the program may use. */
static void pin(int n)
{
    cpu_set_t one;

    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed) && n-- == 0)
            CPU_SET(cpu, &one);
    if (CPU_COUNT(&one))
        sched_setaffinity(0, sizeof one, &one);
}

static void *echo(void *unused)
{
    unsigned seen = 0;

    (void)unused;
    pin(1);
    while (seen != STOP) {
        unsigned next = atomic_load_explicit(&line.ping, memory_order_acquire);
        if (next != seen) {
            seen = next;
            atomic_store_explicit(&line.pong, seen, memory_order_release);
        }
    }
    return NULL;
}

static void hand_off(unsigned i)
{
    atomic_store_explicit(&line.ping, i, memory_order_release);
    while (atomic_load_explicit(&line.pong, memory_order_acquire) != i)
        ;
}

static void cache_line(double limit)
{
    pthread_t thread;
    unsigned i = 0;
    double begin, t = 0;

    pin(0);
    if (pthread_create(&thread, NULL, echo, NULL))
        exit(1);
    while (i < CHUNK)
        hand_off(++i);
    for (begin = now(); t < limit; t = now() - begin)
        for (int k = 0; k < CHUNK; k++)
            hand_off(++i);
    hand_off(STOP);
    pthread_join(thread, NULL);
    printf("hand-off/one-way/ns %.1f\n", t / (i - CHUNK) / 2 * 1e9);
}

static void memory_copy(char *to, char *from, double limit)
{
    long n = 0;
    double begin = now(), t = 0;

    for (; t < limit; t = now() - begin, n++) {
        memcpy(to, from, LARGEST);
        __asm__ volatile("" ::: "memory");
    }
    printf("memcpy/%d/GBps %.2f\n", LARGEST, (double)n * LARGEST / t * 1e-9);
}

static void kernel_copy(pid_t peer, char *to, char *from, double limit)
{
    for (size_t bytes = 4096; bytes <= LARGEST; bytes *= 4) {
        struct iovec local = {to, bytes}, remote = {from, bytes};
        long n = 0;
        double begin = now(), t = 0;
        for (; t < limit; t = now() - begin, n++)
            if (process_vm_readv(peer, &local, 1, &remote, 1, 0) != (ssize_t)bytes)
                return;
        printf("kernel-copy/%zu/ns %.1f\n", bytes, t / (double)n * 1e9);
    }
}

int main(int argc, char **argv)
{
    double limit = (argc > 1 ? atof(argv[1]) : 50) * 1e-3;
    char *from = malloc(LARGEST), *to = malloc(LARGEST);

    if (!from || !to)
        return 1;
    memset(from, 1, LARGEST);
    memset(to, 2, LARGEST);
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) > 1)
        cache_line(limit);
    memory_copy(to, from, limit);
    fflush(stdout);
    /* The child has the same addresses, and its own pages behind them once it has written. */
    pid_t child = fork();
    if (child == 0) {
        memset(from, 3, LARGEST);
        pause();
        _exit(0);
    }
    if (child > 0) {
        kernel_copy(child, to, from, limit);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    free(from);
    free(to);
    return 0;
}
