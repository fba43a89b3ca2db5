/* Sorts numbers that are dealt out over the ranks: sort locally, draw samples, agree on splitters,
 * exchange with MPI_Alltoallv, sort again.  The sorted sequence is the same however many ranks
 * share the work. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { KEYS = 60000, SAMPLES = 32, PRINTED = 8 };

static int rank, size;

static void *allocate(size_t bytes)
{
    void *p = malloc(bytes + 1);

    if (!p)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return p;
}

static uint64_t key_of(int i)
{
    uint64_t z = ((uint64_t)i + 1) * 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return i % 10 == 0 ? 1000000 : z ^ z >> 31;         /* a tenth of the keys are equal */
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static void choose_splitters(const uint64_t *keys, int count, uint64_t *splitters)
{
    uint64_t mine[SAMPLES], *all = allocate((size_t)size * sizeof mine);

    for (int i = 0; i < SAMPLES; i++)
        mine[i] = keys[(size_t)i * (size_t)count / SAMPLES];
    MPI_Gather(mine, SAMPLES, MPI_UINT64_T, all, SAMPLES, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        qsort(all, (size_t)size * SAMPLES, sizeof *all, by_value);
        for (int r = 1; r < size; r++)
            splitters[r - 1] = all[r * SAMPLES];
    }
    MPI_Bcast(splitters, size - 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    free(all);
}

/* Sends every key to the rank whose range it falls in; the keys received. */
static uint64_t *exchange(const uint64_t *keys, int count, const uint64_t *splitters, int *received)
{
    size_t bytes = (size_t)size * sizeof(int);
    int *out = allocate(bytes), *out_place = allocate(bytes), *in = allocate(bytes),
        *in_place = allocate(bytes), k = 0;
    uint64_t *result;

    for (int r = 0; r < size; r++) {
        out_place[r] = k;
        while (k < count && (r == size - 1 || keys[k] < splitters[r]))
            k++;
        out[r] = k - out_place[r];
    }
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
    *received = 0;
    for (int r = 0; r < size; r++) {
        in_place[r] = *received;
        *received += in[r];
    }
    result = allocate((size_t)*received * sizeof *result);
    MPI_Alltoallv(keys, out, out_place, MPI_UINT64_T, result, in, in_place, MPI_UINT64_T,
                  MPI_COMM_WORLD);
    free(out);
    free(out_place);
    free(in);
    free(in_place);
    return result;
}

/* Every rank's largest key so far against the next rank's smallest; a rank may have none. */
static int count_disorder(const uint64_t *keys, int count)
{
    uint64_t largest = count > 0 ? keys[count - 1] : 0, before = 0;
    int mine = 0, total;

    MPI_Exscan(&largest, &before, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    if (rank > 0 && count > 0)
        mine += keys[0] < before;
    for (int i = 1; i < count; i++)
        mine += keys[i] < keys[i - 1];
    MPI_Allreduce(&mine, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return total;
}

/* Keys at evenly spaced places of the whole sequence, and a sum in which every place counts. */
static int report(const uint64_t *keys, int count)
{
    uint64_t picked[PRINTED] = {0}, all[PRINTED], sum = 0, total;
    int start = 0, disorder = count_disorder(keys, count);

    MPI_Exscan(&count, &start, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        start = 0;
    for (int i = 0; i < count; i++) {
        int place = start + i;

        sum += keys[i] * (uint64_t)(place + 1);
        if (place % (KEYS / PRINTED) == 0)
            picked[place / (KEYS / PRINTED)] = keys[i];
    }
    MPI_Reduce(picked, all, PRINTED, MPI_UINT64_T, MPI_BOR, 0, MPI_COMM_WORLD);
    MPI_Reduce(&sum, &total, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("sample_sort: %d keys, %d out of order, sum %016llx\n", KEYS, disorder,
               (unsigned long long)total);
        for (int i = 0; i < PRINTED; i++)
            printf("  key %d: %016llx\n", i * (KEYS / PRINTED), (unsigned long long)all[i]);
    }
    return disorder;
}

int main(int argc, char **argv)
{
    uint64_t *keys, *splitters, *sorted;
    int first, count, received, disorder;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    first = (int)((int64_t)rank * KEYS / size);
    count = (int)((int64_t)(rank + 1) * KEYS / size) - first;
    keys = allocate((size_t)count * sizeof *keys);
    splitters = allocate((size_t)size * sizeof *splitters);
    for (int i = 0; i < count; i++)
        keys[i] = key_of(first + i);
    qsort(keys, (size_t)count, sizeof *keys, by_value);
    choose_splitters(keys, count, splitters);
    sorted = exchange(keys, count, splitters, &received);
    qsort(sorted, (size_t)received, sizeof *sorted, by_value);
    disorder = report(sorted, received);
    free(keys);
    free(splitters);
    free(sorted);
    MPI_Finalize();
    return disorder != 0;
}
