/* Collectives on data with gaps: what should come does, gaps stay as they are.  Each is tried with
 * cells on both sides, and with pairs of ints in a row on one, blocking and not. */
#include "t.h"

struct cell { int a, gap, b; };
enum { N = 30, RANKS = 16, GAP = -7 };

static MPI_Datatype cell, row;

/* Elements in a buffer, as cells or as rows of two ints. */
struct side { MPI_Datatype type; void *buf; int count; };

static struct side side_new(int cells, int count)
{
    struct side s = { cells ? cell : row, NULL, count };
    s.buf = t_alloc((size_t)(count + 1) * sizeof(struct cell));
    for (int i = 0; i < 3 * count + 3; i++)
        ((int *)s.buf)[i] = GAP;
    return s;
}

static void put(struct side *s, int i, int value)
{
    int *p = (int *)s->buf + (s->type == cell ? 3 : 2) * i;
    p[0] = value;
    p[s->type == cell ? 2 : 1] = value + 1;
}

static void is(const struct side *s, int i, int value)
{
    const int *p = (int *)s->buf + (s->type == cell ? 3 : 2) * i;
    SAME(p[0], value);
    SAME(p[s->type == cell ? 2 : 1], value == GAP ? GAP : value + 1);
    if (s->type == cell)
        SAME(p[1], GAP);
}

static int value(int rank, int i) { return 10000 * rank + 2 * i; }

static struct side own(int cells, int count)
{
    struct side s = side_new(cells, count);
    for (int i = 0; i < count; i++)
        put(&s, i, value(t_rank, i));
    return s;
}

static void finish(MPI_Request *r) { OK(MPI_Wait(r, MPI_STATUS_IGNORE)); }

/* Blocking, or started and waited for. */
#define CALL(waits, blocking, started, ...) \
    do { \
        MPI_Request r_; \
        if (!(waits)) { \
            OK(blocking(__VA_ARGS__)); \
        } else { \
            OK(started(__VA_ARGS__, &r_)); \
            finish(&r_); \
        } \
    } while (0)

static void bcast(int cells, int waits, int root)
{
    struct side s = t_rank == root ? own(cells, N) : side_new(1, N);
    CALL(waits, MPI_Bcast, MPI_Ibcast, s.buf, N, s.type, root, MPI_COMM_WORLD);
    for (int i = 0; i < N; i++)
        is(&s, i, value(root, i));
    free(s.buf);
}

static void gather(int cells, int waits, int root)
{
    struct side from = own(cells & 1, N), to = side_new(cells & 2, N * t_size);
    void *mine = from.buf;
    if (cells == 0 && t_rank == root) {         /* in place */
        for (int i = 0; i < N; i++)
            put(&to, root * N + i, value(root, i));
        mine = MPI_IN_PLACE;
    }
    CALL(waits, MPI_Gather, MPI_Igather,
         mine, N, from.type, to.buf, N, to.type, root, MPI_COMM_WORLD);
    for (int i = 0; i < N * t_size && t_rank == root; i++)
        is(&to, i, value(i / N, i % N));
    free(from.buf);
    free(to.buf);
}

/* Rank r has r + 1 elements, in reverse order and one apart. */
static void gatherv(int cells, int waits, int root)
{
    int counts[RANKS], displs[RANKS], at = 0;
    for (int r = t_size - 1; r >= 0; r--) {
        counts[r] = r + 1;
        displs[r] = at;
        at += r + 2;
    }
    struct side from = own(cells & 1, t_rank + 1), to = side_new(cells & 2, at);
    struct side back = side_new(cells & 1, t_rank + 1);
    CALL(waits, MPI_Gatherv, MPI_Igatherv,
         from.buf, t_rank + 1, from.type, to.buf, counts, displs, to.type, root,
         MPI_COMM_WORLD);
    for (int r = 0; r < t_size && t_rank == root; r++) {
        for (int i = 0; i <= r; i++)
            is(&to, displs[r] + i, value(r, i));
        is(&to, displs[r] + r + 1, GAP);
    }
    CALL(waits, MPI_Scatterv, MPI_Iscatterv,
         to.buf, counts, displs, to.type, back.buf, t_rank + 1, back.type, root,
         MPI_COMM_WORLD);
    for (int i = 0; i <= t_rank; i++)
        is(&back, i, value(t_rank, i));
    struct side all = side_new(cells & 2, at);
    CALL(waits, MPI_Allgatherv, MPI_Iallgatherv,
         from.buf, t_rank + 1, from.type, all.buf, counts, displs, all.type,
         MPI_COMM_WORLD);
    for (int r = 0; r < t_size; r++)
        for (int i = 0; i <= r; i++)
            is(&all, displs[r] + i, value(r, i));
    free(from.buf);
    free(to.buf);
    free(back.buf);
    free(all.buf);
}

