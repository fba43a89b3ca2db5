/* heat2d: how heat spreads in a square plate with two hot spots, drawn as a picture.
 *
 * The plate is cut into blocks, one per rank, on a grid of ranks that is as square as the number of
 * ranks allows.  Each block is stored with a border one cell wide, the halo, that holds the
 * neighbours' edges.  A step starts the exchange of halos (MPI_Irecv, MPI_Isend), computes the
 * inside, which needs no halo, meanwhile, waits, and computes the edges.
 *
 * Each cell's arithmetic is the same wherever the cuts are, so the result has the same bits on any
 * number of ranks: the checksum shows it. */
#include "picture.h"

#include <errno.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NORTH, SOUTH, WEST, EAST, SIDES, N_MOST = 20000 };

struct options { int n, steps; const char *out; };

struct plate {
    int n;                          /* cells per side of the whole plate */
    int rank, size;
    int grid[2], place[2];          /* ranks down and across, and where we are */
    int first[2], cells[2];         /* our block: first row and column, rows and columns */
    int neighbour[SIDES];
    double *now, *next;             /* our block with its halo */
    double *packed[4];              /* columns are not contiguous: packed to send and receive */
};

static void usage(FILE *out)
{
    fprintf(out,
            "usage: mpirun -n RANKS heat2d [-n CELLS] [-s STEPS] [-o NAME]\n\n"
            "  -n CELLS   cells per side of the plate (default 256)\n"
            "  -s STEPS   steps of time (default 500)\n"
            "  -o NAME    write NAME.png and NAME.ppm (default: no picture)\n"
            "  -h, --help print this text\n");
}

