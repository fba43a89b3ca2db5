/* disagree ONE OTHER WHO [right]: rank WHO calls OTHER where the others call ONE, each CALL,
 * CALL:COUNT or CALL@ROOT; "right": all call ONE. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096, RANKS = 8 };

static int in[MOST], out[MOST * RANKS], counts[RANKS], starts[RANKS];

static void make(const char *name)
{
    MPI_Comm made;
    MPI_Win window;
    MPI_Request request = MPI_REQUEST_NULL;

    if (!strcmp(name, "dup"))
        MPI_Comm_dup(MPI_COMM_WORLD, &made);
    else if (!strcmp(name, "idup"))
        MPI_Comm_idup(MPI_COMM_WORLD, &made, &request);
    else if (!strcmp(name, "split"))
        MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &made);
    else if (!strcmp(name, "window"))
        MPI_Win_create(in, sizeof in, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    else
        MPI_Abort(MPI_COMM_WORLD, 99);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void move(const char *name, int n, int root)
{
    MPI_Comm w = MPI_COMM_WORLD;
    MPI_Request request = MPI_REQUEST_NULL;

    if (!strcmp(name, "barrier"))
        MPI_Barrier(w);
    else if (!strcmp(name, "bcast"))
        MPI_Bcast(in, n, MPI_INT, root, w);
    else if (!strcmp(name, "allreduce"))
        MPI_Allreduce(in, out, n, MPI_INT, MPI_SUM, w);
    else if (!strcmp(name, "reduce"))
        MPI_Reduce(in, out, n, MPI_INT, MPI_SUM, root, w);
    else if (!strcmp(name, "scatter"))
        MPI_Scatter(out, n, MPI_INT, in, n, MPI_INT, root, w);
    else if (!strcmp(name, "gatherv"))
        MPI_Gatherv(in, n, MPI_INT, out, counts, starts, MPI_INT, root, w);
    else if (!strcmp(name, "scatterv"))
        MPI_Scatterv(out, counts, starts, MPI_INT, in, n, MPI_INT, root, w);
    else if (!strcmp(name, "alltoall"))
        MPI_Alltoall(out, n, MPI_INT, in, n, MPI_INT, w);
    else if (!strcmp(name, "ibarrier"))
        MPI_Ibarrier(w, &request);
    else if (!strcmp(name, "ibcast"))
        MPI_Ibcast(in, n, MPI_INT, root, w, &request);
    else
        make(name);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void call(char *what, int size)
{
    char *count = strchr(what, ':'), *root = strchr(what, '@');
    int n = count ? atoi(count + 1) : 1;

    for (int i = 0; i < size; i++) {
        counts[i] = n;
        starts[i] = i * n;
    }
    what[strcspn(what, ":@")] = 0;
    move(what, n, root ? atoi(root + 1) : 0);
}

int main(int argc, char **argv)
{
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    call(argv[argc == 4 && rank == atoi(argv[3]) ? 2 : 1], size);
    MPI_Finalize();
    return 0;
}
