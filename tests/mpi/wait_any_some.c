/* Waitany, Waitsome, Testany, Testsome, Testall, Waitall and Test: each completion is reported
 * once, with its own status, and the requests end as null. */
#include "t.h"

enum { N = 24 };

static int in[N], out[N];
static MPI_Request requests[2 * N];

static void start(void)
{
    for (int i = 0; i < N; i++) {
        in[i] = -1;
        out[i] = 100 * t_rank + i;
        OK(MPI_Irecv(&in[i], 1, MPI_INT, t_prev(), i, MPI_COMM_WORLD, &requests[i]));
    }
    for (int i = 0; i < N; i++)
        requests[N + i] = MPI_REQUEST_NULL;
    for (int i = N - 1; i >= 0; i--)
        if (i % 2)
            OK(MPI_Isend(&out[i], 1, MPI_INT, t_next(), i, MPI_COMM_WORLD, &requests[N + i]));
        else
            OK(MPI_Send(&out[i], 1, MPI_INT, t_next(), i, MPI_COMM_WORLD));
}

static void note(int index, const MPI_Status *status, int *done)
{
    CHECK(index >= 0 && index < 2 * N);
    CHECK(requests[index] == MPI_REQUEST_NULL);
    SAME(done[index], 0);
    done[index] = 1;
    if (index < N) {
        SAME(status->MPI_SOURCE, t_prev());
        SAME(status->MPI_TAG, index);
        SAME(in[index], 100 * t_prev() + index);
    }
}

static int by_waitany(int *done)
{
    MPI_Status status;
    int index;

    OK(MPI_Waitany(2 * N, requests, &index, &status));
    if (index == MPI_UNDEFINED)
        return 0;
    note(index, &status, done);
    return 1;
}

static int by_testany(int *done)
{
    MPI_Status status;
    int index, flag;

    OK(MPI_Testany(2 * N, requests, &index, &flag, &status));
    if (flag && index == MPI_UNDEFINED)
        return 0;
    if (flag)
        note(index, &status, done);
    else
        SAME(index, MPI_UNDEFINED);
    return 1;
}

static int some(int *done, int wait)
{
    MPI_Status statuses[2 * N];
    int indices[2 * N], count;

    if (wait)
        OK(MPI_Waitsome(2 * N, requests, &count, indices, statuses));
    else
        OK(MPI_Testsome(2 * N, requests, &count, indices, statuses));
    if (count == MPI_UNDEFINED)
        return 0;
    CHECK(count >= wait && count <= 2 * N);
    for (int i = 0; i < count; i++)
        note(indices[i], &statuses[i], done);
    return 1;
}

static int by_waitsome(int *done) { return some(done, 1); }
static int by_testsome(int *done) { return some(done, 0); }

static int by_all(int *done, int wait)
{
    MPI_Status statuses[2 * N];
    int flag = 1, active[2 * N];

    for (int i = 0; i < 2 * N; i++)
        active[i] = requests[i] != MPI_REQUEST_NULL;
    if (wait)
        OK(MPI_Waitall(2 * N, requests, statuses));
    else
        OK(MPI_Testall(2 * N, requests, &flag, statuses));
    for (int i = 0; i < 2 * N; i++) {
        if (!flag)
            SAME(requests[i] != MPI_REQUEST_NULL, active[i]);
        else if (active[i])
            note(i, &statuses[i], done);
    }
    return !flag;
}

static int by_waitall(int *done) { return by_all(done, 1); }
static int by_testall(int *done) { return by_all(done, 0); }

static int by_test(int *done)
{
    MPI_Status status;
    int flag, left = 0;

    for (int i = 0; i < 2 * N; i++) {
        if (requests[i] == MPI_REQUEST_NULL)
            continue;
        OK(MPI_Test(&requests[i], &flag, &status));
        if (flag)
            note(i, &status, done);
        else
            left++;
    }
    return left > 0;
}

int main(int argc, char **argv)
{
    static int (*const ways[])(int *) = {
        by_waitany, by_testany, by_waitsome, by_testsome, by_waitall, by_testall, by_test,
    };

    t_start(&argc, &argv);
    for (int round = 0; round < 5; round++)
        for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
            int done[2 * N] = {0};

            start();
            while (ways[way](done))
                ;
            for (int i = 0; i < 2 * N; i++) {
                SAME(done[i], i < N || (i - N) % 2 == 1);
                CHECK(requests[i] == MPI_REQUEST_NULL);
            }
        }
    return t_end();
}