static void scatter(int cells, int waits, int root)
{
    struct side from = own(cells & 1, N * t_size), to = side_new(cells & 2, N);
    void *mine = cells == 3 && t_rank == root ? MPI_IN_PLACE : to.buf;
    CALL(waits, MPI_Scatter, MPI_Iscatter,
         from.buf, N, from.type, mine, N, to.type, root, MPI_COMM_WORLD);
    for (int i = 0; i < N && mine == to.buf; i++)
        is(&to, i, value(root, t_rank * N + i));
    free(from.buf);
    free(to.buf);
}

static void allgather(int cells, int waits)
{
    struct side from = own(cells & 1, N), to = side_new(cells & 2, N * t_size);
    void *mine = from.buf;
    if (cells == 2) {
        for (int i = 0; i < N; i++)
            put(&to, t_rank * N + i, value(t_rank, i));
        mine = MPI_IN_PLACE;
    }
    CALL(waits, MPI_Allgather, MPI_Iallgather,
         mine, N, from.type, to.buf, N, to.type, MPI_COMM_WORLD);
    for (int i = 0; i < N * t_size; i++)
        is(&to, i, value(i / N, i % N));
    free(from.buf);
    free(to.buf);
}

static void alltoall(int cells, int waits)
{
    struct side from = own(cells & 1, N * t_size), to = side_new(cells & 2, N * t_size);
    struct side both = own(1, N * t_size);
    int counts[RANKS], displs[RANKS];
    for (int r = 0; r < t_size; r++) {
        counts[r] = N - 1;
        displs[r] = r * N;
    }
    CALL(waits, MPI_Alltoall, MPI_Ialltoall,
         from.buf, N, from.type, to.buf, N, to.type, MPI_COMM_WORLD);
    for (int i = 0; i < N * t_size; i++)
        is(&to, i, value(i / N, t_rank * N + i % N));
    CALL(waits, MPI_Alltoall, MPI_Ialltoall,
         MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, both.buf, N, both.type,
         MPI_COMM_WORLD);
    for (int i = 0; i < N * t_size; i++)
        is(&both, i, value(i / N, t_rank * N + i % N));
    free(to.buf);
    to = side_new(cells & 2, N * t_size);
    CALL(waits, MPI_Alltoallv, MPI_Ialltoallv,
         from.buf, counts, displs, from.type, to.buf, counts, displs, to.type,
         MPI_COMM_WORLD);
    for (int i = 0; i < N * t_size; i++)
        is(&to, i, i % N < N - 1 ? value(i / N, t_rank * N + i % N) : GAP);
    free(from.buf);
    free(to.buf);
    free(both.buf);
}

/* -- reductions: sums of a, and of b, by an operation that looks at cells */

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    struct cell *x = in, *y = inout;
    CHECK(*type == cell);
    for (int i = 0; i < *count; i++) {
        y[i].a += x[i].a;
        y[i].b = y[i].a + 1;
    }
}

static int sum(int ranks, int i)
{
    int all = 0;
    for (int r = 0; r < ranks; r++)
        all += value(r, i);
    return all;
}

static void all_are(const struct side *s, int ranks, int first)
{
    for (int i = 0; i < s->count; i++)
        is(s, i, sum(ranks, first + i));
}

