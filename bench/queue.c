/* queue: half round trip of 8 bytes past a number of receives posted for other tags, and past as
 * many unexpected messages, between ranks 0 and 1. Prints for each depth: posted ns, unexpected
 * ns. */
#include <mpi.h>
#include <stdio.h>

enum { DEEPEST = 10000, ROUNDS = 3000, TIMES = 3, TAG = 1, OTHER_TAG = 100 };

static double half_round_trip(int rank)
{
    double best = 1e9;
    char c[8] = "";
    for (int time = 0; time < TIMES; time++) {
        double begin = MPI_Wtime(), each;
        for (int i = 0; i < ROUNDS && rank < 2; i++) {
            if (rank == 0)
                MPI_Send(c, 8, MPI_CHAR, 1, TAG, MPI_COMM_WORLD);
            MPI_Recv(c, 8, MPI_CHAR, !rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (rank == 1)
                MPI_Send(c, 8, MPI_CHAR, 0, TAG, MPI_COMM_WORLD);
        }
        each = (MPI_Wtime() - begin) / ROUNDS / 2 * 1e9;
        best = each < best ? each : best;
    }
    return best;
}

static void send_others(int rank, int depth)
{
    char c[8] = "";
    for (int i = 0; rank == 0 && i < depth; i++)
        MPI_Send(c, 8, MPI_CHAR, 1, OTHER_TAG + i, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    static const int depths[] = { 0, 1, 10, 100, 1000, DEEPEST };
    static MPI_Request requests[DEEPEST];
    static char others[DEEPEST][8];
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size < 2) {
        fprintf(stderr, "queue needs two ranks\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (unsigned k = 0; k < sizeof depths / sizeof *depths; k++) {
        int depth = depths[k];
        for (int i = 0; rank == 1 && i < depth; i++)
            MPI_Irecv(others[i], 8, MPI_CHAR, 0, OTHER_TAG + i, MPI_COMM_WORLD, &requests[i]);
        MPI_Barrier(MPI_COMM_WORLD);
        double posted = half_round_trip(rank);
        send_others(rank, depth);
        if (rank == 1)
            MPI_Waitall(depth, requests, MPI_STATUSES_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
        send_others(rank, depth);
        MPI_Barrier(MPI_COMM_WORLD);
        double unexpected = half_round_trip(rank);
        for (int i = 0; rank == 1 && i < depth; i++)
            MPI_Recv(others[i], 8, MPI_CHAR, 0, OTHER_TAG + i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0)
            printf("depth %6d  posted %8.1f ns  unexpected %8.1f ns\n", depth, posted, unexpected);
    }
    MPI_Finalize();
    return 0;
}
