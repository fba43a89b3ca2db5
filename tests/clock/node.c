/* node: ranks of a node that do something at once, for node.sh, which works out how long it takes.
 *
 *   node send BYTES     at the same time each of the first half of the ranks sends so much to its
 *                       counterpart in the other half: ns until each of those has it
 *   node compute NS     all compute: ns until the last is done */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double begin = 1e-3;       /* long after MPI_Init */
static int rank, ranks;

static double send_at_once(int bytes)
{
    const int half = ranks / 2;
    char *data = calloc((size_t)bytes + 1, 1);
    double end = begin;
    if (rank < half) {
        MPIX_Compute(begin - MPI_Wtime());
        MPI_Send(data, bytes, MPI_BYTE, rank + half, 1, MPI_COMM_WORLD);
        MPIX_Compute(begin);            /* so that nothing else is on the way */
    } else {
        MPI_Recv(data, bytes, MPI_BYTE, rank - half, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        end = MPI_Wtime();
    }
    free(data);
    return end - begin;
}

static double compute(double ns)
{
    double first, own = MPI_Wtime(), end, last;
    MPIX_Compute(ns * 1e-9);
    end = MPI_Wtime();
    MPI_Reduce(&own, &first, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
    MPI_Reduce(&end, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    return last - first;
}

int main(int argc, char **argv)
{
    double seconds = -1, *all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    all = calloc((size_t)ranks, sizeof *all);
    if (argc == 3 && !strcmp(argv[1], "send"))
        seconds = send_at_once(atoi(argv[2]));
    else if (argc == 3 && !strcmp(argv[1], "compute"))
        seconds = compute(atof(argv[2]));
    MPI_Gather(&seconds, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0 && argc == 3)
        for (int r = strcmp(argv[1], "send") ? 0 : ranks / 2; r < ranks; r++)
            printf("%.0f\n", all[r] * 1e9);
    free(all);
    MPI_Finalize();
    return 0;
}
