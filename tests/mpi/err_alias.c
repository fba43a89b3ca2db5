/* Send and receive buffers that overlap are an error where a rank can see it: in gather, scatter,
 * allgather and all-to-all, with and without counts, and in reductions.  Blocks side by side, empty
 * ones, gaps, and arguments that do not count at this rank are none. */
#include "t.h"

enum { AREA = 600, RANKS = 16, ROUNDS = 400 };

static int area[AREA + 64];
static MPI_Comm comm = MPI_COMM_WORLD;

static void fixed_blocks(void)
{
    int n = t_size;

    CLASS(MPI_Allgather(area, 4, MPI_INT, area, 4, MPI_INT, comm), MPI_ERR_BUFFER);
    CLASS(MPI_Allgather(area + 4 * t_rank, 4, MPI_INT, area, 4, MPI_INT, comm), MPI_ERR_BUFFER);
    CLASS(MPI_Allgather(area + 4 * n - 1, 4, MPI_INT, area, 4, MPI_INT, comm), MPI_ERR_BUFFER);
    CLASS(MPI_Allgather((char *)(area + 4) - 1, 4, MPI_INT, area + 4, 4, MPI_INT, comm),
          MPI_ERR_BUFFER);
    OK(MPI_Allgather(area + 4 * n, 4, MPI_INT, area, 4, MPI_INT, comm));
    OK(MPI_Allgather(area, 4, MPI_INT, area + 4, 4, MPI_INT, comm));
    OK(MPI_Allgather(area + 1, 0, MPI_INT, area, 0, MPI_INT, comm));
    OK(MPI_Allgather(MPI_IN_PLACE, 9, MPI_INT, area, 4, MPI_INT, comm));
    CLASS(MPI_Alltoall(area, 3, MPI_INT, area, 3, MPI_INT, comm), MPI_ERR_BUFFER);
    CLASS(MPI_Alltoall(area + 3 * n - 1, 3, MPI_INT, area, 3, MPI_INT, comm), MPI_ERR_BUFFER);
    OK(MPI_Alltoall(area + 3 * n, 3, MPI_INT, area, 3, MPI_INT, comm));
    OK(MPI_Alltoall(area, 0, MPI_INT, area, 0, MPI_INT, comm));
    OK(MPI_Alltoall(MPI_IN_PLACE, 7, MPI_CHAR, area, 3, MPI_INT, comm));
}

/* Only the root has blocks, and only there do both buffers count. */
static void rooted(int root)
{
    int n = t_size;

    if (t_rank == root) {
        CLASS(MPI_Gather(area, 4, MPI_INT, area, 4, MPI_INT, root, comm), MPI_ERR_BUFFER);
        CLASS(MPI_Gather(area + 4 * t_rank, 4, MPI_INT, area, 4, MPI_INT, root, comm),
              MPI_ERR_BUFFER);
        CLASS(MPI_Gather(area + 4 * n - 1, 4, MPI_INT, area, 4, MPI_INT, root, comm),
              MPI_ERR_BUFFER);
        CLASS(MPI_Scatter(area, 4, MPI_INT, area, 4, MPI_INT, root, comm), MPI_ERR_BUFFER);
        CLASS(MPI_Scatter(area, 4, MPI_INT, area + 4 * n - 1, 4, MPI_INT, root, comm),
              MPI_ERR_BUFFER);
        OK(MPI_Gather(area + 4 * n, 4, MPI_INT, area, 4, MPI_INT, root, comm));
        OK(MPI_Scatter(area, 4, MPI_INT, area + 4 * n, 4, MPI_INT, root, comm));
    } else {
        OK(MPI_Gather(area, 4, MPI_INT, area, 4, MPI_INT, root, comm));
        OK(MPI_Scatter(area, 4, MPI_INT, area, 4, MPI_INT, root, comm));
    }
    OK(MPI_Gather(t_rank == root ? MPI_IN_PLACE : area, 4, MPI_INT, area, 4, MPI_INT, root, comm));
    OK(MPI_Scatter(area, 4, MPI_INT, t_rank == root ? MPI_IN_PLACE : area, 4, MPI_INT, root, comm));
}

/* One rank's side of a call with counts: block i has counts[i] elements at displs[i] of `area`. */
struct side { int counts[RANKS], displs[RANKS]; };

static int count_between(int a, int b, uint32_t seed)
{
    uint32_t x = seed + (uint32_t)(a * b + a + b);

    return (int)(t_random(&x) >> 8) % 4;
}

