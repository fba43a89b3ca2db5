/* A lock that all ranks want, over and over: nanoseconds from one holder to the next, and how even
 * the turns are, as the fewest and the most of a rank, of 1000 on average.  With MPIX_Lock where it
 * exists, else, or if asked, a window's exclusive lock.
 * usage: lock [milliseconds, default 200] [window] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double limit = 0.2;
static MPI_Win win;
#ifdef MPIX_LOCK_NULL
static MPIX_Lock lock;
static int by_lock = 1;
#else
static int by_lock;
#endif

static void acquire(void)
{
#ifdef MPIX_LOCK_NULL
    if (by_lock) {
        MPIX_Lock_acquire(lock);
        return;
    }
#endif
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
}

static void release(void)
{
#ifdef MPIX_LOCK_NULL
    if (by_lock) {
        MPIX_Lock_release(lock);
        return;
    }
#endif
    MPI_Win_unlock(0, win);
}

static long turns(double seconds)
{
    long n = 0;
    for (double end = MPI_Wtime() + seconds; MPI_Wtime() < end; n++) {
        acquire();
        release();
    }
    return n;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    long *memory, own, least, most, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc > 1)
        limit = atof(argv[1]) * 1e-3;
    if (argc > 2 && !strcmp(argv[2], "window"))
        by_lock = 0;
    MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
#ifdef MPIX_LOCK_NULL
    MPIX_Lock_create(MPI_COMM_WORLD, 0, &lock);
#endif
    turns(limit / 10);
    MPI_Barrier(MPI_COMM_WORLD);
    own = turns(limit);
    MPI_Reduce(&own, &least, 1, MPI_LONG, MPI_MIN, 0, MPI_COMM_WORLD);
    MPI_Reduce(&own, &most, 1, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&own, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%2d ranks  %8.0f ns  turns %.0f to %.0f\n", ranks, limit * 1e9 / (double)all,
               1e3 * (double)least * ranks / (double)all, 1e3 * (double)most * ranks / (double)all);
#ifdef MPIX_LOCK_NULL
    MPIX_Lock_free(&lock);
#endif
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
