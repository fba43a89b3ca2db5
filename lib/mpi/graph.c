/* Graphs that all ranks know: communicators made with one, and what a program asks about it. */
#include <string.h>

#include "core/err.h"
#include "core/world.h"
#include "mpi/args.h"
#include "mpi/topo_args.h"
#include "mpi/topo_make.h"
#include "mpi/weak_alias.h"

/* -- making one */

static int check_index(const char *call, struct mpi_comm *c, int nnodes, const int *index)
{
    for (int i = 0; i < nnodes; i++)
        if (index[i] < (i ? index[i - 1] : 0))
            return mpi_err(c, call, MPI_ERR_ARG, "index %d is %d, less than the one before", i,
                           index[i]);
    return MPI_SUCCESS;
}

static int check_edges(const char *call, struct mpi_comm *c, int nnodes, const int *index,
                       const int *edges)
{
    int rc = check_index(call, c, nnodes, index);
    int nedges = nnodes && !rc ? index[nnodes - 1] : 0;
    if (!rc)
        rc = mpi_check_numbers(call, c, edges, nedges, "the edges");
    for (int i = 0; !rc && i < nedges; i++)
        if (edges[i] < 0 || edges[i] >= nnodes)
            rc = mpi_err(c, call, MPI_ERR_RANK, "edge %d leads to %d, which is not in 0..%d", i,
                         edges[i], nnodes - 1);
    return rc;
}

static int check(const char *call, MPI_Comm comm, int nnodes, const int *index, const int *edges,
                 const void *result, struct mpi_comm **c)
{
    int rc = mpi_check_intra(call, comm, c);
    if (!rc)
        rc = mpi_check_numbers(call, *c, result, 1, "the result");
    if (!rc && (nnodes < 0 || nnodes > (*c)->size))
        rc = mpi_err(*c, call, MPI_ERR_ARG, "the number of nodes is %d, that of ranks %d", nnodes,
                     (*c)->size);
    if (!rc)
        rc = mpi_check_numbers(call, *c, index, nnodes, "the index");
    return rc ? rc : check_edges(call, *c, nnodes, index, edges);
}

int PMPI_Graph_create(MPI_Comm comm_old, int nnodes, const int index[], const int edges[],
                      int reorder, MPI_Comm *comm_graph)
{
    const struct mpi_comm_origin from = {
        .call = "MPI_Graph_create", .maker = MPI_MADE_GRAPH,
        .caller = __builtin_return_address(0),
    };
    struct mpi_comm *c;
    (void)reorder;              /* the order that it has is as good as any */
    MPI_ENTER(from.call);
    int rc = check(from.call, comm_old, nnodes, index, edges, comm_graph, &c);
    if (rc)
        return rc;
    struct mpi_members m = { .rank = mpi_first_member(c, nnodes), .size = nnodes };
    struct mpi_topo *t = m.rank == MPI_UNDEFINED ? NULL
                         : mpi_topo_new_graph(nnodes, index, edges, m.rank);
    return mpi_topo_make(c, &from, &m, t, comm_graph);
}
MPI_WEAK_ALIAS(Graph_create);

int PMPI_Graph_map(MPI_Comm comm, int nnodes, const int index[], const int edges[], int *newrank)
{
    struct mpi_comm *c;
    MPI_ENTER("MPI_Graph_map");
    int rc = check("MPI_Graph_map", comm, nnodes, index, edges, newrank, &c);
    if (!rc)
        *newrank = mpi_first_member(c, nnodes);
    return rc;
}
MPI_WEAK_ALIAS(Graph_map);

/* -- questions */

int PMPI_Graphdims_get(MPI_Comm comm, int *nnodes, int *nedges)
{
    const char *call = "MPI_Graphdims_get";
    const struct mpi_topo *t;
    struct mpi_comm *c;
    MPI_ENTER(call);
    int rc = mpi_check_topo(call, comm, MPI_GRAPH, &c, &t);
    if (!rc)
        rc = mpi_check_numbers(call, c, nnodes ? nedges : NULL, 1, "a result");
    if (rc)
        return rc;
    *nnodes = t->graph.nnodes;
    *nedges = t->graph.nedges;
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Graphdims_get);

static void copy(int *to, const int *from, int count)
{
    if (count)
        memcpy(to, from, (size_t)count * sizeof *to);
}

int PMPI_Graph_get(MPI_Comm comm, int maxindex, int maxedges, int index[], int edges[])
{
    const char *call = "MPI_Graph_get";
    const struct mpi_topo *t;
    struct mpi_comm *c;
    MPI_ENTER(call);
    int rc = mpi_check_topo(call, comm, MPI_GRAPH, &c, &t);
    if (!rc)
        rc = mpi_check_room(call, c, maxindex, t->graph.nnodes, "nodes");
    if (!rc)
        rc = mpi_check_room(call, c, maxedges, t->graph.nedges, "edges");
    if (!rc)
        rc = mpi_check_numbers(call, c, index, t->graph.nnodes, "the index");
    if (!rc)
        rc = mpi_check_numbers(call, c, edges, t->graph.nedges, "the edges");
    if (rc)
        return rc;
    copy(index, t->graph.index, t->graph.nnodes);
    copy(edges, t->graph.edges, t->graph.nedges);
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Graph_get);

static int check_node(const char *call, MPI_Comm comm, int rank, struct mpi_comm **c,
                      const struct mpi_topo **t)
{
    int rc = mpi_check_topo(call, comm, MPI_GRAPH, c, t);
    return rc ? rc : mpi_check_member(call, *c, rank, "rank");
}

int PMPI_Graph_neighbors_count(MPI_Comm comm, int rank, int *nneighbors)
{
    const char *call = "MPI_Graph_neighbors_count";
    const struct mpi_topo *t;
    struct mpi_comm *c;
    MPI_ENTER(call);
    int rc = check_node(call, comm, rank, &c, &t);
    if (!rc)
        rc = mpi_check_numbers(call, c, nneighbors, 1, "the result");
    if (!rc)
        *nneighbors = mpi_graph_degree(&t->graph, rank);
    return rc;
}
MPI_WEAK_ALIAS(Graph_neighbors_count);

int PMPI_Graph_neighbors(MPI_Comm comm, int rank, int maxneighbors, int neighbors[])
{
    const char *call = "MPI_Graph_neighbors";
    const struct mpi_topo *t;
    struct mpi_comm *c;
    MPI_ENTER(call);
    int rc = check_node(call, comm, rank, &c, &t);
    int n = rc ? 0 : mpi_graph_degree(&t->graph, rank);
    if (!rc)
        rc = mpi_check_room(call, c, maxneighbors, n, "neighbours");
    if (!rc)
        rc = mpi_check_numbers(call, c, neighbors, n, "the neighbours");
    if (!rc)
        copy(neighbors, mpi_graph_edges(&t->graph, rank), n);
    return rc;
}
MPI_WEAK_ALIAS(Graph_neighbors);
