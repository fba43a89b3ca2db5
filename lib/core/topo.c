/* Process topologies, and the arithmetic of grids. */
#include "core/topo.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mpi.h"

static struct mpi_topo *topo_new(int kind, size_t numbers)
{
    if (numbers > (SIZE_MAX / 2 - sizeof(struct mpi_topo)) / sizeof(int))
        return NULL;
    struct mpi_topo *t = calloc(1, sizeof *t + numbers * sizeof(int));
    if (!t)
        return NULL;
    atomic_init(&t->users, 1);
    t->kind = kind;
    return t;
}

struct mpi_topo *mpi_topo_hold(struct mpi_topo *t)
{
    if (t)
        atomic_fetch_add_explicit(&t->users, 1, memory_order_relaxed);
    return t;
}

void mpi_topo_drop(struct mpi_topo *t)
{
    /* acq_rel: what other users have read comes before the memory's end here */
    if (t && atomic_fetch_sub_explicit(&t->users, 1, memory_order_acq_rel) == 1)
        free(t);
}

/* -- grids */

int mpi_grid_places(int ndims, const int *dims)
{
    int places = 1;
    for (int i = 0; i < ndims; i++)
        if (__builtin_mul_overflow(places, dims[i], &places))
            return -1;
    return places;
}

int mpi_grid_rank(const struct mpi_grid *g, const int *coords)
{
    int rank = 0;
    for (int i = 0; i < g->ndims; i++)
        rank = rank * g->dims[i] + coords[i];
    return rank;
}

void mpi_grid_coords(const struct mpi_grid *g, int rank, int *coords)
{
    for (int i = g->ndims - 1; i >= 0; i--) {
        coords[i] = rank % g->dims[i];
        rank /= g->dims[i];
    }
}

static int wrap(const struct mpi_grid *g, int dim, long long coordinate)
{
    int size = g->dims[dim];
    if (coordinate >= 0 && coordinate < size)
        return (int)coordinate;
    if (!g->periods[dim])
        return -1;
    return (int)((coordinate % size + size) % size);
}

int mpi_grid_wrap(const struct mpi_grid *g, int dim, int coordinate)
{
    return wrap(g, dim, coordinate);
}

int mpi_grid_neighbour(const struct mpi_grid *g, int rank, int dim, long long steps)
{
    int stride = 1;
    for (int i = dim + 1; i < g->ndims; i++)
        stride *= g->dims[i];
    int from = rank / stride % g->dims[dim], to = wrap(g, dim, from + steps);
    return to < 0 ? MPI_PROC_NULL : rank + (to - from) * stride;
}

struct mpi_topo *mpi_topo_new_grid(int ndims, const int *dims, const int *periods, int rank)
{
    size_t n = (size_t)ndims;
    struct mpi_topo *t = topo_new(MPI_CART, 5 * n);
    if (!t)
        return NULL;
    int *p = t->numbers;
    t->grid = (struct mpi_grid){ .ndims = ndims, .dims = p, .periods = p + n,
                                 .coords = p + 2 * n };
    t->in = t->out = 2 * ndims;
    t->source = t->dest = p + 3 * n;
    for (int i = 0; i < ndims; i++) {
        t->grid.dims[i] = dims[i];
        t->grid.periods[i] = periods[i] != 0;
    }
    mpi_grid_coords(&t->grid, rank, t->grid.coords);
    for (int i = 0; i < ndims; i++) {
        t->dest[2 * i] = mpi_grid_neighbour(&t->grid, rank, i, -1);
        t->dest[2 * i + 1] = mpi_grid_neighbour(&t->grid, rank, i, 1);
    }
    return t;
}

/* -- graphs */

struct mpi_topo *mpi_topo_new_graph(int nnodes, const int *index, const int *edges, int rank)
{
    int nedges = nnodes ? index[nnodes - 1] : 0;
    struct mpi_topo *t = topo_new(MPI_GRAPH, (size_t)nnodes + (size_t)nedges);
    if (!t)
        return NULL;
    struct mpi_graph *g = &t->graph;
    *g = (struct mpi_graph){ .nnodes = nnodes, .nedges = nedges, .index = t->numbers,
                             .edges = t->numbers + nnodes };
    if (nnodes)
        memcpy(g->index, index, (size_t)nnodes * sizeof *index);
    if (nedges)
        memcpy(g->edges, edges, (size_t)nedges * sizeof *edges);
    t->in = t->out = mpi_graph_degree(g, rank);
    t->source = t->dest = (int *)(uintptr_t)mpi_graph_edges(g, rank);
    return t;
}

struct mpi_topo *mpi_topo_new_dist_graph(int in, int out, bool weighted)
{
    size_t sources = (size_t)in, dests = (size_t)out;
    struct mpi_topo *t = topo_new(MPI_DIST_GRAPH, (sources + dests) * (weighted ? 2 : 1));
    if (!t)
        return NULL;
    t->weighted = weighted;
    t->in = in;
    t->out = out;
    t->source = t->numbers;
    t->dest = t->source + sources;
    if (weighted) {
        t->source_weight = t->dest + dests;
        t->dest_weight = t->source_weight + sources;
    }
    return t;
}
