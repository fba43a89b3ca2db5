/* op_calls WHICH LEVEL [right]: the function of an operation calls MPI, at a level of threads, 0 to
 * 3: what communicates, which it must not do, or MPI_Abort; with "right" neither. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static const char *which;
static int rank;

static void call(void)
{
    int value = 0, next = rank ^ 1;
    if (!strcmp(which, "barrier"))
        MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(which, "recv"))
        MPI_Recv(&value, 1, MPI_INT, next, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!strcmp(which, "abort"))
        MPI_Abort(MPI_COMM_WORLD, 7);
    if (!strcmp(which, "ssend"))
        MPI_Ssend(&value, 1, MPI_INT, next, 5, MPI_COMM_WORLD);
}

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
    MPI_Aint low, extent;
    int size;
    MPI_Type_get_extent(*type, &low, &extent);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    call();
    for (int i = 0; i < *n; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

int main(int argc, char **argv)
{
    static int data[5000], sum[5000];
    int provided, size, wrong = 0;
    MPI_Op op;

    static const int levels[] = { MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED,
                                  MPI_THREAD_MULTIPLE };
    MPI_Init_thread(&argc, &argv, levels[atoi(argv[2])], &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    which = argc > 3 ? "nothing" : argv[1];
    MPI_Op_create(add, 1, &op);
    for (int i = 0; i < 5000; i++)
        data[i] = i;
    for (int count = 1; count <= 5000; count *= 5000) {
        MPI_Allreduce(data, sum, count, MPI_INT, op, MPI_COMM_WORLD);
        MPI_Reduce(data, sum, count, MPI_INT, op, 0, MPI_COMM_WORLD);
        MPI_Scan(data, sum, count, MPI_INT, op, MPI_COMM_WORLD);
        for (int i = 0; i < count; i++)
            wrong += sum[i] != i * (rank + 1);
    }
    MPI_Op_free(&op);
    MPI_Finalize();
    return wrong != 0;
}
