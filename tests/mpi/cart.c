/* Grids of random sizes and periods: places, coordinates, shifts and parts agree with an arithmetic
 * of the test's own; a duplicate keeps the grid; dimensions are balanced. */
#include <limits.h>

#include "t.h"

enum { DIMS_MAX = 4, GRIDS = 60, NODES = 100 };

/* -- dimensions: the closest factors, and of those the ones with the least surface, by trying
 * all */

struct sides { int n, k, side[DIMS_MAX]; };

static int spread(const struct sides *s) { return s->side[0] - s->side[s->k - 1]; }

static int surface(const struct sides *s)
{
    int sum = 0;
    for (int i = 0; i < s->k; i++)
        sum += s->n / s->side[i];
    return sum;
}

static void try_all(struct sides *s, int at, int left, struct sides *best)
{
    if (at == s->k) {
        if (left == 1 && (spread(s) < spread(best)
                          || (spread(s) == spread(best) && surface(s) < surface(best))))
            *best = *s;
        return;
    }
    for (int d = at ? s->side[at - 1] : s->n; d; d--)
        if (left % d == 0) {
            s->side[at] = d;
            try_all(s, at + 1, left / d, best);
        }
}

static void check_balance(int n, int k)
{
    struct sides s = { .n = n, .k = k }, best = { .n = n, .k = k, .side = { n, 1, 1, 1 } };
    int dims[DIMS_MAX] = { 0 };

    try_all(&s, 0, n, &best);
    OK(MPI_Dims_create(n, k, dims));
    for (int i = 0; i < k; i++)
        SAME(dims[i], best.side[i]);
}

static void dimensions(void)
{
    int given[3] = { 0, 3, 0 }, many[40] = { 0 }, all[2] = { 3, 4 }, last[3] = { 0, 2, 4 };
    int far[2] = { 0, 0 };

    for (int n = 1; n <= NODES; n++)
        for (int k = 1; k <= 3; k++)
            check_balance(n, k);
    for (int k = 3; k <= 4; k++) {
        check_balance(96, k);
        check_balance(5040, k);     /* two of the same spread: 21 x 16 x 15 is the better */
        check_balance(7488, k);     /* not the one whose greatest is least, 24 x 24 x 13 */
    }
    OK(MPI_Dims_create(36, 3, given));
    CHECK(given[0] == 4 && given[1] == 3 && given[2] == 3);
    OK(MPI_Dims_create(12, 40, many));
    CHECK(many[0] == 3 && many[1] == 2 && many[2] == 2);
    for (int i = 3; i < 40; i++)
        SAME(many[i], 1);
    OK(MPI_Dims_create(12, 2, all));
    CHECK(all[0] == 3 && all[1] == 4);
    OK(MPI_Dims_create(INT_MAX / 8 * 8, 3, last));
    CHECK(last[0] == INT_MAX / 8 && last[1] == 2 && last[2] == 4);
    OK(MPI_Dims_create(2147483578, 2, far));        /* twice a prime, whose square is no int */
    CHECK(far[0] == 1073741789 && far[1] == 2);
    OK(MPI_Dims_create(t_size, 0, NULL));
    CLASS(MPI_Dims_create(0, 3, given), MPI_ERR_ARG);
    CLASS(MPI_Dims_create(12, -1, given), MPI_ERR_DIMS);
    CLASS(MPI_Dims_create(12, 2, NULL), MPI_ERR_ARG);
    CLASS(MPI_Dims_create(10, 2, (int[]){ 4, 0 }), MPI_ERR_DIMS);
    CLASS(MPI_Dims_create(24, 2, (int[]){ 3, 4 }), MPI_ERR_DIMS);
    CLASS(MPI_Dims_create(1 << 16, 2, (int[]){ 1 << 16, (1 << 16) + 1 }), MPI_ERR_DIMS);
    CLASS(MPI_Dims_create(12, 2, (int[]){ -3, 0 }), MPI_ERR_DIMS);
}

/* -- grids */

struct grid { int n, places, dim[DIMS_MAX], period[DIMS_MAX]; };

/* The coordinate in dimension d of a place: dimension 0 varies slowest. */
static int coordinate(const struct grid *g, int place, int d)
{
    for (int i = g->n - 1; i > d; i--)
        place /= g->dim[i];
    return place % g->dim[d];
}

static int place_of(const struct grid *g, const int *at)
{
    int place = 0;

    for (int i = 0; i < g->n; i++)
        place = place * g->dim[i] + at[i];
    return place;
}

static struct grid random_grid(uint32_t *seed)
{
    struct grid g = { .n = (int)(t_random(seed) % (DIMS_MAX + 1)), .places = 1 };

    for (int i = 0; i < g.n; i++) {
        int room = t_size / g.places;
        g.dim[i] = 1 + (int)(t_random(seed) % (unsigned)(room < 4 ? room : 4));
        g.period[i] = (int)(t_random(seed) % 2);
        g.places *= g.dim[i];
    }
    return g;
}

