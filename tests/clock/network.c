/* network: messages through the network, for network.sh, which works out how long they take.
 *
 *   network BYTES               rank 0 to one rank after the other: ns from each send to its
 *                               receive, in a line
 *   network BYTES FROM TO ...   all at the same time: ns to each receive, in the order of the
 *                               pairs; a rank receives in that order too */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { PAIRS_MOST = 64 };

static const double turn = 1e-3;        /* the first send is long after MPI_Init */
static struct pair { int from, to; double begin; } pair[PAIRS_MOST];
static int pairs;

static void add(int from, int to, double begin)
{
    if (pairs < PAIRS_MOST)
        pair[pairs++] = (struct pair){ from, to, begin };
}

static void read_pairs(int argc, char **argv)
{
    for (int i = 2; i + 1 < argc; i += 2)
        add(atoi(argv[i]), atoi(argv[i + 1]), turn);
}

static void exchange(int rank, int bytes, double *ns)
{
    char *data = calloc((size_t)bytes + 1, 1);
    MPI_Request request[PAIRS_MOST];
    int sends = 0;
    for (int i = 0; i < pairs; i++)
        if (pair[i].from == rank) {
            MPIX_Compute(pair[i].begin - MPI_Wtime());
            MPI_Isend(data, bytes, MPI_BYTE, pair[i].to, i, MPI_COMM_WORLD, &request[sends++]);
        }
    for (int i = 0; i < pairs; i++)
        if (pair[i].to == rank) {
            MPI_Recv(data, bytes, MPI_BYTE, pair[i].from, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            ns[i] = (MPI_Wtime() - pair[i].begin) * 1e9;
        }
    MPI_Waitall(sends, request, MPI_STATUSES_IGNORE);
    free(data);
}

int main(int argc, char **argv)
{
    double ns[PAIRS_MOST] = { 0 }, all[PAIRS_MOST];
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    read_pairs(argc, argv);
    for (int to = 1; to < ranks && argc == 2; to++)
        add(0, to, to * turn);
    exchange(rank, argc > 1 ? atoi(argv[1]) : 0, ns);
    MPI_Reduce(ns, all, pairs, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    for (int i = 0; i < pairs && rank == 0; i++)
        printf("%.0f%c", all[i], i < pairs - 1 ? ' ' : '\n');
    MPI_Finalize();
    return 0;
}
