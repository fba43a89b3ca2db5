/* Random collectives, blocking and not, several under way on several communicators, completed in
 * any order.  Every rank draws the same numbers, so that all call the same. */
#include <stdbool.h>

#include "../mpi/t.h"

enum { COMMS = 4, FLIGHT = 12, ROUNDS = 1500, WORDS = 40, LONG_WORDS = 30000 };

static unsigned seed = 4711;
static unsigned below(unsigned n)
{
    seed = seed * 1103515245 + 12345;
    return (seed >> 8) % n;
}

struct call { MPI_Request request; MPI_Comm comm; int kind, root, rank, size, count; long first,
              *in, *out; };

enum { BARRIER, BCAST, REDUCE, ALLREDUCE, KINDS };

static void check(struct call *c)
{
    for (int i = 0; i < c->count; i++) {
        long sum = c->size * (c->first + i) + (long)c->size * (c->size - 1) / 2;
        if (c->kind == BCAST)
            SAME(c->out[i], c->first + i + c->root);
        else if (c->kind == ALLREDUCE || (c->kind == REDUCE && c->rank == c->root))
            SAME(c->out[i], sum);
    }
    free(c->in);
    free(c->out);
}

static void begin(struct call *c, MPI_Comm comm, bool blocking)
{
    static const int counts[] = { 0, 1, 1, 1, 2, 5, 6, 14, 15, WORDS };

    *c = (struct call){ .comm = comm, .kind = (int)below(KINDS), .count = counts[below(10)],
                        .first = below(1000), .request = MPI_REQUEST_NULL };
    if (below(60) == 0)
        c->count = LONG_WORDS;
    if (c->kind == BARRIER)
        c->count = 0;
    MPI_Comm_rank(comm, &c->rank);
    MPI_Comm_size(comm, &c->size);
    c->root = (int)below(60) % c->size;
    c->in = malloc(sizeof(long) * (size_t)(c->count + 1));
    c->out = malloc(sizeof(long) * (size_t)(c->count + 1));
    for (int i = 0; i < c->count; i++) {
        c->in[i] = c->first + i + c->rank;
        c->out[i] = c->kind == BCAST ? c->in[i] : -1;
    }
    switch (c->kind) {
    case BARRIER: OK(blocking ? MPI_Barrier(comm) : MPI_Ibarrier(comm, &c->request)); break;
    case BCAST: OK(blocking ? MPI_Bcast(c->out, c->count, MPI_LONG, c->root, comm)
                   : MPI_Ibcast(c->out, c->count, MPI_LONG, c->root, comm, &c->request)); break;
    case REDUCE:
        OK(blocking ? MPI_Reduce(c->in, c->out, c->count, MPI_LONG, MPI_SUM, c->root, comm)
                    : MPI_Ireduce(c->in, c->out, c->count, MPI_LONG, MPI_SUM, c->root, comm,
                                  &c->request));
        break;
    default:
        OK(blocking ? MPI_Allreduce(c->in, c->out, c->count, MPI_LONG, MPI_SUM, comm)
                    : MPI_Iallreduce(c->in, c->out, c->count, MPI_LONG, MPI_SUM, comm,
                                     &c->request));
    }
}

static void finish(struct call *c)
{
    int done = 0;
    if (below(3) == 0)
        while (!done)
            OK(MPI_Test(&c->request, &done, MPI_STATUS_IGNORE));
    else
        OK(MPI_Wait(&c->request, MPI_STATUS_IGNORE));
    SAME(c->request == MPI_REQUEST_NULL, 1);
    check(c);
}

int main(int argc, char **argv)
{
    struct call flight[FLIGHT], now;
    MPI_Comm comm[COMMS];
    int under_way = 0;

    t_start(&argc, &argv);
    comm[0] = MPI_COMM_WORLD;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm[1]));
    OK(MPI_Comm_split(MPI_COMM_WORLD, t_rank % 2, -t_rank, &comm[2]));
    OK(MPI_Comm_split(MPI_COMM_WORLD, t_rank / 3, t_rank, &comm[3]));
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Comm on = comm[below(COMMS)];
        unsigned what = below(10);
        if (what < 5 && under_way < FLIGHT) {
            begin(&flight[under_way++], on, false);
        } else if (what < 8 && under_way) {
            int which = (int)below((unsigned)under_way);
            finish(&flight[which]);
            flight[which] = flight[--under_way];
        } else {
            begin(&now, on, true);
            check(&now);
        }
        if (below(100) == 0 && !under_way) {    /* the slots of one that ends are used again */
            OK(MPI_Comm_free(&comm[1]));
            OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm[1]));
        }
    }
    while (under_way)
        finish(&flight[--under_way]);
    for (int i = 1; i < COMMS; i++)
        OK(MPI_Comm_free(&comm[i]));
    return t_end();
}
