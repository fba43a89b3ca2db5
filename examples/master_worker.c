/* master_worker: rank 0 hands out the rows of a picture of the Mandelbrot set to whoever is free.
 *
 * Rows cost very different amounts of work, so dealing them out beforehand would leave ranks idle.
 * Here a worker's result is also its request for more: the master receives from MPI_ANY_SOURCE, and
 * the status says who gets the next row.  With one rank the master does all the work itself. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_WORK = 1, TAG_RESULT, TAG_STOP, LIMIT = 500, WIDTH_MOST = 10000 };

static int width = 300, height = 200;

static void usage(FILE *out)
{
    fprintf(out,
            "usage: mpirun -n RANKS master_worker [-w WIDTH] [-t]\n\n"
            "  -w WIDTH   columns of the picture, 2/3 as many rows (default 300)\n"
            "  -t         draw the picture as text\n"
            "  -h, --help print this text\n");
}

/* Steps until the point escapes, LIMIT if it does not. */
static int escape_time(double a, double b)
{
    double x = 0, y = 0;
    int n = 0;

    while (n < LIMIT && x * x + y * y <= 4) {
        double t = x * x - y * y + a;
        y = 2 * x * y + b;
        x = t;
        n++;
    }
    return n;
}

/* A result is the row's number, followed by its values. */
static void compute_row(int row, int *result)
{
    result[0] = row;
    for (int i = 0; i < width; i++)
        result[1 + i] = escape_time(-2.2 + 3.2 * (i + 0.5) / width,
                                    -1.1 + 2.2 * (row + 0.5) / height);
}

static void worker(void)
{
    int *result = malloc((size_t)(width + 1) * sizeof *result), row;
    MPI_Status status;

    if (!result)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (;;) {
        MPI_Recv(&row, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == TAG_STOP)
            break;
        compute_row(row, result);
        MPI_Send(result, width + 1, MPI_INT, 0, TAG_RESULT, MPI_COMM_WORLD);
    }
    free(result);
}

/* Fills the picture, and counts the rows that each rank did. */
static void master(int size, int *picture, int *rows_of)
{
    int *result = malloc((size_t)(width + 1) * sizeof *result), next = 0, busy = 0;
    MPI_Status status;

    if (!result)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int r = 1; r < size; r++) {
        MPI_Send(&next, 1, MPI_INT, r, next < height ? TAG_WORK : TAG_STOP, MPI_COMM_WORLD);
        busy += next < height;
        next += next < height;
    }
    while (busy > 0) {
        MPI_Recv(result, width + 1, MPI_INT, MPI_ANY_SOURCE, TAG_RESULT, MPI_COMM_WORLD, &status);
        memcpy(picture + (size_t)result[0] * (size_t)width, result + 1,
               (size_t)width * sizeof *picture);
        rows_of[status.MPI_SOURCE]++;
        MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, next < height ? TAG_WORK : TAG_STOP,
                 MPI_COMM_WORLD);
        busy -= next >= height;
        next += next < height;
    }
    for (; next < height; next++) {         /* nobody else is there */
        compute_row(next, result);
        memcpy(picture + (size_t)next * (size_t)width, result + 1, (size_t)width * sizeof *picture);
        rows_of[0]++;
    }
    free(result);
}

static void draw(const int *picture)
{
    static const char shades[] = " .:-=+*#%@";

    for (int line = 0; line < 32; line++) {
        for (int column = 0; column < 78; column++) {
            int n = picture[(size_t)(line * height / 32) * (size_t)width
                            + (size_t)(column * width / 78)];
            putchar(n == LIMIT ? shades[9] : shades[n > 40 ? 8 : n / 5]);
        }
        putchar('\n');
    }
}

/* Computes the picture again, here; the number of rows that differ. */
static int check(const int *picture)
{
    int *row = malloc((size_t)(width + 1) * sizeof *row), wrong = 0;

    if (!row)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < height; i++) {
        compute_row(i, row);
        wrong += memcmp(row + 1, picture + (size_t)i * (size_t)width,
                        (size_t)width * sizeof *row) != 0;
    }
    free(row);
    return wrong;
}

static int run_master(int size, int text)
{
    int *picture = calloc((size_t)width * (size_t)height, sizeof *picture);
    int *rows_of = calloc((size_t)size, sizeof *rows_of);
    int wrong;
    long inside = 0;

    if (!picture || !rows_of)
        MPI_Abort(MPI_COMM_WORLD, 1);
    master(size, picture, rows_of);
    wrong = check(picture);
    if (text)
        draw(picture);
    for (int r = 0; r < size; r++)
        if (rows_of[r] > 0)
            printf("rank %d: %d rows\n", r, rows_of[r]);
    for (int i = 0; i < width * height; i++)
        inside += picture[i] == LIMIT;
    printf("%d x %d points, %ld inside, %d rows wrong: %s\n", width, height, inside, wrong,
           wrong ? "WRONG" : "right");
    free(picture);
    free(rows_of);
    return wrong != 0;
}

/* 0: go on; 1: help was asked for; 2: wrong arguments. */
static int read_options(int argc, char **argv, int *text)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0)
            return 1;
        if (strcmp(argv[i], "-t") == 0)
            *text = 1;
        else if (strcmp(argv[i], "-w") == 0 && i + 1 < argc)
            width = atoi(argv[++i]);
        else
            return 2;
    }
    height = width * 2 / 3;
    return width >= 3 && width <= WIDTH_MOST ? 0 : 2;
}

int main(int argc, char **argv)
{
    int rank, size, text = 0, verdict = read_options(argc, argv, &text);

    if (verdict) {
        usage(verdict == 1 ? stdout : stderr);
        return verdict == 1 ? 0 : 2;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        verdict = run_master(size, text);
    else
        worker();
    MPI_Finalize();
    return verdict;
}
