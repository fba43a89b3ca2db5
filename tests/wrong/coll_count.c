/* The last rank reduces two numbers where the others reduce one; "right": one, too. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, in[2] = { 1, 2 }, out[2], right = argc > 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Allreduce(in, out, !right && rank == size - 1 ? 2 : 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
