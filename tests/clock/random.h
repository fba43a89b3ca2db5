/* Random numbers and what was seen, for the random program of the model clock. */
#ifndef RANDOM_H
#define RANDOM_H

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 40000, OPEN_MAX_SENDS = 8 };

static int rank, size;
/* random numbers: the same in all ranks; of this rank alone; what was seen */
static uint64_t shared, own, sum;
static unsigned char out[LONGEST], in[LONGEST];

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

static unsigned below(uint64_t *state, unsigned limit)
{
    return (unsigned)(next(state) >> 20) % limit;
}

static void see(uint64_t x) { sum = (sum ^ x) * UINT64_C(0x9e3779b97f4a7c15) + 1; }

static void see_time(void)
{
    double t = MPI_Wtime();
    uint64_t bits;
    memcpy(&bits, &t, sizeof bits);
    see(bits);
    own ^= bits;            /* what is done next hangs on it too */
    own += !own;
}

static int some_length(uint64_t *state)
{
    switch (below(state, 4)) {
    case 0: return (int)below(state, 9);
    case 1: return (int)below(state, 300);
    case 2: return (int)below(state, 9000);
    default: return (int)below(state, LONGEST);
    }
}

static void see_message(const MPI_Status *status)
{
    int count;
    MPI_Get_count(status, MPI_BYTE, &count);
    see((uint64_t)status->MPI_SOURCE << 32 | (unsigned)status->MPI_TAG);
    see((unsigned)count);
    if (count && in[0] != (unsigned char)status->MPI_SOURCE)
        MPI_Abort(MPI_COMM_WORLD, 3);
}

static void maybe_compute(void)
{
    if (!below(&own, 3))
        MPIX_Compute(1e-9 * below(&own, 5000));
}

#endif