/* Marks what the blocks cover; 1: something was marked already. */
static int cover(unsigned char *map, const struct side *s)
{
    int twice = 0;

    for (int i = 0; i < t_size; i++)
        for (int k = 0; k < s->counts[i]; k++)
            twice |= map[s->displs[i] + k]++;
    return twice;
}

static int covered(const unsigned char *map, const struct side *s)
{
    int any = 0;

    for (int i = 0; i < t_size; i++)
        for (int k = 0; k < s->counts[i]; k++)
            any |= map[s->displs[i] + k];
    return any;
}

/* Blocks of the receiving side are apart; the other may read twice.  On the left or the right of
 * each other, or among each other. */
static void layout(struct side *s, int rank, uint32_t seed, uint32_t *random, int where, int apart)
{
    unsigned char map[AREA];

    do {
        memset(map, 0, sizeof map);
        for (int i = 0; i < t_size; i++) {
            s->counts[i] = count_between(rank, i, seed);
            s->displs[i] = where + (int)(t_random(random) % (AREA / 4));
        }
    } while (cover(map, s) && apart);
}

/* What all ranks do, so that each knows whether one of them is not allowed to. */
static void random_round(uint32_t seed)
{
    struct side send, recv, mine[2];
    int wrong[RANKS] = { 0 }, any = 0, where = seed % 3 ? 0 : (int)(seed % 7) * 30;
    uint32_t random = seed * 7919 + 1;
    unsigned char map[AREA];

    for (int r = 0; r < t_size; r++) {
        layout(&recv, r, seed, &random, where, 1);
        layout(&send, r, seed, &random, 0, 0);
        memset(map, 0, sizeof map);
        cover(map, &recv);
        any |= wrong[r] = covered(map, &send);
        if (r == t_rank) {
            mine[0] = send;
            mine[1] = recv;
        }
    }
    if (wrong[t_rank])
        CLASS(MPI_Alltoallv(area, mine[0].counts, mine[0].displs, MPI_INT, area, mine[1].counts,
                            mine[1].displs, MPI_INT, comm), MPI_ERR_BUFFER);
    if (any)
        return;
    OK(MPI_Alltoallv(area, mine[0].counts, mine[0].displs, MPI_INT, area, mine[1].counts,
                     mine[1].displs, MPI_INT, comm));
}

/* Blocks of two with a gap of two behind each: what lies in a gap is apart. */
static void gaps(void)
{
    int counts[RANKS], displs[RANKS], last = t_size - 1, root = last / 2;

    for (int i = 0; i < t_size; i++) {
        counts[i] = i == last && last > 0 ? 0 : 2;
        displs[i] = 4 * i;
    }
    int *gap = area + 2, *end = area + 4 * last;
    int own = counts[t_rank];
    OK(MPI_Allgatherv(gap, own, MPI_INT, area, counts, displs, MPI_INT, comm));
    int class = own ? MPI_ERR_BUFFER : MPI_ERR_TRUNCATE;    /* its block has no room for any */
    CLASS(MPI_Allgatherv(area + 1, 2, MPI_INT, area, counts, displs, MPI_INT, comm), class);
    CLASS(MPI_Allgatherv((char *)gap - 1, 2 * (int)sizeof *gap, MPI_CHAR, area, counts, displs,
                         MPI_INT, comm), class);
    if (last > 0) {     /* an empty block overlaps nothing */
        OK(MPI_Allgatherv(end, own, MPI_INT, area, counts, displs, MPI_INT, comm));
        OK(MPI_Gatherv(end, own, MPI_INT, area, counts, displs, MPI_INT, root, comm));
    }
    OK(MPI_Gatherv(gap, own, MPI_INT, area, counts, displs, MPI_INT, root, comm));
    OK(MPI_Scatterv(area, counts, displs, MPI_INT, gap, own, MPI_INT, root, comm));
    if (t_rank != root) {       /* counts and blocks are the root's affair */
        OK(MPI_Gatherv(area, own, MPI_INT, area, NULL, NULL, MPI_INT, root, comm));
        OK(MPI_Scatterv(area, NULL, NULL, MPI_INT, area, own, MPI_INT, root, comm));
        return;
    }
    CLASS(MPI_Gatherv(area + 1, 2, MPI_INT, area, counts, displs, MPI_INT, root, comm),
          MPI_ERR_BUFFER);
    CLASS(MPI_Scatterv(area, counts, displs, MPI_INT, area + 1, 2, MPI_INT, root, comm),
          MPI_ERR_BUFFER);
    OK(MPI_Gatherv(MPI_IN_PLACE, 0, MPI_INT, area, counts, displs, MPI_INT, root, comm));
    OK(MPI_Scatterv(area, counts, displs, MPI_INT, MPI_IN_PLACE, 0, MPI_INT, root, comm));
}

