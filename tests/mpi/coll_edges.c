/* Edges of collectives: no elements at all, blocks in front of the buffer, contributions that are
 * too short or too long, and contributions that stay as they are. */
#include "t.h"

enum { MOST = 64, LONG = 5000 };

/* Nothing to reduce: then the buffers may be one and the same. */
static void no_elements(void)
{
    int x = 5;
    OK(MPI_Allreduce(&x, &x, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    OK(MPI_Reduce(&x, &x, 0, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD));
    SAME(x, 5);
}

/* Displacements count from the buffer in either direction. */
static void in_front_of_the_buffer(int root)
{
    int all[2 * MOST], counts[MOST], displs[MOST], mine = 100 + t_rank, back = -1;
    for (int r = 0; r < t_size; r++) {
        counts[r] = 1;
        displs[r] = -2 * r - 1;
    }
    memset(all, 0, sizeof all);
    OK(MPI_Gatherv(&mine, 1, MPI_INT, all + 2 * t_size, counts, displs, MPI_INT, root,
                   MPI_COMM_WORLD));
    for (int r = 0; r < t_size && t_rank == root; r++)
        SAME(all[2 * t_size + displs[r]], 100 + r);
    OK(MPI_Scatterv(all + 2 * t_size, counts, displs, MPI_INT, &back, 1, MPI_INT, root,
                    MPI_COMM_WORLD));
    SAME(back, mine);
    memset(all, 0, sizeof all);
    OK(MPI_Allgatherv(&mine, 1, MPI_INT, all + 2 * t_size, counts, displs, MPI_INT,
                      MPI_COMM_WORLD));
    for (int r = 0; r < t_size; r++)
        SAME(all[2 * t_size + displs[r]], 100 + r);
    for (int r = 0; r < t_size; r++)
        SAME(all[2 * t_size + displs[r] - 1], 0);
}

/* A rank that gives less than the root has room for. */
static void too_short(void)
{
    int all[2 * MOST], counts[MOST], displs[MOST], mine[2] = { t_rank, t_rank };
    for (int r = 0; r < t_size; r++) {
        counts[r] = 2;
        displs[r] = 2 * r;
    }
    if (t_rank == 0 && t_size > 1)
        CLASS(MPI_Gatherv(mine, 2, MPI_INT, all, counts, displs, MPI_INT, 0, MPI_COMM_WORLD),
              MPI_ERR_COUNT);
    else
        OK(MPI_Gatherv(mine, t_rank == t_size - 1 && t_size > 1 ? 1 : 2, MPI_INT, all, counts,
                       displs, MPI_INT, 0, MPI_COMM_WORLD));
}

/* The root's own block, alone: no more than there is room for moves. */
static void own_block(void)
{
    int out[4] = { 1, 2, 3, 4 }, in[4] = { 0 }, counts[1] = { 2 }, displs[1] = { 0 };
    CLASS(MPI_Gather(out, 4, MPI_INT, in, 2, MPI_INT, 0, MPI_COMM_SELF), MPI_ERR_TRUNCATE);
    SAME(in[2], 0);
    CLASS(MPI_Gatherv(out, 4, MPI_INT, in, counts, displs, MPI_INT, 0, MPI_COMM_SELF),
          MPI_ERR_TRUNCATE);
    SAME(in[2], 0);
    CLASS(MPI_Scatter(out, 4, MPI_INT, in, 2, MPI_INT, 0, MPI_COMM_SELF), MPI_ERR_TRUNCATE);
    SAME(in[2], 0);
    CLASS(MPI_Scatter(out, 2, MPI_INT, in, 4, MPI_INT, 0, MPI_COMM_SELF), MPI_ERR_COUNT);
    CLASS(MPI_Allgather(out, 4, MPI_INT, in, 2, MPI_INT, MPI_COMM_SELF), MPI_ERR_TRUNCATE);
    SAME(in[2], 0);
    CLASS(MPI_Alltoall(out, 4, MPI_INT, in, 2, MPI_INT, MPI_COMM_SELF), MPI_ERR_TRUNCATE);
    SAME(in[2], 0);
}

/* From a rank to itself, in a graph that has no other: its block is longer than its room. */
static void own_edge(void)
{
    const int self[] = { 0 };
    int out[4] = { 1, 2, 3, 4 }, in[4] = { 0 };
    MPI_Comm loop;
    OK(MPI_Dist_graph_create_adjacent(MPI_COMM_SELF, 1, self, MPI_UNWEIGHTED, 1, self,
                                      MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &loop));
    MPI_Neighbor_allgather(out, 4, MPI_INT, in, 2, MPI_INT, loop);
    SAME(in[1], 2);
    SAME(in[2], 0);
    OK(MPI_Comm_free(&loop));
}

/* Ranks that pass on what others gave do so in memory of the library. */
static void contributions_stay(int count, int root)
{
    int *out = t_ints((size_t)count), *in = t_ints((size_t)count);
    MPI_Request request;
    for (int i = 0; i < count; i++)
        out[i] = t_rank + i;
    OK(MPI_Ireduce(out, in, count, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int i = 0; i < count; i++) {
        SAME(out[i], t_rank + i);
        if (t_rank == root)
            SAME(in[i], t_size * (t_size - 1) / 2 + i * t_size);
    }
    OK(MPI_Reduce(out, in, count, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD));
    for (int i = 0; i < count; i++)
        SAME(out[i], t_rank + i);
    free(out);
    free(in);
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    t_errors_return();
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for (int i = 0; i < 3; i++) {
        no_elements();
        in_front_of_the_buffer(i % t_size);
        too_short();
        own_block();
        own_edge();
        contributions_stay(1, i % t_size);
        contributions_stay(50, i % t_size);
        contributions_stay(LONG, i % t_size);
    }
    return t_end();
}
