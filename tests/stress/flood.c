/* Floods: all ranks to one, each in turn the victim, then all to all without a pause, so that
 * inboxes wrap and fill many times over while their owners send too. */
#include "t.h"

enum { EACH = 1500, WINDOW = 64 };

static int count_of(int i) { return i % 97 == 0 ? 3000 : 1 + i % 24; }

static void check(const int *data, const MPI_Status *status, int *next)
{
    int count, number = next[status->MPI_SOURCE]++;

    OK(MPI_Get_count(status, MPI_INT, &count));
    SAME(count, count_of(number));
    SAME(data[0], number);
    SAME(data[count - 1], count == 1 ? number : status->MPI_SOURCE);
}

static void set(int *data, int i)
{
    data[count_of(i) - 1] = t_rank;
    data[0] = i;
}

static void one_victim(int victim)
{
    static int data[3000];
    int *next = calloc((size_t)t_size, sizeof *next);
    MPI_Status status;

    CHECK(next);
    if (t_rank != victim)
        for (int i = 0; i < EACH; i++) {
            set(data, i);
            OK(MPI_Send(data, count_of(i), MPI_INT, victim, 0, MPI_COMM_WORLD));
        }
    else
        for (int i = 0; i < EACH * (t_size - 1); i++) {
            OK(MPI_Recv(data, 3000, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status));
            check(data, &status, next);
        }
    free(next);
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* Each rank sends to the others in turn and takes what comes
 * only when its window of sends is full. */
static void everyone(void)
{
    static int out[WINDOW][3000], in[3000];
    int *next = calloc((size_t)t_size, sizeof *next), received = 0, total = EACH / t_size * t_size;
    MPI_Request sends[WINDOW];
    MPI_Status status;

    CHECK(next);
    for (int i = 0; i < WINDOW; i++)
        sends[i] = MPI_REQUEST_NULL;
    for (int i = 0; i < total; i++) {
        int slot = i % WINDOW, flag = 0;

        while (!flag) {
            OK(MPI_Test(&sends[slot], &flag, MPI_STATUS_IGNORE));
            if (!flag) {
                int waits;
                OK(MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &waits, &status));
                if (waits) {
                    OK(MPI_Recv(in, 3000, MPI_INT, status.MPI_SOURCE, 1, MPI_COMM_WORLD, &status));
                    check(in, &status, next);
                    received++;
                }
            }
        }
        set(out[slot], i / t_size);
        OK(MPI_Isend(out[slot], count_of(i / t_size), MPI_INT, (t_rank + i) % t_size, 1,
                     MPI_COMM_WORLD,
                     &sends[slot]));
    }
    for (; received < total; received++) {
        OK(MPI_Recv(in, 3000, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status));
        check(in, &status, next);
    }
    OK(MPI_Waitall(WINDOW, sends, MPI_STATUSES_IGNORE));
    free(next);
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    for (int victim = 0; victim < t_size && victim < 4; victim++)
        one_victim(victim);
    everyone();
    everyone();
    return t_end();
}
