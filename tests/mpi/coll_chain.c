/* Prefix reductions in long rows, through which low ranks run ahead of high ones by far more than a
 * window of operations, with other collectives in between and behind, and ranks that stall here
 * and there. */
#include "t.h"
#include "compose.h"

enum { EPISODES = 24, ROW = 260, MOST = 14 };

static uint32_t state;
static MPI_Op op;

/* The same at all ranks. */
static int draw(int below)
{
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (uint32_t)below);
}

static void stall(int number)
{
    struct timespec pause = { .tv_nsec = 200 * 1000 };
    if ((number * 7 + t_rank * 13) % 97 == 0)
        nanosleep(&pause, NULL);
}

static void one(int number)
{
    int count = draw(MOST + 1), exclusive = draw(3) == 0, in_place = draw(3) == 0;
    uint64_t mine[MOST], got[MOST];

    for (int i = 0; i < count; i++) {
        mine[i] = compose_value(t_rank, number + i);
        got[i] = in_place ? mine[i] : 0;
    }
    const void *in = in_place ? MPI_IN_PLACE : mine;
    if (exclusive)
        OK(MPI_Exscan(in, got, count, MPI_UINT64_T, op, MPI_COMM_WORLD));
    else
        OK(MPI_Scan(in, got, count, MPI_UINT64_T, op, MPI_COMM_WORLD));
    for (int i = 0; i < count && (!exclusive || t_rank); i++)
        SAME(got[i], compose_ranks(0, t_rank + !exclusive, number + i));
}

static void row(int begin, int length)
{
    for (int i = begin; i < begin + length; i++) {
        stall(i);
        one(i);
    }
}

/* Through which a low rank may not run. */
static void between(int episode)
{
    int root = draw(t_size), value = t_rank == root ? episode : -1, sum;

    switch (draw(4)) {
    case 0:
        OK(MPI_Bcast(&value, 1, MPI_INT, root, MPI_COMM_WORLD));
        SAME(value, episode);
        break;
    case 1:
        OK(MPI_Reduce(&t_rank, &sum, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD));
        if (t_rank == root)
            SAME(sum, t_size * (t_size - 1) / 2);
        break;
    case 2:
        OK(MPI_Allreduce(&t_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        SAME(sum, t_size * (t_size - 1) / 2);
        break;
    default:
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }
}

/* A row that begins before an earlier collective has ended. */
static void behind_another(int begin)
{
    MPI_Request request;

    OK(MPI_Ibarrier(MPI_COMM_WORLD, &request));
    row(begin, ROW);
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

int main(int argc, char **argv)
{
    int number = 1;

    t_start(&argc, &argv);
    OK(MPI_Op_create(compose, 0, &op));
    for (int episode = 0; episode < EPISODES; episode++) {
        int length = 1 + draw(ROW);
        row(number, length);
        number += length;
        between(episode);
    }
    behind_another(number);
    OK(MPI_Op_free(&op));
    return t_end();
}
