/* Two textbook programs on a torus and on a plate, each compared with its serial result: a heat
 * equation with columns as vectors and Cart_shift, and a game of life whose eight neighbours are a
 * distributed graph and whose halo is one Ineighbor_alltoallw of subarrays. */
#include "t.h"

/* A block of an n by m field with a border one cell wide, at a place of a grid of ranks. */
struct block {
    int n, m, first[2], cells[2], grid[2], place[2];
    MPI_Comm comm;
};

static void cut(struct block *b, int n, int m, int period)
{
    int periods[2] = { period, period };

    *b = (struct block){ .n = n, .m = m };
    OK(MPI_Dims_create(t_size, 2, b->grid));
    OK(MPI_Cart_create(MPI_COMM_WORLD, 2, b->grid, periods, 1, &b->comm));
    OK(MPI_Cart_get(b->comm, 2, b->grid, periods, b->place));
    for (int d = 0; d < 2; d++) {
        int all = d ? m : n;
        b->first[d] = b->place[d] * all / b->grid[d];
        b->cells[d] = (b->place[d] + 1) * all / b->grid[d] - b->first[d];
    }
}

static size_t bytes_of(const struct block *b, size_t each)
{
    return (size_t)(b->cells[0] + 2) * (size_t)(b->cells[1] + 2) * each;
}

/* Number of a cell of the block; -1 and cells[] are in the border. */
static int at(const struct block *b, int i, int j)
{
    return (i + 1) * (b->cells[1] + 2) + j + 1;
}

/* -- heat */

enum { ROWS = 23, COLUMNS = 17, SWEEPS = 40 };

static double heat_at(int i, int j)
{
    return (i * 7 + j * 13) % 29;
}

static double average(const double *f, int up, int down, int left, int right)
{
    return 0.25 * (f[up] + f[down] + f[left] + f[right]);
}

static void serial_heat(double *field)
{
    static double next[(ROWS + 2) * (COLUMNS + 2)];
    int wide = COLUMNS + 2;

    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            field[(i + 1) * wide + j + 1] = heat_at(i, j);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (int i = 1; i <= ROWS; i++)
            for (int j = 1; j <= COLUMNS; j++) {
                int k = i * wide + j;
                next[k] = average(field, k - wide, k + wide, k - 1, k + 1);
            }
        memcpy(field, next, sizeof next);
    }
}

static void exchange_edges(const struct block *b, double *f, MPI_Datatype row, MPI_Datatype column)
{
    int up, down, left, right, n = b->cells[0], m = b->cells[1];

    OK(MPI_Cart_shift(b->comm, 0, 1, &up, &down));
    OK(MPI_Cart_shift(b->comm, 1, 1, &left, &right));
    OK(MPI_Sendrecv(f + at(b, n - 1, 0), 1, row, down, 0, f + at(b, -1, 0), 1, row, up, 0, b->comm,
                    MPI_STATUS_IGNORE));
    OK(MPI_Sendrecv(f + at(b, 0, 0), 1, row, up, 1, f + at(b, n, 0), 1, row, down, 1, b->comm,
                    MPI_STATUS_IGNORE));
    OK(MPI_Sendrecv(f + at(b, 0, m - 1), 1, column, right, 2, f + at(b, 0, -1), 1, column, left, 2,
                    b->comm, MPI_STATUS_IGNORE));
    OK(MPI_Sendrecv(f + at(b, 0, 0), 1, column, left, 3, f + at(b, 0, m), 1, column, right, 3,
                    b->comm, MPI_STATUS_IGNORE));
}

static void sweep(const struct block *b, double **now, double **next)
{
    double *f = *now, *g = *next;

    for (int i = 0; i < b->cells[0]; i++)
        for (int j = 0; j < b->cells[1]; j++)
            g[at(b, i, j)] = average(f, at(b, i - 1, j), at(b, i + 1, j), at(b, i, j - 1),
                                     at(b, i, j + 1));
    *now = g;
    *next = f;
}

static void heat(void)
{
    static double whole[(ROWS + 2) * (COLUMNS + 2)];
    struct block b;
    MPI_Datatype row, column;

    cut(&b, ROWS, COLUMNS, 0);
    double *now = calloc(1, bytes_of(&b, sizeof *now)), *next = calloc(1, bytes_of(&b,
                                                                                  sizeof *next));
    CHECK(now && next);
    OK(MPI_Type_contiguous(b.cells[1], MPI_DOUBLE, &row));
    OK(MPI_Type_vector(b.cells[0], 1, b.cells[1] + 2, MPI_DOUBLE, &column));
    OK(MPI_Type_commit(&row));
    OK(MPI_Type_commit(&column));
    for (int i = 0; i < b.cells[0]; i++)
        for (int j = 0; j < b.cells[1]; j++)
            now[at(&b, i, j)] = heat_at(b.first[0] + i, b.first[1] + j);
    for (int i = 0; i < SWEEPS; i++) {
        exchange_edges(&b, now, row, column);
        sweep(&b, &now, &next);
    }
    serial_heat(whole);
    for (int i = 0; i < b.cells[0]; i++)
        for (int j = 0; j < b.cells[1]; j++)
            CHECK(now[at(&b, i, j)]
                  == whole[(b.first[0] + i + 1) * (COLUMNS + 2) + b.first[1] + j + 1]);
    OK(MPI_Type_free(&row));
    OK(MPI_Type_free(&column));
    free(now);
    free(next);
    OK(MPI_Comm_free(&b.comm));
}