static void check_grid(MPI_Comm cart, const struct grid *g)
{
    int size, kind, n, dim[DIMS_MAX], period[DIMS_MAX], at[DIMS_MAX], rank;

    OK(MPI_Comm_size(cart, &size));
    OK(MPI_Comm_rank(cart, &rank));
    SAME(size, g->places);
    OK(MPI_Topo_test(cart, &kind));
    SAME(kind, MPI_CART);
    OK(MPI_Cartdim_get(cart, &n));
    SAME(n, g->n);
    OK(MPI_Cart_get(cart, DIMS_MAX, dim, period, at));
    for (int i = 0; i < n; i++) {
        SAME(dim[i], g->dim[i]);
        SAME(period[i], g->period[i]);
        SAME(at[i], coordinate(g, rank, i));
    }
}

static void check_places(MPI_Comm cart, const struct grid *g)
{
    int at[DIMS_MAX], rank;

    for (int place = 0; place < g->places; place++) {
        OK(MPI_Cart_coords(cart, place, g->n, at));
        for (int i = 0; i < g->n; i++)
            SAME(at[i], coordinate(g, place, i));
        SAME(place_of(g, at), place);
        OK(MPI_Cart_rank(cart, at, &rank));
        SAME(rank, place);
        for (int i = 0; i < g->n; i++) {
            int before = at[i], far = at[i] - 3 * g->dim[i];
            at[i] = far;
            if (!g->period[i])
                CLASS(MPI_Cart_rank(cart, at, &rank), MPI_ERR_ARG);
            else
                OK(MPI_Cart_rank(cart, at, &rank));
            SAME(rank, place);
            at[i] = before;
        }
    }
}

static int shifted(const struct grid *g, int rank, int d, long long steps)
{
    int at[DIMS_MAX];
    long long to;

    for (int i = 0; i < g->n; i++)
        at[i] = coordinate(g, rank, i);
    to = at[d] + steps;
    if (!g->period[d] && (to < 0 || to >= g->dim[d]))
        return MPI_PROC_NULL;
    while (to < 0 || to >= g->dim[d])
        to -= (to < 0 ? -1 : 1) * g->dim[d] * (1 + (to < 0 ? -to : to) / g->dim[d] / 2);
    at[d] = (int)to;
    return place_of(g, at);
}

static void check_shifts(MPI_Comm cart, const struct grid *g)
{
    static const int steps[] = { 0, 1, -1, 2, -2, 3, 4, 5, -7, 1000001, INT_MAX, INT_MIN };
    int rank, from, to;

    OK(MPI_Comm_rank(cart, &rank));
    for (int d = 0; d < g->n; d++)
        for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
            OK(MPI_Cart_shift(cart, d, steps[s], &from, &to));
            SAME(from, shifted(g, rank, d, -(long long)steps[s]));
            SAME(to, shifted(g, rank, d, steps[s]));
        }
}

/* The ranks of the part, by what they say of themselves, are those whose other coordinates are
 * mine, in order. */
static void check_members(MPI_Comm part, MPI_Comm cart, const struct grid *g, const int *remain)
{
    int rank, size, *member, before = -1;

    OK(MPI_Comm_rank(cart, &rank));
    OK(MPI_Comm_size(part, &size));
    member = t_ints((size_t)size);
    OK(MPI_Allgather(&rank, 1, MPI_INT, member, 1, MPI_INT, part));
    for (int i = 0; i < size; i++) {
        CHECK(member[i] > before);
        before = member[i];
        for (int d = 0; d < g->n; d++)
            CHECK(remain[d] || coordinate(g, member[i], d) == coordinate(g, rank, d));
    }
    free(member);
}

static void check_part(MPI_Comm cart, const struct grid *g, uint32_t *seed)
{
    int remain[DIMS_MAX];
    struct grid p = { .places = 1 };
    MPI_Comm part;

    for (int i = 0; i < g->n; i++) {
        remain[i] = (int)(t_random(seed) % 2);
        if (!remain[i])
            continue;
        p.dim[p.n] = g->dim[i];
        p.period[p.n++] = g->period[i];
        p.places *= g->dim[i];
    }
    OK(MPI_Cart_sub(cart, remain, &part));
    check_grid(part, &p);
    check_shifts(part, &p);
    check_members(part, cart, g, remain);
    OK(MPI_Comm_free(&part));
}

static void check_copies(MPI_Comm cart, const struct grid *g)
{
    int kind;
    MPI_Comm copy;

    OK(MPI_Comm_dup(cart, &copy));
    check_grid(copy, g);
    OK(MPI_Comm_free(&copy));
    OK(MPI_Comm_split(cart, 0, 0, &copy));
    OK(MPI_Topo_test(copy, &kind));
    SAME(kind, MPI_UNDEFINED);
    OK(MPI_Comm_free(&copy));
}

