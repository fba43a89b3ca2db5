/* Many ranks give to one root again and again, which is not waited for: more than its inbox holds,
 * in blocks of every way that a gather may go, blocking, not blocking and persistent. */
#include "t.h"

enum { TIMES = 6, LONGEST = 40000 };

static const int lengths[] = { 100, 1000, 2000, 5000, 16000, LONGEST };
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static char *mine[TIMES], *all;
static int counts[256], displs[256];

static char byte_of(int rank, int time, int i) { return (char)(rank * 31 + time * 7 + i); }

static void fill(int time, int bytes)
{
    for (int i = 0; i < bytes; i++)
        mine[time][i] = byte_of(t_rank, time, i);
}

/* First and last byte of each block, and all of one. */
static void look(int time, int bytes)
{
    for (int r = 0; r < t_size; r++) {
        SAME(all[(size_t)r * bytes], byte_of(r, time, 0));
        SAME(all[(size_t)r * bytes + bytes - 1], byte_of(r, time, bytes - 1));
    }
    for (int i = 0, r = time % t_size; i < bytes; i++)
        SAME(all[(size_t)r * bytes + i], byte_of(r, time, i));
    memset(all, 0, (size_t)t_size * bytes);
}

static void blocking(int bytes, int root, int vector)
{
    for (int r = 0; r < t_size; r++) {
        counts[r] = bytes;
        displs[r] = r * bytes;
    }
    for (int time = 0; time < TIMES; time++) {
        fill(time, bytes);
        if (vector)
            OK(MPI_Gatherv(mine[time], bytes, MPI_CHAR, all, counts, displs, MPI_CHAR, root,
                           MPI_COMM_WORLD));
        else
            OK(MPI_Gather(mine[time], bytes, MPI_CHAR, all, bytes, MPI_CHAR, root,
                          MPI_COMM_WORLD));
        if (t_rank == root)
            look(time, bytes);
    }
}

static void nonblocking(int bytes, int root)
{
    MPI_Request request[TIMES];
    for (int time = 0; time < TIMES; time++) {
        fill(time, bytes);
        OK(MPI_Igather(mine[time], bytes, MPI_CHAR, all, bytes, MPI_CHAR, root, MPI_COMM_WORLD,
                       &request[time]));
        if (t_rank != root)
            continue;
        OK(MPI_Wait(&request[time], MPI_STATUS_IGNORE));
        look(time, bytes);
    }
    if (t_rank != root)
        OK(MPI_Waitall(TIMES, request, MPI_STATUSES_IGNORE));
}

static void persistent(int bytes, int root)
{
    MPI_Request request;
    OK(MPI_Gather_init(mine[0], bytes, MPI_CHAR, all, bytes, MPI_CHAR, root, MPI_COMM_WORLD,
                       MPI_INFO_NULL, &request));
    for (int time = 0; time < TIMES; time++) {
        for (int i = 0; i < bytes; i++)
            mine[0][i] = byte_of(t_rank, time, i);
        OK(MPI_Start(&request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        if (t_rank == root)
            look(time, bytes);
    }
    OK(MPI_Request_free(&request));
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    CHECK(t_size <= 256);
    for (int time = 0; time < TIMES; time++)
        mine[time] = malloc(LONGEST);
    all = calloc((size_t)t_size, LONGEST);
    for (int k = 0; k < LENGTHS; k++)
        for (int root = 0; root < t_size; root += t_size - (t_size > 1)) {
            blocking(lengths[k], root, 0);
            blocking(lengths[k], root, 1);
            nonblocking(lengths[k], root);
            persistent(lengths[k], root);
        }
    for (int time = 0; time < TIMES; time++)
        free(mine[time]);
    free(all);
    return t_end();
}
