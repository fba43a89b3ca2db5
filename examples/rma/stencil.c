/* stencil: heat in a ring of cells, in memory that all ranks of a machine share: nobody copies the
 * neighbours' cells, each rank loads them where they are.
 *
 * All cells are integers (a fixed point), so the sum never changes, and the result is the same with
 * any number of ranks: rank 0 works it out once more alone. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;

static void usage(FILE *out)
{
    fprintf(out, "usage: mpirun -n RANKS stencil [CELLS [STEPS]]\n\n"
                 "CELLS of each rank (default 1000), STEPS (default 100).  All ranks on one\n"
                 "machine.\n");
}

static int64_t begin_at(long i) { return (i * i) % 1000003; }

/* What flows from a cell to each of its neighbours. */
static int64_t flow(int64_t cell) { return cell / 4; }

static int64_t cooled(int64_t left, int64_t cell, int64_t right)
{
    return cell - 2 * flow(cell) + flow(left) + flow(right);
}

/* Two generations behind each other in each rank's part; those of the neighbours as this process
 * sees them. */
struct field { int64_t *own, *left, *right; long cells; };

static int64_t *part_of(MPI_Win win, int of)
{
    MPI_Aint bytes;
    int unit;
    int64_t *at;
    MPI_Win_shared_query(win, of, &bytes, &unit, &at);
    return at;
}

static void step(const struct field *f, MPI_Win win, int now)
{
    const int64_t *from = f->own + now * f->cells;
    int64_t *to = f->own + !now * f->cells;
    int64_t left = f->left[(now + 1) * f->cells - 1], right = f->right[now * f->cells];
    for (long i = 0; i < f->cells; i++)
        to[i] = cooled(i ? from[i - 1] : left, from[i], i + 1 < f->cells ? from[i + 1] : right);
    MPI_Win_sync(win);          /* what was stored, before the others are told */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(win);          /* and before what they stored is loaded */
}

/* The whole ring by one rank. */
static int64_t *alone(long all, long steps)
{
    int64_t *now = malloc((size_t)all * sizeof *now), *then = malloc((size_t)all * sizeof *then);
    for (long i = 0; i < all; i++)
        now[i] = begin_at(i);
    for (long s = 0; s < steps; s++) {
        int64_t *swap = now;
        for (long i = 0; i < all; i++)
            then[i] = cooled(now[(i + all - 1) % all], now[i], now[(i + 1) % all]);
        now = then;
        then = swap;
    }
    free(then);
    return now;
}

static long count_wrong(MPI_Win win, long cells, long steps)
{
    int64_t *right = alone(cells * ranks, steps);
    long wrong = 0;
    for (int r = 0; r < ranks; r++)
        for (long i = 0; i < cells; i++)
            wrong += part_of(win, r)[(steps % 2) * cells + i] != right[r * cells + i];
    free(right);
    return wrong;
}

static int run(long cells, long steps)
{
    struct field f = { .cells = cells };
    MPI_Win win;
    long wrong = 0;
    MPI_Win_allocate_shared((MPI_Aint)(2 * (size_t)cells * sizeof *f.own), sizeof *f.own,
                            MPI_INFO_NULL, MPI_COMM_WORLD, &f.own, &win);
    f.left = part_of(win, (rank + ranks - 1) % ranks);
    f.right = part_of(win, (rank + 1) % ranks);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    for (long i = 0; i < cells; i++)
        f.own[i] = begin_at(rank * cells + i);
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(win);
    double start = MPI_Wtime();
    for (long s = 0; s < steps; s++)
        step(&f, win, (int)(s % 2));
    double seconds = MPI_Wtime() - start;
    if (rank == 0) {
        wrong = count_wrong(win, cells, steps);
        printf("%d ranks, %.3f million cells per second: %s\n", ranks,
               1e-6 * (double)cells * (double)steps * ranks / seconds, wrong ? "WRONG" : "right");
    }
    MPI_Bcast(&wrong, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    return wrong != 0;
}

int main(int argc, char **argv)
{
    long cells = argc > 1 ? atol(argv[1]) : 1000, steps = argc > 2 ? atol(argv[2]) : 100;
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        usage(stdout);
        return 0;
    }
    if (argc > 3 || cells < 1 || cells > 100000000 || steps < 0) {
        usage(stderr);
        return 2;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int failed = run(cells, steps);
    MPI_Finalize();
    return failed;
}