/* -- life */

enum { SIDE = 20, GENERATIONS = 30, AROUND = 8 };

static unsigned char born(int i, int j)
{
    return (i * 31 + j * 17 + i * j) % 5 < 2;
}

static unsigned char lives(const unsigned char *f, int cell, int wide)
{
    int n = f[cell - wide - 1] + f[cell - wide] + f[cell - wide + 1] + f[cell - 1] + f[cell + 1]
            + f[cell + wide - 1] + f[cell + wide] + f[cell + wide + 1];

    return n == 3 || (n == 2 && f[cell]);
}

static void serial_life(unsigned char *field)
{
    unsigned char wide[(SIDE + 2) * (SIDE + 2)];

    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            field[i * SIDE + j] = born(i, j);
    for (int generation = 0; generation < GENERATIONS; generation++) {
        for (int i = 0; i < SIDE + 2; i++)
            for (int j = 0; j < SIDE + 2; j++)
                wide[i * (SIDE + 2) + j] = field[(i + SIDE - 1) % SIDE * SIDE
                                                 + (j + SIDE - 1) % SIDE];
        for (int i = 0; i < SIDE; i++)
            for (int j = 0; j < SIDE; j++)
                field[i * SIDE + j] = lives(wide, (i + 1) * (SIDE + 2) + j + 1, SIDE + 2);
    }
}

/* The part of a block with its border that lies at one end in each dimension, or between. */
static MPI_Datatype part(const struct block *b, const int *direction, int border)
{
    int sizes[2], inner[2], starts[2];
    MPI_Datatype type;

    for (int d = 0; d < 2; d++) {
        int n = b->cells[d];
        sizes[d] = n + 2;
        inner[d] = direction[d] ? 1 : n;
        starts[d] = direction[d] < 0 ? !border : direction[d] > 0 ? n + border : 1;
    }
    OK(MPI_Type_create_subarray(2, sizes, inner, starts, MPI_ORDER_C, MPI_UNSIGNED_CHAR, &type));
    OK(MPI_Type_commit(&type));
    return type;
}

struct halo {
    MPI_Comm comm;
    int ones[AROUND];
    MPI_Aint zeros[AROUND];
    MPI_Datatype out[AROUND], in[AROUND];
};

static int neighbour(const struct block *b, const int *direction, int sign)
{
    int coords[2], rank;

    for (int d = 0; d < 2; d++)
        coords[d] = b->place[d] + sign * direction[d];
    OK(MPI_Cart_rank(b->comm, coords, &rank));
    return rank;
}

/* What goes in a direction comes from the opposite one, and lies there. */
static void make_halo(const struct block *b, struct halo *h)
{
    int source[AROUND], dest[AROUND], n = 0;

    for (int i = -1; i <= 1; i++)
        for (int j = -1; j <= 1; j++) {
            int there[2] = { i, j }, back[2] = { -i, -j };
            if (!i && !j)
                continue;
            dest[n] = neighbour(b, there, 1);
            source[n] = neighbour(b, there, -1);
            h->out[n] = part(b, there, 0);
            h->in[n] = part(b, back, 1);
            h->ones[n] = 1;
            h->zeros[n++] = 0;
        }
    OK(MPI_Dist_graph_create_adjacent(b->comm, AROUND, source, MPI_UNWEIGHTED, AROUND, dest,
                                      MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &h->comm));
}

static void free_halo(struct halo *h)
{
    for (int i = 0; i < AROUND; i++) {
        OK(MPI_Type_free(&h->out[i]));
        OK(MPI_Type_free(&h->in[i]));
    }
    OK(MPI_Comm_free(&h->comm));
}

static void generation(const struct block *b, struct halo *h, unsigned char *now,
                       unsigned char *next)
{
    MPI_Request r;

    OK(MPI_Ineighbor_alltoallw(now, h->ones, h->zeros, h->out, now, h->ones, h->zeros, h->in,
                               h->comm, &r));
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    for (int i = 0; i < b->cells[0]; i++)
        for (int j = 0; j < b->cells[1]; j++)
            next[at(b, i, j)] = lives(now, at(b, i, j), b->cells[1] + 2);
}

static void life(void)
{
    static unsigned char whole[SIDE * SIDE];
    struct block b;
    struct halo h;

    cut(&b, SIDE, SIDE, 1);
    make_halo(&b, &h);
    unsigned char *now = calloc(1, bytes_of(&b, 1)), *next = calloc(1, bytes_of(&b, 1));
    CHECK(now && next);
    for (int i = 0; i < b.cells[0]; i++)
        for (int j = 0; j < b.cells[1]; j++)
            now[at(&b, i, j)] = born(b.first[0] + i, b.first[1] + j);
    for (int i = 0; i < GENERATIONS; i++) {
        unsigned char *before = now;
        generation(&b, &h, now, next);
        now = next;
        next = before;
    }
    serial_life(whole);
    for (int i = 0; i < b.cells[0]; i++)
        for (int j = 0; j < b.cells[1]; j++)
            SAME(now[at(&b, i, j)], whole[(b.first[0] + i) * SIDE + b.first[1] + j]);
    free(now);
    free(next);
    free_halo(&h);
    OK(MPI_Comm_free(&b.comm));
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    t_errors_return();
    heat();
    life();
    return t_end();
}
