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
 * And below how many that all ranks together get, past the cores.  All-to-all: where these and what
 * they are copied from exceed the caches messages take less time, whose rounds do not give every
 * rank a core each; time by messages over that through windows, near cores that share 32 MiB of
 * cache: of 1, 2, 4 MiB to each of 4 ranks 1.64, 1.50, 0.92, of 8 ranks 0.94, 0.58, 0.58.
 * Scatters: only the root waits for all, and a message keeps two ranks busy; to 4 ranks, since
 * messages go through few buffers, 64 and 256 KiB, 1 and 4 MiB: 1.0, 0.7, 0.7, 1.0.  Gathers never:
 * who reads by itself (fw/copies.h) has 32, 64, 128 KiB from 4 ranks in 0.64, 0.50, 0.52 of that
 * through windows, 32 and 64 KiB from 8 ranks in 0.57, 0.53.
 *
 * And up to how many ranks, past the cores, 0: any.  The root of a scatter copies all there is into
 * its window, while its messages are copied by whoever has a core; from 64 KiB to 1 MiB to each,
 * time by messages over that through windows: 6 ranks 0.76 to 0.95, 8 ranks 0.80 to 0.94, 16 ranks
 * 0.10 to 0.57. */
struct mpi_choice_bytes { size_t two, more, crowded, moved_crowded; int ranks_crowded; };
static const struct mpi_choice_bytes mpi_choices_windows[] = {
    [MPI_COLL_BARRIER] = { SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, 0 },
    [MPI_COLL_ALLREDUCE] = { 16384, 16384, 32768, SIZE_MAX, 0 },
    [MPI_COLL_REDUCE] = { 32768, 32768, 32768, SIZE_MAX, 0 },
    [MPI_COLL_BCAST] = { 32768, 32768, 32768, SIZE_MAX, 0 },
    [MPI_COLL_GATHER] = { SIZE_MAX, 32768, SIZE_MAX, SIZE_MAX, 0 },
    [MPI_COLL_SCATTER] = { 32768, 32768, 65536, 1 << 20, 4 },
    [MPI_COLL_ALLGATHER] = { 16384, 8192, 4096, SIZE_MAX, 0 },
    [MPI_COLL_ALLTOALL] = { 16384, 16384, 16384, 64 << 20, 0 },
    [MPI_COLL_REDUCE_SCATTER] = { 1024, 8192, 16384, SIZE_MAX, 0 },
};

/* Of a scatter or all-to-all each rank gets a block, or one from each. */
static inline bool mpi_window_pays(enum mpi_coll_kind kind, bool crowded, int ranks, size_t bytes)
{
    const struct mpi_choice_bytes *c = &mpi_choices_windows[kind];
    size_t n = (size_t)ranks, blocks = kind == MPI_COLL_ALLTOALL ? n * n : n;
    if (crowded)
        return bytes >= c->crowded && bytes < c->moved_crowded / blocks
               && (!c->ranks_crowded || ranks <= c->ranks_crowded);
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
