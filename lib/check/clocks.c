/* The clocks of the C library: who reads one may know when to stop. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "check/loops.h"

typedef int get_fn(clockid_t clock, struct timespec *t);

static get_fn *real;

__attribute__((constructor)) static void find(void)
{
    real = (get_fn *)dlsym(RTLD_NEXT, "clock_gettime");
}

static int get(clockid_t clock, struct timespec *t)
{
    check_loops_clock();
    return real ? real(clock, t) : (int)syscall(SYS_clock_gettime, clock, t);
}

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *t)
{
    return get(clock, t);
}

__attribute__((visibility("default")))
int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
    struct timespec now = { .tv_sec = 0 };
    int rc = get(CLOCK_REALTIME, &now);
    struct timeval *to = t;

    /* its header says that it is never NULL, and the compiler trusts that; it may be */
    __asm__("" : "+r"(to));
    if (to)
        *to = (struct timeval){ now.tv_sec, now.tv_nsec / 1000 };
    if (zone)
        *(struct timezone *)zone = (struct timezone){ 0, 0 };
    return rc;
}

__attribute__((visibility("default"))) time_t time(time_t *t)
{
    struct timespec now = { .tv_sec = 0 };

    get(CLOCK_REALTIME_COARSE, &now);
    if (t)
        *t = now.tv_sec;
    return now.tv_sec;
}
