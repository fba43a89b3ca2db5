/* A distributed graph whose edges any rank may have given: each edge is told to its two ends. */
#include <stdlib.h>

#include "coll/coll.h"
#include "core/err.h"
#include "mpi/args.h"
#include "mpi/dist_graph.h"
#include "mpi/topo_args.h"
#include "mpi/topo_make.h"
#include "mpi/weak_alias.h"

/* What this rank has given: degrees[i] edges from sources[i], whose ends follow each other. */
struct given { int n; const int *sources, *degrees, *ends, *weights; int edges; };

struct edge { int source, end, weight; };

/* What a rank says of weights.  One without edges may pass NULL, which says nothing. */
enum { WEIGHTS_NOTHING_SAID, WEIGHTS_NONE, WEIGHTS_GIVEN };

/* What goes to a rank, or comes from it, at first: how many edges follow, and of weights. */
struct heading { int edges, weights; };

/* One direction of the exchange: the edges for, or from, each rank behind each other. */
struct mail { struct heading *heading; int *count, *at, all; struct edge *edge; };

static int check_given(const char *call, struct mpi_comm *c, struct given *g)
{
    if (g->n < 0)
        return mpi_err(c, call, MPI_ERR_ARG, "the number of sources is %d", g->n);
    int rc = mpi_check_members(call, c, g->sources, g->n, "source");
    if (!rc)
        rc = mpi_check_numbers(call, c, g->degrees, g->n, "the degrees");
    for (int i = 0; !rc && i < g->n; i++)
        if (g->degrees[i] < 0 || __builtin_add_overflow(g->edges, g->degrees[i], &g->edges))
            rc = mpi_err(c, call, MPI_ERR_ARG, "degree %d is %d", i, g->degrees[i]);
    if (!rc)
        rc = mpi_check_members(call, c, g->ends, g->edges, "destination");
    return rc ? rc : mpi_check_weights(call, c, g->weights, g->edges);
}

/* -- the exchange */

static void mail_free(const struct mail *m)
{
    free(m->heading);
    free(m->count);
    free(m->edge);
}

/* The first of the counted edges goes to the rank's first place. */
static bool mail_room(struct mpi_coll *x, struct mail *m)
{
    m->count = mpi_coll_memory(x, 2 * sizeof *m->count * (size_t)x->size);
    m->at = m->count ? m->count + x->size : NULL;
    m->all = 0;
    for (int i = 0; m->at && i < x->size; i++) {
        m->count[i] = m->heading[i].edges;
        m->at[i] = m->all;
        m->all += m->count[i];
    }
    m->edge = m->at ? mpi_coll_memory(x, sizeof *m->edge * (size_t)m->all) : NULL;
    return m->edge != NULL;
}

/* Both ends get it, a rank that is both once. */
static void count_edge(struct mail *out, struct edge e)
{
    out->heading[e.source].edges++;
    out->heading[e.end].edges += e.end != e.source;
}

static void place_edge(struct mail *out, struct edge e)
{
    out->edge[out->at[e.source]++] = e;
    if (e.end != e.source)
        out->edge[out->at[e.end]++] = e;
}

static void for_each(const struct given *g, struct mail *out, void (*visit)(struct mail *,
                                                                            struct edge))
{
    bool weighted = g->weights != MPI_UNWEIGHTED;
    for (int i = 0, k = 0; i < g->n; i++)
        for (int last = k + g->degrees[i]; k < last; k++)
            visit(out, (struct edge){ g->sources[i], g->ends[k], weighted ? g->weights[k] : 1 });
}

static void swap(struct mpi_coll *x, const struct mpi_blocks *out, const struct mpi_blocks *in)
{
    mpi_coll_run(x, &(struct mpi_coll_plan){ .call = x->call, .c = x->c, .send = out, .recv = in,
                                             .kind = MPI_COLL_ALLTOALL });
}

static int said_of_weights(const int *weights)
{
    return !weights ? WEIGHTS_NOTHING_SAID
        : weights == MPI_UNWEIGHTED ? WEIGHTS_NONE : WEIGHTS_GIVEN;
}

static void swap_headings(struct mpi_coll *x, const struct given *g, struct mail *out,
                          struct mail *in)
{
    size_t bytes = sizeof *out->heading * (size_t)x->size;
    out->heading = mpi_coll_memory(x, bytes);
    in->heading = mpi_coll_memory(x, bytes);
    if (!out->heading || !in->heading)
        return;
    for (int i = 0; i < x->size; i++)
        out->heading[i] = (struct heading){ 0, said_of_weights(g->weights) };
    for_each(g, out, count_edge);
    swap(x, &(struct mpi_blocks){ .buf = out->heading, .count = 1, .unit = sizeof *out->heading },
         &(struct mpi_blocks){ .buf = in->heading, .count = 1, .unit = sizeof *in->heading });
}

