/* The first rank of the second of two machines has no memory for its part of a reduction, for which
 * all others wait: the job ends, whatever the error handler. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { COUNT = 16 * 1024 * 1024 };

/* No more than what is mapped now. */
static void take_memory_away(void)
{
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%lu", &pages) != 1)
        MPI_Abort(MPI_COMM_WORLD, 78);
    fclose(f);
    struct rlimit limit = { pages * 4096 + COUNT, pages * 4096 + COUNT };
    if (setrlimit(RLIMIT_AS, &limit))
        MPI_Abort(MPI_COMM_WORLD, 78);
}

int main(int argc, char **argv)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    puts("no limit under a sanitizer");
    return 77;
#endif
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int *from = calloc(COUNT, sizeof *from), *to = calloc(COUNT, sizeof *to);
    if (rank == (size + 1) / 2)
        take_memory_away();
    MPI_Reduce(from, to, COUNT, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    free(from);
    free(to);
    return 0;
}
