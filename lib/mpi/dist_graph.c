/* Distributed graphs whose edges each rank has given, and what a program asks about them. */
#include <string.h>

#include "core/err.h"
#include "core/info.h"
#include "core/world.h"
#include "mpi/args.h"
#include "mpi/dist_graph.h"
#include "mpi/topo_args.h"
#include "mpi/topo_make.h"
#include "mpi/weak_alias.h"

/* -- checks that both ways of making one share */

int mpi_check_weights(const char *call, struct mpi_comm *c, const int *weights, int count)
{
    if (weights == MPI_UNWEIGHTED)
        return MPI_SUCCESS;
    if (weights == MPI_WEIGHTS_EMPTY && count)
        return mpi_err(c, call, MPI_ERR_ARG, "MPI_WEIGHTS_EMPTY stands for %d weight%s", count,
                       count == 1 ? "" : "s");
    int rc = mpi_check_numbers(call, c, weights, count, "the weights");
    for (int i = 0; !rc && i < count; i++)
        if (weights[i] < 0)
            rc = mpi_err(c, call, MPI_ERR_ARG, "weight %d is %d", i, weights[i]);
    return rc;
}

int mpi_check_members(const char *call, struct mpi_comm *c, const int *ranks, int count,
                      const char *what)
{
    int rc = mpi_check_numbers(call, c, ranks, count, "the ranks");
    for (int i = 0; !rc && i < count; i++)
        rc = mpi_check_member(call, c, ranks[i], what);
    return rc;
}

int mpi_check_graph_call(const char *call, MPI_Comm comm, MPI_Info info, const void *result,
                         struct mpi_comm **c)
{
    int rc = mpi_check_intra(call, comm, c);
    if (!rc)
        rc = mpi_check_numbers(call, *c, result, 1, "the result");
    if (!rc && !mpi_info_valid(info))
        rc = mpi_err(*c, call, MPI_ERR_INFO, "%p is no info object", (void *)info);
    return rc;
}

/* -- each rank gives its own edges */

/* One side: this rank's edges from others, or to others. */
struct side { int degree; const int *ranks, *weights; };

static int check_side(const char *call, struct mpi_comm *c, const struct side *s, const char *what)
{
    if (s->degree < 0)
        return mpi_err(c, call, MPI_ERR_ARG, "the number of edges is %d", s->degree);
    int rc = mpi_check_members(call, c, s->ranks, s->degree, what);
    return rc ? rc : mpi_check_weights(call, c, s->weights, s->degree);
}

static void copy(int *to, const int *from, int count)
{
    if (count > 0)
        memcpy(to, from, (size_t)count * sizeof *to);
}

/* NULL: no memory. */
static struct mpi_topo *adjacent(const struct side *in, const struct side *out)
{
    bool weighted = in->weights != MPI_UNWEIGHTED;
    struct mpi_topo *t = mpi_topo_new_dist_graph(in->degree, out->degree, weighted);
    if (!t)
        return NULL;
    copy(t->source, in->ranks, in->degree);
    copy(t->dest, out->ranks, out->degree);
    if (weighted) {
        copy(t->source_weight, in->weights, in->degree);
        copy(t->dest_weight, out->weights, out->degree);
    }
    return t;
}

int PMPI_Dist_graph_create_adjacent(MPI_Comm comm_old, int indegree, const int sources[],
                                    const int sourceweights[], int outdegree,
                                    const int destinations[], const int destweights[],
                                    MPI_Info info, int reorder, MPI_Comm *comm_dist_graph)
{
    const struct mpi_comm_origin from = {
        .call = "MPI_Dist_graph_create_adjacent", .maker = MPI_MADE_DIST_GRAPH,
        .caller = __builtin_return_address(0),
    };
    const struct side in = { indegree, sources, sourceweights };
    const struct side out = { outdegree, destinations, destweights };
    struct mpi_comm *c;
    (void)reorder;
    MPI_ENTER(from.call);
    int rc = mpi_check_graph_call(from.call, comm_old, info, comm_dist_graph, &c);
    if (!rc)
        rc = check_side(from.call, c, &in, "source");
    if (!rc)
        rc = check_side(from.call, c, &out, "destination");
    if (!rc && (sourceweights == MPI_UNWEIGHTED) != (destweights == MPI_UNWEIGHTED))
        rc = mpi_err(c, from.call, MPI_ERR_ARG, "only one side is MPI_UNWEIGHTED");
    if (rc)
        return rc;
    struct mpi_members m = { .rank = c->rank, .size = c->size };
    return mpi_topo_make(c, &from, &m, adjacent(&in, &out), comm_dist_graph);
}
MPI_WEAK_ALIAS(Dist_graph_create_adjacent);

/* -- questions */

int PMPI_Dist_graph_neighbors_count(MPI_Comm comm, int *indegree, int *outdegree, int *weighted)
{
    const char *call = "MPI_Dist_graph_neighbors_count";
    const struct mpi_topo *t;
    struct mpi_comm *c;
    MPI_ENTER(call);
    int rc = mpi_check_topo(call, comm, MPI_DIST_GRAPH, &c, &t);
    if (!rc)
        rc = mpi_check_numbers(call, c, indegree && outdegree ? weighted : NULL, 1, "a result");
    if (rc)
        return rc;
    *indegree = t->in;
    *outdegree = t->out;
    *weighted = t->weighted;
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Dist_graph_neighbors_count);

/* As many of the neighbours, and of their weights, as there is room for. */
static int tell(const char *call, struct mpi_comm *c, int room, int degree, const int *ranks,
                const int *weights, int *to, int *to_weights)
{
    int n = room < degree ? room : degree;
    if (n < 0)
        return mpi_err(c, call, MPI_ERR_ARG, "there is room for %d neighbours", room);
    int rc = mpi_check_numbers(call, c, to, n, "the neighbours");
    if (rc)
        return rc;
    copy(to, ranks, n);
    if (weights && to_weights && to_weights != MPI_UNWEIGHTED && to_weights != MPI_WEIGHTS_EMPTY)
        copy(to_weights, weights, n);
    return MPI_SUCCESS;
}

int PMPI_Dist_graph_neighbors(MPI_Comm comm, int maxindegree, int sources[], int sourceweights[],
                              int maxoutdegree, int destinations[], int destweights[])
{
    const char *call = "MPI_Dist_graph_neighbors";
    const struct mpi_topo *t;
    struct mpi_comm *c;
    MPI_ENTER(call);
    int rc = mpi_check_topo(call, comm, MPI_DIST_GRAPH, &c, &t);
    if (!rc)
        rc = tell(call, c, maxindegree, t->in, t->source, t->source_weight, sources,
                  sourceweights);
    if (!rc)
        rc = tell(call, c, maxoutdegree, t->out, t->dest, t->dest_weight, destinations,
                  destweights);
    return rc;
}
MPI_WEAK_ALIAS(Dist_graph_neighbors);