static struct mpi_blocks blocks_of(const struct mail *m)
{
    return (struct mpi_blocks){ .buf = m->edge, .counts = MPI_NUMBERS(m->count),
                                .displs = MPI_NUMBERS(m->at), .unit = sizeof *m->edge };
}

static void swap_edges(struct mpi_coll *x, const struct given *g, struct mail *out, struct mail *in)
{
    if (x->class || !mail_room(x, out) || !mail_room(x, in))
        return;
    for_each(g, out, place_edge);
    for (int i = 0; i < x->size; i++)
        out->at[i] -= out->count[i];
    struct mpi_blocks send = blocks_of(out), recv = blocks_of(in);
    swap(x, &send, &recv);
}

/* All edges of this rank; the error is raised. */
static int exchange(const char *call, struct mpi_comm *c, const struct given *g, struct mail *in)
{
    struct mail out = { .heading = NULL };
    struct mpi_coll x;
    mpi_coll_begin(&x, call, c);
    mpi_coll_set_fingerprint(&x, MPI_COLL_COMM, 0, MPI_MADE_DIST_GRAPH);
    swap_headings(&x, g, &out, in);
    swap_edges(&x, g, &out, in);
    int rc = mpi_coll_end(&x);
    if (!x.abandoned)           /* else somebody may still read it */
        mail_free(&out);
    return rc;
}

/* -- the graph */

static void add(int *ranks, int *weights, int *count, int rank, int weight)
{
    if (ranks)
        ranks[*count] = rank;
    if (weights)
        weights[*count] = weight;
    ++*count;
}

/* Sorts the edges into those that enter and those that leave; t NULL: only counts them. */
static void sort(const struct mail *in, int rank, struct mpi_topo *t, int *enter, int *leave)
{
    *enter = *leave = 0;
    for (int i = 0; i < in->all; i++) {
        const struct edge *e = &in->edge[i];
        if (e->end == rank)
            add(t ? t->source : NULL, t ? t->source_weight : NULL, enter, e->source, e->weight);
        if (e->source == rank)
            add(t ? t->dest : NULL, t ? t->dest_weight : NULL, leave, e->end, e->weight);
    }
}

/* Only MPI_UNWEIGHTED makes a graph without weights. */
static bool has_weights(const struct mpi_comm *c, const struct mail *in)
{
    bool none = false;
    for (int i = 0; i < c->size; i++) {
        if (in->heading[i].weights == WEIGHTS_GIVEN)
            return true;
        none = none || in->heading[i].weights == WEIGHTS_NONE;
    }
    return !none;
}

/* NULL: no memory. */
static struct mpi_topo *graph_of(const struct mpi_comm *c, const struct mail *in)
{
    const bool weighted = has_weights(c, in);
    int enter, leave;
    sort(in, c->rank, NULL, &enter, &leave);
    struct mpi_topo *t = mpi_topo_new_dist_graph(enter, leave, weighted);
    if (t)
        sort(in, c->rank, t, &enter, &leave);
    return t;
}

static int make(struct mpi_comm *c, const struct mpi_comm_origin *from, const struct given *g,
                MPI_Comm *made)
{
    const struct mpi_members m = { .rank = c->rank, .size = c->size };
    struct mail in = { .heading = NULL };
    int rc = exchange(from->call, c, g, &in);
    if (!rc)
        rc = mpi_topo_make(c, from, &m, graph_of(c, &in), made);
    mail_free(&in);
    return rc;
}

int PMPI_Dist_graph_create(MPI_Comm comm_old, int n, const int sources[], const int degrees[],
                           const int destinations[], const int weights[], MPI_Info info,
                           int reorder, MPI_Comm *comm_dist_graph)
{
    const struct mpi_comm_origin from = {
        .call = "MPI_Dist_graph_create", .maker = MPI_MADE_DIST_GRAPH,
        .caller = __builtin_return_address(0),
    };
    struct given g = { .n = n, .sources = sources, .degrees = degrees, .ends = destinations,
                       .weights = weights };
    struct mpi_comm *c;
    (void)reorder;
    MPI_ENTER(from.call);
    int rc = mpi_check_graph_call(from.call, comm_old, info, comm_dist_graph, &c);
    if (!rc)
        rc = check_given(from.call, c, &g);
    return rc ? rc : make(c, &from, &g, comm_dist_graph);
}
MPI_WEAK_ALIAS(Dist_graph_create);
