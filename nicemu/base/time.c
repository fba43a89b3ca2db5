/* The real time. */
#define _GNU_SOURCE
#include "base/time.h"

#include <time.h>

uint64_t nic_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
