/* Nothing is wrong here but that some calls have wrappers, as profilers do: --check does not see
 * these. */
#include <mpi.h>
#include <stdio.h>

static int waits, frees, receives;

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    waits++;
    return PMPI_Wait(request, status);
}

int MPI_Comm_free(MPI_Comm *comm)
{
    frees++;
    return PMPI_Comm_free(comm);
}

int MPI_Recv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
             MPI_Status *status)
{
    receives++;
    return PMPI_Recv(buf, count, type, source, tag, comm, status);
}

int main(int argc, char **argv)
{
    int rank, in, out = 1;
    MPI_Comm comm;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Isend(&out, 1, MPI_INT, rank, 1, comm, &request);
    MPI_Recv(&in, 1, MPI_INT, rank, 1, comm, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    printf("%d %d %d\n", waits, frees, receives);
    return 0;
}
