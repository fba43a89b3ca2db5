/* Time as it passes for everybody, for what measures what its own copies take. */
#ifndef MPI_BASE_CLOCK_H
#define MPI_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds since some moment; never back.  Any thread. */
static inline uint64_t mpi_clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

#endif
