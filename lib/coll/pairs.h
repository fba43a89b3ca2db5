/* Pairs of ranks: the largest power of two of them exchange with one at distance 1, 2, 4 ...; each
 * rank of the surplus, a guest, joins one of those and waits. */
#ifndef MPI_PAIRS_H
#define MPI_PAIRS_H

#include "coll/build.h"

/* v: this rank's number among those that exchange, -1: it is a guest of the rank below. */
struct mpi_pairs { int power, surplus, v; };

static inline struct mpi_pairs mpi_pairs_of(const struct mpi_build *b)
{
    struct mpi_pairs p = { .power = 1 };
    while (p.power * 2 <= b->size)
        p.power *= 2;
    p.surplus = b->size - p.power;
    if (b->rank >= 2 * p.surplus)
        p.v = b->rank - p.surplus;
    else
        p.v = b->rank % 2 ? -1 : b->rank / 2;
    return p;
}

static inline int mpi_pairs_rank(const struct mpi_pairs *p, int v)
{
    return v < p->surplus ? 2 * v : v + p->surplus;
}

/* The guest is the rank above. */
static inline bool mpi_pairs_has_guest(const struct mpi_build *b, const struct mpi_pairs *p)
{
    return b->rank < 2 * p->surplus;
}

#endif
