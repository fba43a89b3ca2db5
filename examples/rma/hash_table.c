/* hash_table: words counted in a table that is spread over all ranks, by atomic operations alone:
 * no rank ever serves another one.
 *
 * An entry is two words, a key and a count.  Whoever finds its place free takes it by
 * compare-and-swap, and goes to the next place where another key stands already; counts are added
 * up.  Each rank counts the same stream of keys from another place on, so the result is known. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY, COUNT, WORDS };     /* of an entry; key 0: the place is free */

static int rank, ranks;

static void usage(FILE *out)
{
    fprintf(out, "usage: mpirun -n RANKS hash_table [KEYS [REPEATS]]\n\n"
                 "KEYS different ones (default 1000), each counted REPEATS times (default 10)\n"
                 "by each rank.\n");
}

static uint64_t mix(uint64_t x)
{
    x ^= x >> 33;
    x *= UINT64_C(0xff51afd7ed558ccd);
    return x ^ x >> 29;
}

/* Where the key may stand, after so many places that were taken. */
struct place { int target; MPI_Aint at; };
static struct place place_of(uint64_t key, uint64_t places, uint64_t tried)
{
    const uint64_t number = (mix(key) + tried) % (places * (uint64_t)ranks);
    return (struct place){ (int)(number % (uint64_t)ranks),
                           (MPI_Aint)(number / (uint64_t)ranks) * WORDS };
}

static void count_key(MPI_Win win, uint64_t key, uint64_t places)
{
    const uint64_t none = 0, one = 1;
    uint64_t found;
    struct place p;
    for (uint64_t tried = 0;; tried++) {
        p = place_of(key, places, tried);
        MPI_Compare_and_swap(&key, &none, &found, MPI_UINT64_T, p.target, p.at + KEY, win);
        MPI_Win_flush(p.target, win);
        if (found == none || found == key)
            break;
    }
    MPI_Accumulate(&one, 1, MPI_UINT64_T, p.target, p.at + COUNT, 1, MPI_UINT64_T, MPI_SUM, win);
    MPI_Win_flush_local(p.target, win);
}

/* This rank's part: every key once, and counted as often as it should be. */
static long count_wrong(const uint64_t *table, uint64_t places, long keys, long repeats)
{
    long sums[2] = { 0, 0 };    /* keys; wrong counts */
    for (uint64_t i = 0; i < places; i++) {
        sums[0] += table[i * WORDS + KEY] != 0;
        sums[1] += table[i * WORDS + KEY] != 0
                   && table[i * WORDS + COUNT] != (uint64_t)(repeats * ranks);
    }
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    return sums[1] + labs(sums[0] - keys);
}

static int count_all(long keys, long repeats)
{
    const uint64_t places = 2 * (uint64_t)keys / (uint64_t)ranks + 2;
    const MPI_Aint bytes = (MPI_Aint)(places * WORDS * sizeof(uint64_t));
    uint64_t *table;
    MPI_Win win;
    MPI_Win_allocate(bytes, sizeof *table, MPI_INFO_NULL, MPI_COMM_WORLD, &table, &win);
    MPI_Win_lock_all(0, win);
    memset(table, 0, (size_t)bytes);
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (long i = 0; i < keys * repeats; i++)
        count_key(win, 1 + (uint64_t)((i + rank * 7) % keys), places);
    MPI_Win_flush_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    double seconds = MPI_Wtime() - start;
    MPI_Win_sync(win);
    long wrong = count_wrong(table, places, keys, repeats);
    if (rank == 0)
        printf("%d ranks, %.3f million keys per second: %s\n", ranks,
               1e-6 * (double)(keys * repeats) * ranks / seconds, wrong ? "WRONG" : "right");
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    return wrong != 0;
}

int main(int argc, char **argv)
{
    long keys = argc > 1 ? atol(argv[1]) : 1000, repeats = argc > 2 ? atol(argv[2]) : 10;
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        usage(stdout);
        return 0;
    }
    if (argc > 3 || keys < 1 || keys > 100000000 || repeats < 1) {
        usage(stderr);
        return 2;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int failed = count_all(keys, repeats);
    MPI_Finalize();
    return failed;
}