/* -- reductions */

static void reductions(void)
{
    int n = t_size, counts[RANKS];
    MPI_Request r;

    for (int i = 0; i < n; i++)
        counts[i] = 2;
    for (int shift = -3; shift <= 3; shift++) {
        int *in = area + 40, *out = in + shift;
        CLASS(MPI_Allreduce(in, out, 4, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER);
        CLASS(MPI_Scan(in, out, 4, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER);
        CLASS(MPI_Iallreduce(in, out, 4, MPI_INT, MPI_MAX, comm, &r), MPI_ERR_BUFFER);
        CLASS(MPI_Reduce_local(in, out, 4, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
        OK(MPI_Allreduce(in, out, 0, MPI_INT, MPI_SUM, comm));
    }
    for (int root = 0; root < n; root++)
        if (t_rank == root)
            CLASS(MPI_Reduce(area, area + 3, 4, MPI_INT, MPI_SUM, root, comm), MPI_ERR_BUFFER);
    CLASS(MPI_Allreduce(area, (char *)(area + 4) - 1, 4, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER);
    CLASS(MPI_Allreduce(area, area + 3, 2, MPI_2INT, MPI_MAXLOC, comm), MPI_ERR_BUFFER);
    CLASS(MPI_Reduce_scatter_block(area, area + 4 * n - 1, 4, MPI_INT, MPI_SUM, comm),
          MPI_ERR_BUFFER);
    CLASS(MPI_Reduce_scatter(area, area + 2 * n - 1, counts, MPI_INT, MPI_SUM, comm),
          MPI_ERR_BUFFER);
    OK(MPI_Allreduce(area, area + 4, 4, MPI_INT, MPI_SUM, comm));
    OK(MPI_Allreduce(area + 4, area, 4, MPI_INT, MPI_SUM, comm));
    OK(MPI_Allreduce(MPI_IN_PLACE, area, 4, MPI_INT, MPI_SUM, comm));
    OK(MPI_Reduce(area, area + 4 * (t_rank == 0), 4, MPI_INT, MPI_SUM, 0, comm));
    OK(MPI_Reduce_scatter_block(area, area + 4 * n, 4, MPI_INT, MPI_SUM, comm));
    OK(MPI_Reduce_scatter(area, area + 2 * n, counts, MPI_INT, MPI_SUM, comm));
}

/* Every other one of eight. */
static void add_column(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < 8 * *count; i += 2)
        ((int *)inout)[i] += ((int *)in)[i];
}

static void columns(void)
{
    MPI_Datatype column, wide;
    MPI_Op op;

    MPI_Type_vector(4, 1, 2, MPI_INT, &column);
    MPI_Type_create_resized(column, 0, 8 * (int)sizeof(int), &wide);
    MPI_Type_commit(&wide);
    MPI_Op_create(add_column, 1, &op);
    OK(MPI_Allreduce(area, area + 1, 2, wide, op, comm));
    OK(MPI_Scan(area + 1, area, 2, wide, op, comm));
    OK(MPI_Reduce_local(area, area + 3, 2, wide, op));
    OK(MPI_Reduce_scatter_block(area + 16, area, 2, wide, op, comm));
    CLASS(MPI_Allreduce(area, area + 2, 2, wide, op, comm), MPI_ERR_BUFFER);
    CLASS(MPI_Allreduce(area + 14, area, 2, wide, op, comm), MPI_ERR_BUFFER);
    CLASS(MPI_Scan(area, (char *)(area + 1) - 1, 2, wide, op, comm), MPI_ERR_BUFFER);
    CLASS(MPI_Reduce_local(area + 4, area, 2, wide, op), MPI_ERR_BUFFER);
    MPI_Op_free(&op);
    MPI_Type_free(&wide);
    MPI_Type_free(&column);
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    t_errors_return();
    CHECK(t_size <= RANKS);
    fixed_blocks();
    for (int root = 0; root < t_size; root++)
        rooted(root);
    gaps();
    for (uint32_t i = 0; i < ROUNDS; i++)
        random_round(i);
    CHECK(area[0] == 0);
    reductions();
    columns();
    return t_end();
}