static void *allocate(size_t bytes)
{
    void *p = calloc(bytes ? bytes : 1, 1);

    if (!p) {
        fprintf(stderr, "heat2d: no memory for %zu bytes\n", bytes);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return p;
}

/* Row i and column j of our block; -1 and cells[] are in the halo. */
static double *cell(const struct plate *p, double *field, int i, int j)
{
    return field + (size_t)(i + 1) * (size_t)(p->cells[1] + 2) + (size_t)(j + 1);
}

/* The most nearly square grid: the largest divisor of the number of ranks up to its root. */
static void make_grid(struct plate *p)
{
    p->grid[0] = 1;
    for (int d = 1; d * d <= p->size; d++)
        if (p->size % d == 0)
            p->grid[0] = d;
    p->grid[1] = p->size / p->grid[0];
    p->place[0] = p->rank / p->grid[1];
    p->place[1] = p->rank % p->grid[1];
}

static int rank_at(const struct plate *p, int row, int column)
{
    if (row < 0 || row >= p->grid[0] || column < 0 || column >= p->grid[1])
        /* messages to it vanish: the edge of the plate needs no special case */
        return MPI_PROC_NULL;
    return row * p->grid[1] + column;
}

static void cut(struct plate *p)
{
    size_t bytes;

    make_grid(p);
    for (int d = 0; d < 2; d++) {
        p->first[d] = (int)((int64_t)p->place[d] * p->n / p->grid[d]);
        p->cells[d] = (int)((int64_t)(p->place[d] + 1) * p->n / p->grid[d]) - p->first[d];
    }
    p->neighbour[NORTH] = rank_at(p, p->place[0] - 1, p->place[1]);
    p->neighbour[SOUTH] = rank_at(p, p->place[0] + 1, p->place[1]);
    p->neighbour[WEST] = rank_at(p, p->place[0], p->place[1] - 1);
    p->neighbour[EAST] = rank_at(p, p->place[0], p->place[1] + 1);
    bytes = (size_t)(p->cells[0] + 2) * (size_t)(p->cells[1] + 2) * sizeof(double);
    p->now = allocate(bytes);
    p->next = allocate(bytes);
    for (int i = 0; i < 4; i++)
        p->packed[i] = allocate((size_t)p->cells[0] * sizeof(double));
}

static void release(struct plate *p)
{
    free(p->now);
    free(p->next);
    for (int i = 0; i < 4; i++)
        free(p->packed[i]);
}

/* Two hot spots on a cold plate; the edge outside is cold for ever. */
static void heat(struct plate *p)
{
    for (int i = 0; i < p->cells[0]; i++)
        for (int j = 0; j < p->cells[1]; j++) {
            double y = (p->first[0] + i + 0.5) / p->n, x = (p->first[1] + j + 0.5) / p->n;
            double a = (x - 0.3) * (x - 0.3) + (y - 0.35) * (y - 0.35);
            double b = (x - 0.7) * (x - 0.7) + (y - 0.6) * (y - 0.6);

            *cell(p, p->now, i, j) = a < 0.02 ? 100.0 : b < 0.008 ? 80.0 : 0.0;
        }
}

static void start_exchange(struct plate *p, MPI_Request *requests)
{
    int rows = p->cells[0], columns = p->cells[1];

    for (int i = 0; i < rows; i++) {
        p->packed[0][i] = *cell(p, p->now, i, 0);
        p->packed[1][i] = *cell(p, p->now, i, columns - 1);
    }
    /* A tag names the side on which the data arrive. */
    MPI_Irecv(cell(p, p->now, -1, 0), columns, MPI_DOUBLE, p->neighbour[NORTH], NORTH,
              MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(cell(p, p->now, rows, 0), columns, MPI_DOUBLE, p->neighbour[SOUTH], SOUTH,
              MPI_COMM_WORLD, &requests[1]);
    MPI_Irecv(p->packed[2], rows, MPI_DOUBLE, p->neighbour[WEST], WEST, MPI_COMM_WORLD,
              &requests[2]);
    MPI_Irecv(p->packed[3], rows, MPI_DOUBLE, p->neighbour[EAST], EAST, MPI_COMM_WORLD,
              &requests[3]);
    MPI_Isend(cell(p, p->now, 0, 0), columns, MPI_DOUBLE, p->neighbour[NORTH], SOUTH,
              MPI_COMM_WORLD, &requests[4]);
    MPI_Isend(cell(p, p->now, rows - 1, 0), columns, MPI_DOUBLE, p->neighbour[SOUTH], NORTH,
              MPI_COMM_WORLD,
              &requests[5]);
    MPI_Isend(p->packed[0], rows, MPI_DOUBLE, p->neighbour[WEST], EAST, MPI_COMM_WORLD,
              &requests[6]);
    MPI_Isend(p->packed[1], rows, MPI_DOUBLE, p->neighbour[EAST], WEST, MPI_COMM_WORLD,
              &requests[7]);
}

/* Columns that came in go to the halo; at the edge of the plate
 * nothing came and the packed zeros stay. */
static void finish_exchange(struct plate *p, MPI_Request *requests)
{
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < p->cells[0]; i++) {
        *cell(p, p->now, i, -1) = p->packed[2][i];
        *cell(p, p->now, i, p->cells[1]) = p->packed[3][i];
    }
}

static void update(struct plate *p, int i, int j)
{
    double here = *cell(p, p->now, i, j);
    double around = *cell(p, p->now, i - 1, j) + *cell(p, p->now, i + 1, j) + *cell(p, p->now, i,
                                                                                    j - 1) +
                    *cell(p, p->now, i, j + 1);

    *cell(p, p->next, i, j) = here + 0.2 * (around - 4.0 * here);
}

static void step(struct plate *p)
{
    int rows = p->cells[0], columns = p->cells[1];
    MPI_Request requests[8];
    double *swap = p->now;

    start_exchange(p, requests);
    for (int i = 1; i < rows - 1; i++)
        for (int j = 1; j < columns - 1; j++)
            update(p, i, j);
    finish_exchange(p, requests);
    for (int i = 0; i < rows; i++) {
        int whole = i == 0 || i == rows - 1;

        for (int j = 0; j < columns; j += whole || columns == 1 ? 1 : columns - 1)
            update(p, i, j);
    }
    p->now = p->next;
    p->next = swap;
}

/* Every cell's bits and place count, and the order of adding does not. */
static uint64_t checksum(const struct plate *p)
{
    uint64_t mine = 0, total = 0, bits;

    for (int i = 0; i < p->cells[0]; i++)
        for (int j = 0; j < p->cells[1]; j++) {
            uint64_t place = (uint64_t)(p->first[0] + i) * (uint64_t)p->n
                             + (uint64_t)(p->first[1] + j);

            memcpy(&bits, cell(p, p->now, i, j), sizeof bits);
            mine += bits * (2 * place + 1);
        }
    MPI_Allreduce(&mine, &total, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return total;
}

/* Black, red, yellow, white. */
static void colour(double value, unsigned char *rgb)
{
    double t = value / 100.0 * 3.0;

    for (int k = 0; k < 3; k++) {
        double level = t - k;
        rgb[k] = (unsigned char)(255.0 * (level < 0 ? 0 : level > 1 ? 1 : level) + 0.5);
    }
}

/* Rank 0 takes the blocks one after another and puts them in their places. */
static void collect(struct plate *p, unsigned char *rgb)
{
    for (int r = 0; r < p->size; r++) {
        int box[4] = {p->first[0], p->first[1], p->cells[0], p->cells[1]};
        unsigned char *block;

        if (r != 0)
            MPI_Recv(box, 4, MPI_INT, r, SIDES, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        block = allocate((size_t)box[2] * (size_t)box[3] * 3);
        if (r != 0)
            MPI_Recv(block, box[2] * box[3] * 3, MPI_BYTE, r, SIDES + 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        for (int i = 0; i < box[2]; i++) {
            unsigned char *row = rgb + ((size_t)(box[0] + i) * (size_t)p->n + (size_t)box[1]) * 3;

            if (r != 0)
                memcpy(row, block + (size_t)i * (size_t)box[3] * 3, (size_t)box[3] * 3);
            for (int j = 0; r == 0 && j < box[3]; j++)
                colour(*cell(p, p->now, i, j), row + j * 3);
        }
        free(block);
    }
}

static void send_block(struct plate *p)
{
    int box[4] = {p->first[0], p->first[1], p->cells[0], p->cells[1]};
    unsigned char *block = allocate((size_t)box[2] * (size_t)box[3] * 3);

    for (int i = 0; i < box[2]; i++)
        for (int j = 0; j < box[3]; j++)
            colour(*cell(p, p->now, i, j), block + ((size_t)i * (size_t)box[3] + (size_t)j) * 3);
    MPI_Send(box, 4, MPI_INT, 0, SIDES, MPI_COMM_WORLD);
    MPI_Send(block, box[2] * box[3] * 3, MPI_BYTE, 0, SIDES + 1, MPI_COMM_WORLD);
    free(block);
}

static int write_files(const unsigned char *rgb, int n, const char *name)
{
    static int (*const writers[])(const char *, const unsigned char *, int, int) = {
        picture_write_png, picture_write_ppm,
    };
    static const char *const suffixes[] = {"png", "ppm"};

    for (int i = 0; i < 2; i++) {
        char path[4096];

        snprintf(path, sizeof path, "%s.%s", name, suffixes[i]);
        if (writers[i](path, rgb, n, n) != 0) {
            fprintf(stderr, "heat2d: %s: %s\n", path, strerror(errno));
            return 1;
        }
        printf("wrote %s\n", path);
    }
    return 0;
}

static int write_picture(struct plate *p, const char *name)
{
    unsigned char *rgb;
    int failed;

    if (p->rank != 0) {
        send_block(p);
        return 0;
    }
    rgb = allocate((size_t)p->n * (size_t)p->n * 3);
    collect(p, rgb);
    failed = write_files(rgb, p->n, name);
    free(rgb);
    return failed;
}

/* 0: go on; 1: help was asked for; 2: wrong arguments. */
static int read_options(int argc, char **argv, struct options *o)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0)
            return 1;
        if (i + 1 == argc)
            return 2;
        if (strcmp(argv[i], "-n") == 0)
            o->n = atoi(argv[++i]);
        else if (strcmp(argv[i], "-s") == 0)
            o->steps = atoi(argv[++i]);
        else if (strcmp(argv[i], "-o") == 0)
            o->out = argv[++i];
        else
            return 2;
    }
    return o->n >= 1 && o->n <= N_MOST && o->steps >= 0 ? 0 : 2;
}

static int run(const struct options *o)
{
    struct plate p = {.n = o->n};
    uint64_t sum;
    double start;
    int failed = 0;

    MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p.size);
    make_grid(&p);
    if (p.n < p.grid[1]) {
        if (p.rank == 0)
            fprintf(stderr, "heat2d: %d cells per side are too few for %d ranks\n", p.n, p.size);
        return 2;
    }
    cut(&p);
    heat(&p);
    start = MPI_Wtime();
    for (int i = 0; i < o->steps; i++)
        step(&p);
    sum = checksum(&p);
    if (p.rank == 0)
        printf("%d x %d cells, %d steps on %d x %d ranks in %.3f s\n", p.n, p.n, o->steps,
               p.grid[0], p.grid[1],
               MPI_Wtime() - start);
    if (o->out)
        failed = write_picture(&p, o->out);
    if (p.rank == 0)
        printf("checksum %016llx\n", (unsigned long long)sum);
    release(&p);
    return failed;
}

int main(int argc, char **argv)
{
    struct options o = {.n = 256, .steps = 500};
    int verdict = read_options(argc, argv, &o);

    if (verdict) {
        usage(verdict == 1 ? stdout : stderr);
        return verdict == 1 ? 0 : 2;
    }
    MPI_Init(&argc, &argv);
    verdict = run(&o);
    MPI_Finalize();
    return verdict;
}
