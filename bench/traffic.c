/* Random traffic: in each round every rank sends some messages to anybody; how many come, all know,
 * for all draw the same numbers.  Receives are posted first, from anywhere.  What it shows on the
 * model clock is how many events a second the clock handles:
 *
 *   time mpirun --model redstorm-alpu --model-hash -n 16 bench/traffic [ROUNDS [SEED [BYTES]]]
 *
 * events of the hash over user and system time.  Rank 0 prints messages and virtual time, which are
 * the same each time. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SENDS = 8, LONGEST = 1 << 16 };

static int rank, size;
static uint64_t state;

static unsigned below(unsigned limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 20) % limit;
}

/* Starts what this rank sends; returns how many messages come to it. */
static int send_some(const char *out, unsigned longest, int tag, MPI_Request *send)
{
    int expected = 0, sends = 0;
    for (int i = 0; i < size * SENDS; i++) {
        int to = (int)below((unsigned)size), bytes = (int)below(longest + 1);
        expected += to == rank;
        if (i / SENDS == rank)
            MPI_Isend(out, bytes, MPI_CHAR, to, tag, MPI_COMM_WORLD, &send[sends++]);
    }
    return expected;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    long rounds = argc > 1 ? atol(argv[1]) : 1000;
    state = 88172645463325252u + (argc > 2 ? strtoull(argv[2], NULL, 10) : 1) * 2654435761u;
    long longest = argc > 3 ? atol(argv[3]) : 1000;
    if (longest < 0 || longest > LONGEST) {
        fprintf(stderr, "traffic: at most %d bytes\n", LONGEST);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    char *out = calloc(1, LONGEST), *in = malloc(LONGEST);
    MPI_Request send[SENDS];
    for (long i = 0; i < rounds; i++) {
        int tag = (int)(i % 32768);     /* else a round's receives may take the next one's messages,
                                         * and who waits for its own sends be left without */
        int expected = send_some(out, (unsigned)longest, tag, send);
        while (expected--)
            MPI_Recv(in, LONGEST, MPI_CHAR, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Waitall(SENDS, send, MPI_STATUSES_IGNORE);
    }
    double end = MPI_Wtime();
    if (rank == 0)
        printf("%ld messages in %.3f us of virtual time\n", rounds * size * SENDS, 1e6 * end);
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
