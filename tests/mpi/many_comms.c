/* Thousands of communicators that live at once: none hears another's messages, a freed one makes
 * room, and the end is an error. */
#include "t.h"

enum { LIVE = 5000, ALONE_LIMIT = 8192, LIMIT = 24576 };

static MPI_Comm comms[LIMIT + 1];

/* A message on each, all under way at once with one tag; taken in reverse, from anybody. */
static void each_its_own(int n)
{
    MPI_Request *requests = t_alloc((size_t)n * sizeof *requests);
    int *out = t_ints((size_t)n), in, rank, size;

    for (int c = 0; c < n; c++) {
        out[c] = c;
        OK(MPI_Comm_rank(comms[c], &rank));
        OK(MPI_Comm_size(comms[c], &size));
        OK(MPI_Isend(&out[c], 1, MPI_INT, (rank + 1) % size, 3, comms[c], &requests[c]));
    }
    for (int c = n - 1; c >= 0; c--) {
        OK(MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comms[c], MPI_STATUS_IGNORE));
        SAME(in, c);
    }
    OK(MPI_Waitall(n, requests, MPI_STATUSES_IGNORE));
    for (int c = 0; c < n; c += 61) {
        OK(MPI_Comm_size(comms[c], &size));
        OK(MPI_Allreduce(&out[c], &in, 1, MPI_INT, MPI_SUM, comms[c]));
        SAME(in, c * size);
    }
    free(out);
    free(requests);
}

static void dup_range(MPI_Comm of, int first, int end, int step)
{
    for (int c = first; c < end; c += step)
        OK(MPI_Comm_dup(of, &comms[c]));
}

static void free_range(int first, int end, int step)
{
    for (int c = first; c < end; c += step)
        OK(MPI_Comm_free(&comms[c]));
}

static void thousands(MPI_Comm of)
{
    dup_range(of, 0, LIVE, 1);
    each_its_own(LIVE);
    free_range(1, LIVE, 3);
    dup_range(of, 1, LIVE, 3);
    each_its_own(LIVE);
    free_range(0, LIVE, 1);
}

/* As many as there can be, one more, and one in place of one that is gone. */
static void to_the_end(MPI_Comm of, int most)
{
    MPI_Comm more = MPI_COMM_NULL;
    int n = 0, code = MPI_SUCCESS;

    while (n <= most && !(code = MPI_Comm_dup(of, &comms[n])))
        n++;
    CLASS(code, MPI_ERR_OTHER);
    CHECK(n > LIVE);
    CLASS(MPI_Comm_dup(of, &more), MPI_ERR_OTHER);
    OK(MPI_Comm_free(&comms[n / 2]));
    OK(MPI_Comm_dup(of, &comms[n / 2]));
    CLASS(MPI_Comm_dup(of, &more), MPI_ERR_OTHER);
    OK(MPI_Barrier(comms[n / 2]));
    free_range(0, n, 1);
    OK(MPI_Comm_dup(of, &more));
    OK(MPI_Comm_free(&more));
}

/* Ranks 0 and 1 have used up what the others still have free. */
static void unlike(void)
{
    enum { PAIR = 3000 };
    MPI_Comm part;

    OK(MPI_Comm_split(MPI_COMM_WORLD, t_rank < 2, t_rank, &part));
    if (t_rank < 2)
        dup_range(part, 0, PAIR, 1);
    dup_range(MPI_COMM_WORLD, PAIR, LIVE, 1);
    if (t_rank >= 2)
        dup_range(part, 0, PAIR, 1);
    each_its_own(LIVE);
    free_range(0, LIVE, 1);
    OK(MPI_Comm_free(&part));
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    t_errors_return();
    thousands(MPI_COMM_WORLD);
    thousands(MPI_COMM_SELF);
    unlike();
    to_the_end(MPI_COMM_SELF, ALONE_LIMIT);
    if (t_size > 1 && !t_apart())       /* over a wire it takes minutes, and shows nothing else */
        to_the_end(MPI_COMM_WORLD, LIMIT);
    return t_end_single();
}
