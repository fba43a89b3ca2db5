/* Which algorithm a collective takes: the tables from which the builders choose.  The first line
 * that fits counts; collectives with a single algorithm have none.  Measured with bench/coll, on
 * two and more ranks with a core each, and past the cores; doc/rooms/lib-coll.md says how. */
#ifndef MPI_CHOICE_H
#define MPI_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "coll/fingerprint.h"
#include "coll/window.h"

enum mpi_algorithm {
    MPI_ALGORITHM_PAIRS,            /* each with one at distance 1, 2, 4 ... */
    MPI_ALGORITHM_TREE,             /* along a tree; reductions: up and down again */
    MPI_ALGORITHM_STAR,             /* to one rank and back */
    MPI_ALGORITHM_RING,             /* block by block from neighbour to neighbour */
    MPI_ALGORITHM_SCATTER_RING,     /* the same, of blocks that the root has scattered */
};

/* Where ranks outnumber the cores, where each has one, or both. */
enum mpi_cores { MPI_CORES_CROWDED, MPI_CORES_ENOUGH, MPI_CORES_ANY };

/* What a line may need of a reduction: it commutes, it has an element for each rank. */
enum { MPI_NEEDS_NONE = 0, MPI_NEEDS_COMMUTES = 1, MPI_NEEDS_ELEMENTS = 2, MPI_NEEDS_BOTH = 3 };

/* Cores, from so many ranks and so many bytes on, needs, algorithm.  Bytes: the message; of an
 * all-gather what all have together.  The last line of each fits always. */
struct mpi_choice {
    enum mpi_cores cores;
    int ranks;
    size_t bytes;
    unsigned needs;
    enum mpi_algorithm algorithm;
};
#define MPI_CHOICE(cores, ranks, bytes, needs, algorithm) \
    { MPI_CORES_##cores, ranks, bytes, MPI_NEEDS_##needs, MPI_ALGORITHM_##algorithm }

static const struct mpi_choice mpi_choices_barrier[] = {
    MPI_CHOICE(CROWDED, 0, 0, NONE, TREE),
    MPI_CHOICE(ANY, 0, 0, NONE, PAIRS),
};
static const struct mpi_choice mpi_choices_bcast[] = {
    MPI_CHOICE(ANY, 4, 128 * 1024, NONE, SCATTER_RING),
    MPI_CHOICE(ANY, 0, 0, NONE, TREE),
};
static const struct mpi_choice mpi_choices_allreduce[] = {
    MPI_CHOICE(ANY, 3, 32 * 1024, BOTH, RING),
    MPI_CHOICE(CROWDED, 65, 0, NONE, TREE),
    MPI_CHOICE(CROWDED, 0, 0, NONE, STAR),
    MPI_CHOICE(ANY, 0, 0, NONE, PAIRS),
};
static const struct mpi_choice mpi_choices_allgather[] = {
    MPI_CHOICE(CROWDED, 0, 32 * 1024 + 1, NONE, RING),
    MPI_CHOICE(CROWDED, 0, 0, NONE, STAR),
    MPI_CHOICE(ANY, 0, 0, NONE, RING),
};

/* From how many bytes on a collective of ranks of one machine goes through windows (window.h): two
 * ranks with a core each, more such, past the cores.  Bytes: of the message; of a block, where
 * ranks have blocks of their own; of a reduce-scatter all together.
 *
 * Past the cores time by messages over that through windows, 4, 8, 16, 64 ranks on 2 cores:
 *   all-to-all of 256 bytes   0.97, 1.0 to 1.5, 1.4, 3.0;  of 4 KiB   1.0, 1.1, 1.3, 2.4
 *   all-gather of 2 KiB       1.7, 1.8, 1.8, 5.0;          of 16 KiB  1.6, 2.7, 2.8, 3.9
 *   all-reduce of 8 KiB       1.0, 1.0, 0.65, 1.4;         of 16 KiB  1.3, 1.2, 1.3, 2.0
 * Scatters and gathers never: a rank of theirs reads by itself (fw/copies.h) or is read from, by
 * whoever has a core, and in windows all is copied twice; of 32, 64, 256 KiB, 1 MiB to each of 4
 * ranks 0.67, 0.48, 0.44, 0.56, from each of 3 0.53, 0.52, 0.59, 0.62.
 *
 * And below how many: of an all-to-all of long blocks what all ranks together get, where these and
 * what they are copied from exceed the caches: messages over windows, 1, 2, 4 MiB to each of 4
 * ranks 1.64, 1.50, 0.92 (near cores that share 32 MiB).  There window_price.h looks, too. */
struct mpi_choice_bytes { size_t two, more, crowded; };
static const struct mpi_choice_bytes mpi_choices_windows[] = {
    [MPI_COLL_BARRIER] = { SIZE_MAX, SIZE_MAX, SIZE_MAX },
    [MPI_COLL_ALLREDUCE] = { 16384, 16384, 16384 },
    [MPI_COLL_REDUCE] = { 32768, 32768, 32768 },
    [MPI_COLL_BCAST] = { 32768, 32768, 32768 },
    [MPI_COLL_GATHER] = { SIZE_MAX, 32768, SIZE_MAX },
    [MPI_COLL_SCATTER] = { 32768, 32768, SIZE_MAX },
    [MPI_COLL_ALLGATHER] = { 16384, 8192, 1024 },
    [MPI_COLL_ALLTOALL] = { 16384, 16384, 1 },
    [MPI_COLL_REDUCE_SCATTER] = { 1024, 8192, 16384 },
};
enum { MPI_ALLTOALL_SHORT = 32768, MPI_ALLTOALL_MOVED = 64 << 20 };

static inline bool mpi_window_alltoall_pays(int ranks, size_t bytes)
{
    size_t blocks = (size_t)ranks * (size_t)ranks;
    return bytes < MPI_ALLTOALL_SHORT || bytes < MPI_ALLTOALL_MOVED / blocks;
}

/* Of a scatter or all-to-all each rank gets a block, or one from each. */
static inline bool mpi_window_pays(enum mpi_coll_kind kind, bool crowded, int ranks, size_t bytes)
{
    const struct mpi_choice_bytes *c = &mpi_choices_windows[kind];
    if (crowded)
        return bytes >= c->crowded
               && (kind != MPI_COLL_ALLTOALL || mpi_window_alltoall_pays(ranks, bytes));
    return bytes >= (ranks == 2 ? c->two : c->more);
}

/* A broadcast's buffer, where ranks have a core each: its root copies the next quarter while the
 * others copy the last one. */
static inline size_t mpi_window_quarter(size_t bytes)
{
    size_t least = 16 * 1024, most = MPI_WINDOW_BUFFER, quarter = (bytes / 4 + 63) & ~(size_t)63;
    return quarter < least ? least : quarter < most ? quarter : most;
}

/* has: of what lines may need. */
static inline enum mpi_algorithm mpi_choose(const struct mpi_choice *c, bool crowded, int ranks,
                                            size_t bytes, unsigned has)
{
    const enum mpi_cores other = crowded ? MPI_CORES_ENOUGH : MPI_CORES_CROWDED;
    while (c->cores == other || c->ranks > ranks || c->bytes > bytes || c->needs & ~has)
        c++;
    return c->algorithm;
}

#endif