static void reductions(int waits, MPI_Op op)
{
    struct side from = own(1, N), to = side_new(1, N), both = own(1, N);
    CALL(waits, MPI_Reduce, MPI_Ireduce, from.buf, to.buf, N, cell, op, t_size - 1, MPI_COMM_WORLD);
    if (t_rank == t_size - 1)
        all_are(&to, t_size, 0);
    CALL(waits, MPI_Allreduce, MPI_Iallreduce, MPI_IN_PLACE, both.buf, N, cell, op, MPI_COMM_WORLD);
    all_are(&both, t_size, 0);
    CALL(waits, MPI_Scan, MPI_Iscan, from.buf, to.buf, N, cell, op, MPI_COMM_WORLD);
    all_are(&to, t_rank + 1, 0);
    free(to.buf);
    to = side_new(1, N);
    CALL(waits, MPI_Exscan, MPI_Iexscan, from.buf, to.buf, N, cell, op, MPI_COMM_WORLD);
    if (t_rank)
        all_are(&to, t_rank, 0);
    struct side many = own(1, 3 * t_size), part = side_new(1, 3);
    CALL(waits, MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block,
         many.buf, part.buf, 3, cell, op, MPI_COMM_WORLD);
    all_are(&part, t_size, 3 * t_rank);
    OK(MPI_Reduce_local(from.buf, both.buf, N, cell, op));
    free(from.buf);
    free(to.buf);
    free(both.buf);
    free(many.buf);
    free(part.buf);
}

/* A type of absolute addresses: its data begin far from where elements begin. */

static void add_absolute(void *in, void *inout, int *count, MPI_Datatype *type)
{
    MPI_Aint at, extent;
    OK(MPI_Type_get_true_extent(*type, &at, &extent));
    SAME(*count, 1);
    for (size_t i = 0; i < 2; i++) {
        int *to = (int *)((uintptr_t)inout + (uintptr_t)at) + 2 * i;
        *to += ((int *)((uintptr_t)in + (uintptr_t)at))[2 * i];
    }
}

static void absolute(void)
{
    int data[3] = { value(t_rank, 0), -1, value(t_rank, 1) };
    MPI_Aint at[2];
    MPI_Datatype type;
    MPI_Op op;
    OK(MPI_Get_address(&data[0], &at[0]));
    OK(MPI_Get_address(&data[2], &at[1]));
    OK(MPI_Type_create_hindexed_block(2, 1, at, MPI_INT, &type));
    OK(MPI_Type_commit(&type));
    OK(MPI_Op_create(add_absolute, 1, &op));
    OK(MPI_Allreduce(MPI_IN_PLACE, MPI_BOTTOM, 1, type, op, MPI_COMM_WORLD));
    SAME(data[0], sum(t_size, 0));
    SAME(data[1], -1);
    SAME(data[2], sum(t_size, 1));
    OK(MPI_Op_free(&op));
    OK(MPI_Type_free(&type));
}

/* A started call holds its type, and data are unpacked when it ends. */
static void freed(void)
{
    struct side s = t_rank == 0 ? own(1, N) : side_new(1, N);
    MPI_Datatype copy;
    MPI_Request r;
    OK(MPI_Type_dup(cell, &copy));
    OK(MPI_Ibcast(s.buf, N, copy, 0, MPI_COMM_WORLD, &r));
    OK(MPI_Type_free(&copy));
    finish(&r);
    for (int i = 0; i < N; i++)
        is(&s, i, value(0, i));
    free(s.buf);
}

static void make_types(void)
{
    MPI_Datatype blocks;
    OK(MPI_Type_vector(2, 1, 2, MPI_INT, &blocks));
    OK(MPI_Type_create_resized(blocks, 0, sizeof(struct cell), &cell));
    OK(MPI_Type_free(&blocks));
    OK(MPI_Type_contiguous(2, MPI_INT, &row));
    OK(MPI_Type_commit(&cell));
    OK(MPI_Type_commit(&row));
}

int main(int argc, char **argv)
{
    MPI_Op commutes, ordered;
    t_start(&argc, &argv);
    make_types();
    OK(MPI_Op_create(add, 1, &commutes));
    OK(MPI_Op_create(add, 0, &ordered));
    for (int waits = 0; waits < 2; waits++) {
        for (int cells = 0; cells < 4; cells++) {
            for (int root = 0; root < t_size; root++) {
                bcast(cells & 1, waits, root);
                gather(cells, waits, root);
                gatherv(cells, waits, root);
                scatter(cells, waits, root);
            }
            allgather(cells, waits);
            alltoall(cells, waits);
        }
        reductions(waits, commutes);
        reductions(waits, ordered);
    }
    absolute();
    freed();
    OK(MPI_Op_free(&commutes));
    OK(MPI_Op_free(&ordered));
    OK(MPI_Type_free(&cell));
    OK(MPI_Type_free(&row));
    return t_end();
}
