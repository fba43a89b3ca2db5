/* Collectives of communicators whose ranks are spread over machines in all ways: in neighbouring
 * ranks, in turn, at random, unevenly.  tests/levels.sh runs this with several machines; on one it
 * is the same program. */
#include "t.h"

enum { LENGTHS = 5, MANY = 20000 };
static const int lengths[LENGTHS] = { 0, 1, 12, 300, MANY };

/* One function of a value, x -> a x + b: not commutative.  The user's operation composes two. */
struct step { uint32_t a, b; };

static void compose(void *in, void *inout, int *count, MPI_Datatype *type)
{
    struct step *f = in, *g = inout;
    (void)type;
    for (int i = 0; i < *count; i++)
        g[i] = (struct step){ f[i].a * g[i].a, g[i].a * f[i].b + g[i].b };
}

static struct step step_of(int r, int i)
{
    return (struct step){ 2 * (uint32_t)(r + i) + 3, (uint32_t)(r * 7 + i) };
}

static struct step steps_of_all(int ranks, int i)
{
    struct step sum = step_of(0, i), next;
    int one = 1;
    for (int r = 1; r < ranks; r++) {
        next = step_of(r, i);
        compose(&sum, &next, &one, NULL);
        sum = next;
    }
    return sum;
}

static MPI_Comm comm;
static int own, all;
static MPI_Op op;
static MPI_Datatype two;
static struct step *out, *in;

static void fill(int n, int from)
{
    for (int i = 0; i < n; i++)
        out[i] = step_of(from, i);
    memset(in, 0x55, sizeof *in * (size_t)n);
}

static void check_sum(int n)
{
    for (int i = 0; i < n; i += n > 1000 ? 997 : 1) {
        struct step wanted = steps_of_all(all, i);
        SAME((int)in[i].a, (int)wanted.a);
        SAME((int)in[i].b, (int)wanted.b);
    }
}

static void check_blocks(const struct step *blocks, int n)
{
    for (int r = 0; r < all; r++)
        for (int i = 0; i < n; i++)
            SAME((int)blocks[r * n + i].b, (int)step_of(r, i).b);
}

/* form 0: blocking, 1: not, 2: persistent, started twice */
static void finish(int form, MPI_Request *r)
{
    if (!form)
        return;
    for (int turn = 0; turn < form; turn++) {
        if (form == 2)
            MPI_Start(r);
        MPI_Wait(r, MPI_STATUS_IGNORE);
    }
    if (form == 2)
        MPI_Request_free(r);
}
#define CALL(form, Name, name, ...) \
    do { \
        MPI_Request r_; \
        if ((form) == 0) \
            MPI_##Name(__VA_ARGS__); \
        else if ((form) == 1) \
            MPI_I##name(__VA_ARGS__, &r_); \
        else \
            MPI_##Name##_init(__VA_ARGS__, MPI_INFO_NULL, &r_); \
        finish(form, &r_); \
    } while (0)

static void reductions(int form, int n, int root)
{
    int sum, one = own + 1;
    fill(n, own);
    CALL(form, Allreduce, allreduce, out, in, n, two, op, comm);
    check_sum(n);
    fill(n, own);
    CALL(form, Reduce, reduce, out, in, n, two, op, root, comm);
    if (own == root)
        check_sum(n);
    for (int i = 0; i < n; i++)         /* what is given stays as it is */
        SAME((int)out[i].b, (int)step_of(own, i).b);
    CALL(form, Allreduce, allreduce, &one, &sum, 1, MPI_INT, MPI_SUM, comm);
    SAME(sum, all * (all + 1) / 2);
    if (form == 2)
        return;                         /* a second start would add to the sum */
    memcpy(in, out, sizeof *in * (size_t)n);
    if (own == root)
        CALL(form, Reduce, reduce, MPI_IN_PLACE, in, n, two, op, root, comm);
    else
        CALL(form, Reduce, reduce, out, NULL, n, two, op, root, comm);
    if (own == root)
        check_sum(n);
}

static void blocks(int form, int n, int root)
{
    fill(n, own);
    CALL(form, Allgather, allgather, out, n, two, in, n, two, comm);
    check_blocks(in, n);
    CALL(form, Gather, gather, out, n, two, in, n, two, root, comm);
    if (own == root)
        check_blocks(in, n);
    if (own == root)
        for (int i = 0; i < all * n; i++)
            in[i] = step_of(i / n, i % n);
    memset(out, 0x33, sizeof *out * (size_t)n);
    CALL(form, Scatter, scatter, in, n, two, out, n, two, root, comm);
    for (int i = 0; i < n; i++)
        SAME((int)out[i].b, (int)step_of(own, i).b);
}

static void collectives(int form, int turn)
{
    int n = lengths[turn % LENGTHS], root = turn % all;
    CALL(form, Barrier, barrier, comm);
    fill(n, own);
    CALL(form, Bcast, bcast, out, n, two, root, comm);
    for (int i = 0; i < n; i++)
        SAME((int)out[i].b, (int)step_of(root, i).b);
    reductions(form, n, root);
    blocks(form, n > 1000 ? 1000 : n, root);
}

/* Nobody leaves a barrier before the last has come. */
static void barriers(void)
{
    for (int turn = 0; turn < 2 * all; turn++) {
        int late = turn % all, before = 0;
        if (own == late) {
            for (int r = 0; r < all; r++)
                if (r != own)
                    MPI_Send(&turn, 1, MPI_INT, r, 5, comm);
            MPI_Barrier(comm);
        } else {
            MPI_Barrier(comm);
            MPI_Recv(&before, 1, MPI_INT, late, 5, comm, MPI_STATUS_IGNORE);
            SAME(before, turn);
        }
    }
}

/* color and key of a rank: neighbours, in turn, backwards, without rank 0, at random */
static void choose(int way, uint32_t *random, int *color, int *key)
{
    *color = way == 3 && t_rank == 0 ? MPI_UNDEFINED : way == 4 ? t_rank % 3 == 1 : 0;
    *key = way == 1 ? t_rank * 3 % t_size : way == 2 ? -t_rank : way == 5 ? 0 : t_rank;
    for (int r = 0; r < t_size && way == 5; r++) {
        *random = *random * 1664525 + 1013904223;
        if (r == t_rank)
            *key = (int)(*random >> 8);
    }
}

int main(int argc, char **argv)
{
    uint32_t random = 7;
    t_start(&argc, &argv);
    MPI_Op_create(compose, 0, &op);
    MPI_Type_contiguous(2, MPI_UINT32_T, &two);
    MPI_Type_commit(&two);
    out = malloc(sizeof *out * (size_t)MANY * 4);
    in = malloc(sizeof *in * (size_t)MANY * 4);
    for (int way = 0; way < 6; way++) {
        int color, key;
        choose(way, &random, &color, &key);
        MPI_Comm_split(MPI_COMM_WORLD, color, key, &comm);
        if (comm == MPI_COMM_NULL)
            continue;
        MPI_Comm_rank(comm, &own);
        MPI_Comm_size(comm, &all);
        for (int form = 0; form < 3; form++)
            for (int turn = 0; turn < LENGTHS; turn++)
                collectives(form, turn + way);
        barriers();
        MPI_Comm_free(&comm);
    }
    MPI_Type_free(&two);
    MPI_Op_free(&op);
    free(out);
    free(in);
    return t_end();
}
