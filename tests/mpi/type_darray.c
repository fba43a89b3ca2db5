/* Distributed arrays: each process has what the definition gives it, in the array's order, and the
 * processes together have all of it once. */
#include "t.h"

struct shape { int dimensions, size[3], how[3], argument[3], grid[3]; };

/* Whether index i of a dimension belongs to coordinate c. */
static int owns(const struct shape *s, int d, int i, int c)
{
    int usual = s->argument[d] == MPI_DISTRIBUTE_DFLT_DARG, block;
    if (s->how[d] == MPI_DISTRIBUTE_NONE)
        return 1;
    if (s->how[d] == MPI_DISTRIBUTE_BLOCK)
        block = usual ? (s->size[d] + s->grid[d] - 1) / s->grid[d] : s->argument[d];
    else
        block = usual ? 1 : s->argument[d];
    return i / block % s->grid[d] == c;
}

/* The coordinates of a rank: the last one counts fastest. */
static void coordinates(const struct shape *s, int rank, int *c)
{
    for (int d = s->dimensions - 1; d >= 0; d--) {
        c[d] = rank % s->grid[d];
        rank /= s->grid[d];
    }
}

/* Indices of the elements of a rank, in the order of memory. */
static int expected(const struct shape *s, int rank, int order, int *want)
{
    int all = 1, c[3], n = 0;
    coordinates(s, rank, c);
    for (int d = 0; d < s->dimensions; d++)
        all *= s->size[d];
    for (int e = 0; e < all; e++) {
        int rest = e, mine = 1;
        for (int k = 0; k < s->dimensions; k++) {
            int d = order == MPI_ORDER_C ? s->dimensions - 1 - k : k;
            mine &= owns(s, d, rest % s->size[d], c[d]);
            rest /= s->size[d];
        }
        if (mine)
            want[n++] = e;
    }
    return n;
}

static void check(const struct shape *s, int order)
{
    int all = 1, ranks = 1, total = 0;
    MPI_Count large[3];
    for (int d = 0; d < s->dimensions; d++) {
        large[d] = s->size[d];
        all *= s->size[d];
        ranks *= s->grid[d];
    }
    int *array = t_ints((size_t)all), *want = t_ints((size_t)all), *got = t_ints((size_t)all);
    for (int i = 0; i < all; i++)
        array[i] = i;
    for (int rank = 0; rank < ranks; rank++) {
        MPI_Datatype t;
        MPI_Aint lb, extent;
        int n = expected(s, rank, order, want), size, position = 0;
        if (rank % 2)
            OK(MPI_Type_create_darray_c(ranks, rank, s->dimensions, large, s->how, s->argument,
                                        s->grid, order, MPI_INT, &t));
        else
            OK(MPI_Type_create_darray(ranks, rank, s->dimensions, s->size, s->how, s->argument,
                                      s->grid, order, MPI_INT, &t));
        OK(MPI_Type_commit(&t));
        OK(MPI_Type_size(t, &size));
        SAME(size, 4 * n);
        OK(MPI_Type_get_extent(t, &lb, &extent));
        CHECK(lb == 0 && extent == 4 * all);
        OK(MPI_Pack(array, 1, t, got, 4 * all, &position, MPI_COMM_SELF));
        for (int i = 0; i < n; i++)
            SAME(got[i], want[i]);
        total += n;
        OK(MPI_Type_free(&t));
    }
    SAME(total, all);
    free(array);
    free(want);
    free(got);
}

#define N MPI_DISTRIBUTE_NONE
#define B MPI_DISTRIBUTE_BLOCK
#define C MPI_DISTRIBUTE_CYCLIC
#define D MPI_DISTRIBUTE_DFLT_DARG

int main(int argc, char **argv)
{
    static const struct shape shapes[] = {
        { 1, { 10 }, { B }, { D }, { 3 } },
        { 1, { 10 }, { C }, { D }, { 3 } },
        { 1, { 11 }, { C }, { 3 }, { 2 } },
        { 1, { 3 }, { B }, { 2 }, { 4 } },
        { 2, { 7, 9 }, { B, C }, { D, 2 }, { 2, 3 } },
        { 2, { 6, 5 }, { N, B }, { D, D }, { 1, 4 } },
        { 3, { 4, 5, 6 }, { C, B, C }, { D, 3, 4 }, { 2, 2, 2 } },
        { 3, { 5, 4, 7 }, { B, N, C }, { 4, D, 2 }, { 2, 1, 3 } },
    };
    t_start(&argc, &argv);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        check(&shapes[i], MPI_ORDER_C);
        check(&shapes[i], MPI_ORDER_FORTRAN);
    }
    return t_end();
}