static void try_grid(const struct grid *g, int reorder, uint32_t *seed)
{
    int rank, place;
    uint32_t parts = t_random(seed);
    MPI_Comm cart;

    OK(MPI_Cart_create(MPI_COMM_WORLD, g->n, g->dim, g->period, reorder, &cart));
    OK(MPI_Cart_map(MPI_COMM_WORLD, g->n, g->dim, g->period, &place));
    CHECK(reorder || (cart != MPI_COMM_NULL) == (t_rank < g->places));
    if (cart == MPI_COMM_NULL) {
        CHECK(!reorder || place == MPI_UNDEFINED);
        return;
    }
    OK(MPI_Comm_rank(cart, &rank));
    SAME(rank, reorder ? place : t_rank);
    check_grid(cart, g);
    check_places(cart, g);
    check_shifts(cart, g);
    check_part(cart, g, &parts);
    check_copies(cart, g);
    OK(MPI_Comm_free(&cart));
}

/* -- what is wrong */

static void wrong_calls(void)
{
    int two[2] = { 1, 1 }, flags[2] = { 0, 1 }, large[2] = { t_size, 2 }, at[2], rank, n;
    MPI_Comm cart, none;

    CLASS(MPI_Cart_create(MPI_COMM_WORLD, -1, two, flags, 0, &none), MPI_ERR_DIMS);
    CLASS(MPI_Cart_create(MPI_COMM_WORLD, 2, large, flags, 0, &none), MPI_ERR_DIMS);
    CLASS(MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){ 65536, 65537 }, flags, 0, &none),
          MPI_ERR_DIMS);
    CLASS(MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){ 1, 0 }, flags, 0, &none), MPI_ERR_DIMS);
    CLASS(MPI_Cart_create(MPI_COMM_WORLD, 2, NULL, flags, 0, &none), MPI_ERR_ARG);
    CLASS(MPI_Cart_create(MPI_COMM_WORLD, 2, two, NULL, 0, &none), MPI_ERR_ARG);
    CLASS(MPI_Cart_create(MPI_COMM_WORLD, 2, two, flags, 0, NULL), MPI_ERR_ARG);
    CLASS(MPI_Cart_create(MPI_COMM_NULL, 2, two, flags, 0, &none), MPI_ERR_COMM);
    CLASS(MPI_Cart_map(MPI_COMM_WORLD, 2, large, flags, &rank), MPI_ERR_DIMS);
    CLASS(MPI_Cart_map(MPI_COMM_WORLD, 2, two, flags, NULL), MPI_ERR_ARG);
    CLASS(MPI_Cartdim_get(MPI_COMM_WORLD, &n), MPI_ERR_TOPOLOGY);
    CLASS(MPI_Cart_rank(MPI_COMM_WORLD, two, &rank), MPI_ERR_TOPOLOGY);
    CLASS(MPI_Cart_sub(MPI_COMM_WORLD, two, &none), MPI_ERR_TOPOLOGY);
    OK(MPI_Topo_test(MPI_COMM_WORLD, &n));
    SAME(n, MPI_UNDEFINED);
    OK(MPI_Cart_create(MPI_COMM_SELF, 2, two, flags, 1, &cart));
    CLASS(MPI_Cart_get(cart, 1, two, flags, at), MPI_ERR_ARG);
    CLASS(MPI_Cart_get(cart, 2, two, NULL, at), MPI_ERR_ARG);
    CLASS(MPI_Cart_coords(cart, 1, 2, at), MPI_ERR_RANK);
    CLASS(MPI_Cart_coords(cart, 0, 1, at), MPI_ERR_ARG);
    CLASS(MPI_Cart_shift(cart, 2, 1, &rank, &n), MPI_ERR_DIMS);
    CLASS(MPI_Cart_shift(cart, -1, 1, &rank, &n), MPI_ERR_DIMS);
    CLASS(MPI_Cart_shift(cart, 0, 1, NULL, &n), MPI_ERR_ARG);
    CLASS(MPI_Cart_rank(cart, (int[]){ 1, 0 }, &rank), MPI_ERR_ARG);
    OK(MPI_Cart_rank(cart, (int[]){ 0, INT_MIN }, &rank));
    SAME(rank, 0);
    CLASS(MPI_Cart_sub(cart, NULL, &none), MPI_ERR_ARG);
    CLASS(MPI_Cart_sub(cart, flags, NULL), MPI_ERR_ARG);
    OK(MPI_Comm_free(&cart));
}

int main(int argc, char **argv)
{
    uint32_t seed = 20;

    t_start(&argc, &argv);
    t_errors_return();
    if (t_rank == 0)
        dimensions();
    wrong_calls();
    for (int i = 0; i < GRIDS; i++) {
        struct grid g = random_grid(&seed);
        try_grid(&g, i % 2, &seed);
    }
    return t_end();
}
