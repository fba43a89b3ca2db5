/* random_access: updates at random places of a table that all ranks have together, as the HPC
 * Challenge benchmark of that name does: the rate tells how fast single words are reached.
 *
 * Each rank exclusive-ors a stream of random numbers into a window; which element it is the number
 * itself says.  Accumulates are atomic, so none is lost, and doing all of it a second time must
 * bring the table back to what it was. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FLUSH_EVERY = 1024 };    /* updates whose operands have to stay as they are */

static int rank, ranks;

static void usage(FILE *out)
{
    fprintf(out, "usage: mpirun -n RANKS random_access [LOG2_ELEMENTS [UPDATES]]\n\n"
                 "UPDATES by each rank (default 4 per element of its own) in a table of\n"
                 "2^LOG2_ELEMENTS per rank (default 16) words of 8 bytes.\n");
}

/* A number is twice the one before, modulo a primitive polynomial. */
static uint64_t next(uint64_t x) { return x << 1 ^ (x >> 63 ? 7 : 0); }

static void update(MPI_Win win, unsigned log2, long updates)
{
    static uint64_t operand[FLUSH_EVERY];
    const uint64_t mask = ((uint64_t)1 << log2) - 1;
    uint64_t x = UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)(rank + 1);
    for (long i = 0; i < updates; i++) {
        uint64_t *own = &operand[i % FLUSH_EVERY];
        *own = x = next(x);
        MPI_Accumulate(own, 1, MPI_UINT64_T, (int)((x >> log2) % (uint64_t)ranks),
                       (MPI_Aint)(x & mask), 1, MPI_UINT64_T, MPI_BXOR, win);
        if ((i + 1) % FLUSH_EVERY == 0)
            MPI_Win_flush_all(win);
    }
    MPI_Win_flush_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
}

static uint64_t count_wrong(const uint64_t *table, unsigned log2)
{
    uint64_t wrong = 0;
    for (uint64_t i = 0; i >> log2 == 0; i++)
        wrong += table[i] != i;
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return wrong;
}

static int measure(unsigned log2, long updates)
{
    uint64_t *table;
    MPI_Win win;
    MPI_Info info;
    MPI_Info_create(&info);     /* what other libraries like to know */
    MPI_Info_set(info, "accumulate_ordering", "none");
    MPI_Info_set(info, "accumulate_ops", "same_op");
    MPI_Win_allocate((MPI_Aint)sizeof *table << log2, sizeof *table, info, MPI_COMM_WORLD, &table,
                     &win);
    MPI_Info_free(&info);
    MPI_Win_lock_all(0, win);
    for (uint64_t i = 0; i >> log2 == 0; i++)
        table[i] = i;
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    update(win, log2, updates);
    double seconds = MPI_Wtime() - start;
    update(win, log2, updates);
    MPI_Win_sync(win);
    uint64_t lost = count_wrong(table, log2);
    if (rank == 0)
        printf("%d ranks, %.3f million updates per second: %s\n", ranks,
               1e-6 * (double)updates * ranks / seconds, lost ? "WRONG" : "right");
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    return lost != 0;
}

int main(int argc, char **argv)
{
    long log2 = argc > 1 ? atol(argv[1]) : 16, updates = argc > 2 ? atol(argv[2]) : 0;
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        usage(stdout);
        return 0;
    }
    if (argc > 3 || log2 < 1 || log2 > 40 || updates < 0) {
        usage(stderr);
        return 2;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int failed = measure((unsigned)log2, updates ? updates : 4L << log2);
    MPI_Finalize();
    return failed;
}
