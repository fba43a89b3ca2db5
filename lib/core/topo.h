/* Process topologies: who is whose neighbour in a communicator. */
#ifndef MPI_TOPO_H
#define MPI_TOPO_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* A grid: dimension 0 varies slowest. */
struct mpi_grid {
    int ndims;
    int *dims, *periods;        /* periods: 0 or 1 */
    int *coords;                /* of this rank */
};

/* A graph that all ranks know as a whole. */
struct mpi_graph {
    int nnodes, nedges;
    int *index, *edges;         /* index[i]: end of the edges of rank i */
};

/* Immutable once its communicator is there, and shared by the duplicates of that. */
struct mpi_topo {
    _Atomic int users;
    int kind;                   /* MPI_CART, MPI_GRAPH or MPI_DIST_GRAPH */
    union {
        struct mpi_grid grid;
        struct mpi_graph graph;
        bool weighted;          /* of MPI_DIST_GRAPH */
    };
    /* This rank's neighbours as neighbourhood collectives go through them; MPI_PROC_NULL at the
     * open ends of a grid. */
    int in, out;
    int *source, *dest;
    int *source_weight, *dest_weight;       /* weighted */
    int numbers[];              /* what the pointers point to */
};

/* With copies of dims and periods, and the neighbours of `rank`.  NULL: no memory. */
struct mpi_topo *mpi_topo_new_grid(int ndims, const int *dims, const int *periods, int rank);
/* The same for a graph. */
struct mpi_topo *mpi_topo_new_graph(int nnodes, const int *index, const int *edges, int rank);
/* Room for so many neighbours, which the caller sets. */
struct mpi_topo *mpi_topo_new_dist_graph(int in, int out, bool weighted);

struct mpi_topo *mpi_topo_hold(struct mpi_topo *topo);
/* NULL is accepted. */
void mpi_topo_drop(struct mpi_topo *topo);

/* -- grids */

/* How many places it has; -1: more than an int holds. */
int mpi_grid_places(int ndims, const int *dims);
/* The place of coordinates that are in range. */
int mpi_grid_rank(const struct mpi_grid *grid, const int *coords);
void mpi_grid_coords(const struct mpi_grid *grid, int rank, int *coords);
/* `coordinate` of a dimension moved into its range; -1: outside, where it is not periodic. */
int mpi_grid_wrap(const struct mpi_grid *grid, int dim, int coordinate);
/* The rank `steps` further along a dimension; MPI_PROC_NULL: none. */
int mpi_grid_neighbour(const struct mpi_grid *grid, int rank, int dim, long long steps);

/* -- graphs */

static inline int mpi_graph_degree(const struct mpi_graph *g, int rank)
{
    return g->index[rank] - (rank ? g->index[rank - 1] : 0);
}

static inline const int *mpi_graph_edges(const struct mpi_graph *g, int rank)
{
    return g->edges + (rank ? g->index[rank - 1] : 0);
}

#endif
