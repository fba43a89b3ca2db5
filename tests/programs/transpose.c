/* Transposes a matrix that is dealt out by rows: each rank packs a block for every other, one
 * MPI_Alltoallv moves them, and the blocks are unpacked.  Done twice it gives the matrix back. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 250 };

static int rank, size;

static int first_of(int r) { return r * N / size; }
static int rows_of(int r) { return first_of(r + 1) - first_of(r); }

static void *allocate(size_t bytes)
{
    void *p = malloc(bytes + 1);

    if (!p)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return p;
}

static void transpose(const int64_t *a, int64_t *b)
{
    int rows = rows_of(rank);
    int *counts = allocate((size_t)size * sizeof(int)),
        *places = allocate((size_t)size * sizeof(int));
    int64_t *out = allocate((size_t)rows * N * sizeof *out),
        *in = allocate((size_t)rows * N * sizeof *in);

    for (int r = 0, place = 0; r < size; place += counts[r], r++) {
        counts[r] = rows * rows_of(r);
        places[r] = place;
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < rows_of(r); j++)        /* already transposed within the block */
                out[place + j * rows + i] = a[(size_t)i * N + (size_t)(first_of(r) + j)];
    }
    MPI_Alltoallv(out, counts, places, MPI_INT64_T, in, counts, places, MPI_INT64_T,
                  MPI_COMM_WORLD);
    for (int r = 0; r < size; r++)
        for (int j = 0; j < rows; j++)
            for (int i = 0; i < rows_of(r); i++)
                b[(size_t)j * N + (size_t)(first_of(r) + i)] = in[places[r] + j * rows_of(r) + i];
    free(counts);
    free(places);
    free(out);
    free(in);
}

static int64_t element(int i, int j) { return (int64_t)i * 1000003 + (int64_t)j * j * 17 + 5; }

/* A sum in which every element's place counts; integers, so that the order of adding does not. */
static int64_t checksum(const int64_t *a)
{
    int64_t mine = 0, total;

    for (int i = 0; i < rows_of(rank); i++)
        for (int j = 0; j < N; j++)
            mine += a[(size_t)i * N + (size_t)j] % 1000 * ((first_of(rank) + i) * 3 + j + 1);
    MPI_Allreduce(&mine, &total, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return total;
}

static int count_wrong(const int64_t *a, int transposed)
{
    int mine = 0, total;

    for (int i = 0; i < rows_of(rank); i++)
        for (int j = 0; j < N; j++) {
            int row = first_of(rank) + i;
            mine += a[(size_t)i * N + (size_t)j] != (transposed ? element(j, row)
                                                     : element(row, j));
        }
    MPI_Allreduce(&mine, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return total;
}

int main(int argc, char **argv)
{
    int64_t *a, *b, before, after, back;
    int wrong;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    a = allocate((size_t)rows_of(rank) * N * sizeof *a);
    b = allocate((size_t)rows_of(rank) * N * sizeof *b);
    for (int i = 0; i < rows_of(rank); i++)
        for (int j = 0; j < N; j++)
            a[(size_t)i * N + (size_t)j] = element(first_of(rank) + i, j);
    before = checksum(a);
    transpose(a, b);
    after = checksum(b);
    wrong = count_wrong(b, 1);
    transpose(b, a);
    back = checksum(a);
    wrong += count_wrong(a, 0);
    if (rank == 0)
        printf("transpose: %d x %d, sums %lld %lld %lld, %d wrong\n", N, N, (long long)before,
               (long long)after,
               (long long)back, wrong);
    free(a);
    free(b);
    MPI_Finalize();
    return wrong != 0 || before != back;
}
