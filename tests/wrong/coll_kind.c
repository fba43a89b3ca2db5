/* The last rank calls a barrier where the others add numbers; "right": adds, too. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, in[2] = { 1, 2 }, out[2], right = argc > 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!right && rank == size - 1)
        MPI_Barrier(MPI_COMM_WORLD);
    else
        MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
