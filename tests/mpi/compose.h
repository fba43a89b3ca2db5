/* An operation that is associative but does not commute, for reductions whose order counts: an
 * element stands for the function x -> a x + b modulo 2^32, kept as a in the upper and b in the
 * lower half; the operation is composition. */
#ifndef COMPOSE_H
#define COMPOSE_H

#include "t.h"

static inline uint64_t compose_two(uint64_t first, uint64_t second)
{
    uint32_t a = (uint32_t)(first >> 32) * (uint32_t)(second >> 32);
    uint32_t b = (uint32_t)first * (uint32_t)(second >> 32) + (uint32_t)second;

    return (uint64_t)a << 32 | b;
}

/* What rank r contributes at place i. */
static inline uint64_t compose_value(int r, int i)
{
    return (uint64_t)(3u + 2u * (uint32_t)r + (uint32_t)i) << 32
           | (5u * (uint32_t)r + (uint32_t)i + 1u);
}

/* The contributions of ranks first .. end - 1 in the order of ranks. */
static inline uint64_t compose_ranks(int first, int end, int i)
{
    uint64_t value = compose_value(first, i);

    for (int r = first + 1; r < end; r++)
        value = compose_two(value, compose_value(r, i));
    return value;
}

/* The MPI_User_function. */
static inline void compose(void *in, void *inout, int *length, MPI_Datatype *type)
{
    uint64_t *a = in, *b = inout;

    CHECK(*type == MPI_UINT64_T);
    for (int i = 0; i < *length; i++)
        b[i] = compose_two(a[i], b[i]);
}

#endif
