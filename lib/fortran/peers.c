/* How many ranks, and neighbours, a collective call on a communicator names. */
#include "fortran/convert.h"

int mpif_peers(MPI_Comm comm)
{
    int size = 0, inter = 0;

    if (comm == MPI_COMM_NULL)
        return 0;
    PMPI_Comm_test_inter(comm, &inter);
    if (inter)
        PMPI_Comm_remote_size(comm, &size);
    else
        PMPI_Comm_size(comm, &size);
    return size;
}

int mpif_send_peers(MPI_Comm comm, const void *sendbuf)
{
    return sendbuf == MPI_IN_PLACE ? 0 : mpif_peers(comm);
}

int mpif_cart_dims(MPI_Comm comm)
{
    int kind = MPI_UNDEFINED, dims = 0;

    if (comm != MPI_COMM_NULL)
        PMPI_Topo_test(comm, &kind);
    if (kind == MPI_CART)
        PMPI_Cartdim_get(comm, &dims);
    return dims;
}

/* Neighbours that send to this rank, and those that it sends to. */
static void neighbours(MPI_Comm comm, int *in, int *out)
{
    int kind = MPI_UNDEFINED, rank, weighted;

    *in = *out = 0;
    if (comm != MPI_COMM_NULL)
        PMPI_Topo_test(comm, &kind);
    if (kind == MPI_DIST_GRAPH) {
        PMPI_Dist_graph_neighbors_count(comm, in, out, &weighted);
    } else if (kind == MPI_GRAPH) {
        PMPI_Comm_rank(comm, &rank);
        PMPI_Graph_neighbors_count(comm, rank, in);
        *out = *in;
    } else if (kind == MPI_CART)
        *in = *out = 2 * mpif_cart_dims(comm);
}

int mpif_in_neighbours(MPI_Comm comm)
{
    int in, out;

    neighbours(comm, &in, &out);
    return in;
}

int mpif_out_neighbours(MPI_Comm comm)
{
    int in, out;

    neighbours(comm, &in, &out);
    return out;
}

