/* Messages between two ranks do not overtake each other, though
 * small and large ones take different paths. */
#include "t.h"

enum { MESSAGES = 100, MOST = 100000 };

static int size_of(int i)
{
    static const int sizes[] = {8, 60000, 48, 5000, 4, MOST, 40, 8200, 70000, 16};

    return sizes[i % 10];
}

static void start_sends(unsigned char *out, MPI_Request *requests, int tags)
{
    for (int i = 0; i < MESSAGES; i++) {
        unsigned char *data = out + (size_t)i * MOST;

        memcpy(data, &i, sizeof i);
        OK(MPI_Isend(data, size_of(i), MPI_BYTE, t_next(), i % tags, MPI_COMM_WORLD, &requests[i]));
    }
}

static void check(const unsigned char *data, const MPI_Status *status, int i, int tags)
{
    int number, count;

    memcpy(&number, data, sizeof number);
    SAME(number, i);
    SAME(status->MPI_TAG, i % tags);
    OK(MPI_Get_count(status, MPI_BYTE, &count));
    SAME(count, size_of(i));
}

static void receive_in_order(unsigned char *in, int tags, int source)
{
    MPI_Status status;

    for (int i = 0; i < MESSAGES; i++) {
        OK(MPI_Recv(in, MOST, MPI_BYTE, source, tags == 1 ? 0 : MPI_ANY_TAG, MPI_COMM_WORLD,
                    &status));
        check(in, &status, i, tags);
    }
}

static void receive_by_tag(unsigned char *in, int tags)
{
    MPI_Status status;

    for (int tag = tags - 1; tag >= 0; tag--)
        for (int i = tag; i < MESSAGES; i += tags) {
            OK(MPI_Recv(in, MOST, MPI_BYTE, t_prev(), tag, MPI_COMM_WORLD, &status));
            check(in, &status, i, tags);
        }
}

static void posted_first(unsigned char *out, MPI_Request *sends, int tags)
{
    unsigned char *in = t_alloc((size_t)MESSAGES * MOST);
    MPI_Request receives[MESSAGES];
    MPI_Status statuses[MESSAGES];

    for (int i = 0; i < MESSAGES; i++)
        OK(MPI_Irecv(in + (size_t)i * MOST, MOST, MPI_BYTE, i % 3 ? t_prev() : MPI_ANY_SOURCE,
                     i % 2 ? MPI_ANY_TAG : i % tags, MPI_COMM_WORLD, &receives[i]));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    start_sends(out, sends, tags);
    OK(MPI_Waitall(MESSAGES, receives, statuses));
    for (int i = 0; i < MESSAGES; i++)
        check(in + (size_t)i * MOST, &statuses[i], i, tags);
    free(in);
}

int main(int argc, char **argv)
{
    unsigned char *out, *in;
    MPI_Request sends[MESSAGES];

    t_start(&argc, &argv);
    out = calloc(MESSAGES, MOST);
    in = t_alloc(MOST);
    CHECK(out);
    for (int way = 0; way < 5; way++) {
        int tags = way == 0 || way == 3 ? 1 : 5;

        if (way < 4) {
            start_sends(out, sends, tags);
            if (way < 2)
                receive_in_order(in, tags, t_prev());
            else if (way == 3)
                receive_in_order(in, tags, MPI_ANY_SOURCE);
            else
                receive_by_tag(in, tags);
        } else {
            posted_first(out, sends, tags);
        }
        OK(MPI_Waitall(MESSAGES, sends, MPI_STATUSES_IGNORE));
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    free(out);
    free(in);
    return t_end();
}
