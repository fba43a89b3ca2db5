/* flood: many ranks send to one at once, a long message and a short one behind it, several times.
 * All must arrive, in order; what the ranks' data were is checked. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

struct options { long bytes, rounds; };

static const char usage[] =
    "usage: mpirun -n NODES flood [-s BYTES] [-r ROUNDS]\n\n"
    "  -s, --size BYTES    of a long message (default 100000)\n"
    "  -r, --rounds N      how many of them each rank sends (default 1)\n"
    "  -h, --help          print this text\n";

static int rank, size, wrong;

static void fill(unsigned char *data, long bytes, int source, long round)
{
    for (long i = 0; i < bytes; i++)
        data[i] = (unsigned char)(source * 7 + round * 31 + i);
}

static void send_all(const struct options *o)
{
    unsigned char *data = malloc((size_t)o->bytes + 1);

    for (long r = 0; r < o->rounds; r++) {
        long number = r;

        fill(data, o->bytes, rank, r);
        MPI_Send(data, (int)o->bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        MPI_Send(&number, 1, MPI_LONG, 0, 0, MPI_COMM_WORLD);
    }
    free(data);
}

/* Each pair from one source with receives that both messages would match: so they come in order. */
static void receive_all(const struct options *o)
{
    unsigned char *data = malloc((size_t)o->bytes + 1), *all = malloc((size_t)o->bytes * size + 1);
    MPI_Request *first = malloc((size_t)size * sizeof *first);

    for (long r = 0; r < o->rounds; r++) {
        for (int s = 1; s < size; s++)
            MPI_Irecv(all + s * o->bytes, (int)o->bytes, MPI_BYTE, s, 0, MPI_COMM_WORLD,
                      &first[s]);
        if (r == 0)
            MPI_Barrier(MPI_COMM_WORLD);
        for (int s = 1; s < size; s++) {
            MPI_Status status;
            long number = -1;
            int bytes;

            MPI_Wait(&first[s], &status);
            MPI_Get_count(&status, MPI_BYTE, &bytes);
            MPI_Recv(&number, 1, MPI_LONG, s, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            fill(data, o->bytes, s, r);
            wrong += bytes != o->bytes || number != r
                     || memcmp(data, all + s * o->bytes, (size_t)o->bytes);
        }
    }
    free(first);
    free(all);
    free(data);
}

int main(int argc, char **argv)
{
    struct options o = { .bytes = 100000, .rounds = 1 };
    const struct choice choices[] = {
        { 's', "size", .number = &o.bytes, .most = 8000000 },
        { 'r', "rounds", .number = &o.rounds, .least = 1, .most = BENCH_MOST },
        { 0 },
    };
    int code = bench_options(argc, argv, choices, usage);

    if (code < 0) {
        double start;

        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        start = MPI_Wtime();
        if (rank) {
            MPI_Barrier(MPI_COMM_WORLD);
            send_all(&o);
        } else {
            receive_all(&o);
            printf("senders\tsize (bytes)\twrong\ttime (ns)\n%d\t%ld\t%d\t%.3f\n", size - 1,
                   o.bytes, wrong, (MPI_Wtime() - start) * 1e9);
        }
        MPI_Barrier(MPI_COMM_WORLD);    /* so that figures have all that was sent again */
        MPI_Finalize();
        code = wrong != 0;
    }
    bench_options_free(choices);
    return code;
}
