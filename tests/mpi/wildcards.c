/* Wildcard source, tag and both: nothing is lost, the status tells the truth, a specific receive
 * takes only its own. */
#include "t.h"

enum { EACH = 20 };

static int payload(int source, int tag) { return source * 1000 + tag; }

static void send_all(void)
{
    for (int tag = 0; tag < EACH; tag++) {
        int value[2] = {payload(t_rank, tag), tag};
        OK(MPI_Send(value, 1 + tag % 2, MPI_INT, 0, tag, MPI_COMM_WORLD));
    }
}

static int receive_one(int source, int tag)
{
    int value[2] = {-1, -1}, count;
    MPI_Status status;

    OK(MPI_Recv(value, 2, MPI_INT, source, tag, MPI_COMM_WORLD, &status));
    CHECK(source == MPI_ANY_SOURCE || status.MPI_SOURCE == source);
    CHECK(tag == MPI_ANY_TAG || status.MPI_TAG == tag);
    SAME(value[0], payload(status.MPI_SOURCE, status.MPI_TAG));
    OK(MPI_Get_count(&status, MPI_INT, &count));
    SAME(count, 1 + status.MPI_TAG % 2);
    return status.MPI_SOURCE;
}

static void by_source_and_tag(void)
{
    for (int tag = EACH - 1; tag >= 0; tag--)
        for (int source = t_size - 1; source > 0; source--)
            receive_one(source, tag);
}

static void any_source(void)
{
    for (int tag = EACH - 1; tag >= 0; tag--)
        for (int i = 1; i < t_size; i++)
            receive_one(MPI_ANY_SOURCE, tag);
}

static void any_tag(void)
{
    for (int source = t_size - 1; source > 0; source--)
        for (int i = 0; i < EACH; i++)
            receive_one(source, MPI_ANY_TAG);
}

static void any(void)
{
    int *seen = calloc((size_t)t_size, sizeof *seen);

    CHECK(seen);
    for (int i = 0; i < EACH * (t_size - 1); i++)
        seen[receive_one(MPI_ANY_SOURCE, MPI_ANY_TAG)]++;
    for (int source = 1; source < t_size; source++)
        SAME(seen[source], EACH);
    free(seen);
}

int main(int argc, char **argv)
{
    static void (*const ways[])(void) = {by_source_and_tag, any_source, any_tag, any};

    t_start(&argc, &argv);
    for (int way = 0; way < 4; way++) {
        if (t_rank == 0)
            ways[way]();
        else
            send_all();
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    return t_end();
}
