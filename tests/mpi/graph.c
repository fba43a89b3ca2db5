/* Random graphs, known to all ranks or in parts: each rank is told its own edges, with their
 * weights, whoever has given them; a duplicate keeps them. */
#include <limits.h>

#include "t.h"

enum { ROUNDS = 25, DEGREE_MAX = 4, EDGES_MAX = 17 * DEGREE_MAX };

/* -- graphs that all ranks know */

struct graph { int nodes, index[17], edge[EDGES_MAX]; };

static struct graph random_graph(uint32_t *seed)
{
    struct graph g = { .nodes = (int)(t_random(seed) % (unsigned)(t_size + 1)) };

    for (int i = 0, n = 0; i < g.nodes; i++) {
        for (int degree = (int)(t_random(seed) % (DEGREE_MAX + 1)); degree > 0; degree--)
            g.edge[n++] = (int)(t_random(seed) % (unsigned)g.nodes);
        g.index[i] = n;
    }
    return g;
}

static void check_node(MPI_Comm comm, const struct graph *g, int node)
{
    int first = node ? g->index[node - 1] : 0, degree = g->index[node] - first, n;
    int neighbour[DEGREE_MAX + 1] = { 0 };

    OK(MPI_Graph_neighbors_count(comm, node, &n));
    SAME(n, degree);
    neighbour[degree] = -77;
    OK(MPI_Graph_neighbors(comm, node, degree, neighbour));
    for (int i = 0; i < degree; i++)
        SAME(neighbour[i], g->edge[first + i]);
    SAME(neighbour[degree], -77);
    if (degree)
        CLASS(MPI_Graph_neighbors(comm, node, degree - 1, neighbour), MPI_ERR_ARG);
}

static void check_graph(MPI_Comm comm, const struct graph *g)
{
    int nodes, edges, kind, size, index[17], edge[EDGES_MAX], all = g->index[g->nodes - 1];

    OK(MPI_Comm_size(comm, &size));
    SAME(size, g->nodes);
    OK(MPI_Topo_test(comm, &kind));
    SAME(kind, MPI_GRAPH);
    OK(MPI_Graphdims_get(comm, &nodes, &edges));
    SAME(nodes, g->nodes);
    SAME(edges, all);
    OK(MPI_Graph_get(comm, nodes, edges, index, edge));
    CHECK(!memcmp(index, g->index, sizeof *index * (size_t)nodes));
    CHECK(!memcmp(edge, g->edge, sizeof *edge * (size_t)edges));
    CLASS(MPI_Graph_get(comm, nodes - 1, edges, index, edge), MPI_ERR_ARG);
    for (int i = 0; i < nodes; i++)
        check_node(comm, g, i);
    CLASS(MPI_Graph_neighbors_count(comm, nodes, &edges), MPI_ERR_RANK);
    CLASS(MPI_Graph_neighbors(comm, -1, edges, edge), MPI_ERR_RANK);
    CLASS(MPI_Cartdim_get(comm, &edges), MPI_ERR_TOPOLOGY);
}

static void known_graph(uint32_t *seed, int reorder)
{
    struct graph g = random_graph(seed);
    MPI_Comm comm, copy;
    int place, rank;

    OK(MPI_Graph_create(MPI_COMM_WORLD, g.nodes, g.index, g.edge, reorder, &comm));
    OK(MPI_Graph_map(MPI_COMM_WORLD, g.nodes, g.index, g.edge, &place));
    if (comm == MPI_COMM_NULL) {
        CHECK(t_rank >= g.nodes && place == MPI_UNDEFINED);
        return;
    }
    OK(MPI_Comm_rank(comm, &rank));
    SAME(rank, reorder ? place : t_rank);
    check_graph(comm, &g);
    OK(MPI_Comm_dup(comm, &copy));
    OK(MPI_Comm_free(&comm));
    check_graph(copy, &g);
    OK(MPI_Comm_free(&copy));
}

/* -- distributed graphs: a list of edges that all ranks of the test know */

struct edge { int from, to, weight, giver; };
struct edges { int n; struct edge edge[EDGES_MAX]; };

static struct edges random_edges(uint32_t *seed)
{
    struct edges e = { .n = (int)(t_random(seed) % (unsigned)(t_size * 3 + 1)) };

    for (int i = 0; i < e.n; i++)
        e.edge[i] = (struct edge){ (int)(t_random(seed) % (unsigned)t_size),
                                   (int)(t_random(seed) % (unsigned)t_size),
                                   (int)(t_random(seed) % 100),
                                   (int)(t_random(seed) % (unsigned)t_size) };
    return e;
}

/* The other ends of this rank's edges, and their weights, in the list's order. */
static int mine(const struct edges *e, int enter, int *rank, int *weight)
{
    int n = 0;

    for (int i = 0; i < e->n; i++)
        if ((enter ? e->edge[i].to : e->edge[i].from) == t_rank) {
            rank[n] = enter ? e->edge[i].from : e->edge[i].to;
            weight[n++] = e->edge[i].weight;
        }
    return n;
}

static int by_value(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* The same edges, in any order. */
static void same_edges(const int *rank, const int *weight, const int *want, const int *want_weight,
                       int n)
{
    int got[EDGES_MAX], wanted[EDGES_MAX];

    for (int i = 0; i < n; i++) {
        got[i] = rank[i] * 1000 + (want_weight ? weight[i] : 0);
        wanted[i] = want[i] * 1000 + (want_weight ? want_weight[i] : 0);
    }
    qsort(got, (size_t)n, sizeof *got, by_value);
    qsort(wanted, (size_t)n, sizeof *wanted, by_value);
    for (int i = 0; i < n; i++)
        SAME(got[i], wanted[i]);
}

static void check_edges(MPI_Comm comm, const struct edges *e, int weighted, int in_order)
{
    int source[EDGES_MAX], dest[EDGES_MAX], sw[EDGES_MAX], dw[EDGES_MAX], kind;
    int s[EDGES_MAX], d[EDGES_MAX], a[EDGES_MAX], b[EDGES_MAX], in, out, has_weights;
    int enter = mine(e, 1, source, sw), leave = mine(e, 0, dest, dw);

    OK(MPI_Topo_test(comm, &kind));
    SAME(kind, MPI_DIST_GRAPH);
    OK(MPI_Dist_graph_neighbors_count(comm, &in, &out, &has_weights));
    SAME(in, enter);
    SAME(out, leave);
    SAME(has_weights, weighted);
    OK(MPI_Dist_graph_neighbors(comm, in, s, weighted ? a : MPI_UNWEIGHTED, out, d,
                                weighted ? b : MPI_UNWEIGHTED));
    same_edges(s, a, source, weighted ? sw : NULL, in);
    same_edges(d, b, dest, weighted ? dw : NULL, out);
    if (in_order) {
        CHECK(!memcmp(s, source, sizeof *s * (size_t)in));
        CHECK(!memcmp(d, dest, sizeof *d * (size_t)out));
    }
    if (in > 1) {               /* as many as there is room for */
        int first = s[0], second = s[1] = -5;
        OK(MPI_Dist_graph_neighbors(comm, 1, s, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED));
        CHECK(s[0] == first && s[1] == second);
    }
    OK(MPI_Dist_graph_neighbors(comm, in, s, MPI_WEIGHTS_EMPTY, out, d, NULL)); /* nor wants any */
    same_edges(s, a, source, NULL, in);
    CLASS(MPI_Dist_graph_neighbors(comm, -1, s, MPI_UNWEIGHTED, out, d, MPI_UNWEIGHTED),
          MPI_ERR_ARG);
    CLASS(MPI_Dist_graph_neighbors(comm, in, s, MPI_UNWEIGHTED, -1, d, MPI_UNWEIGHTED),
          MPI_ERR_ARG);
    if (out > 0)
        CLASS(MPI_Dist_graph_neighbors(comm, 0, NULL, NULL, out, NULL, NULL), MPI_ERR_ARG);
}

static void adjacent(const struct edges *e, int weighted)
{
    int source[EDGES_MAX], dest[EDGES_MAX], sw[EDGES_MAX], dw[EDGES_MAX];
    int in = mine(e, 1, source, sw), out = mine(e, 0, dest, dw);
    const int *in_weights = in ? sw : MPI_WEIGHTS_EMPTY, *out_weights = out ? dw : NULL;
    MPI_Comm comm, copy;

    OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, source,
                                      weighted ? in_weights : MPI_UNWEIGHTED, out, dest,
                                      weighted ? out_weights : MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                      &comm));
    check_edges(comm, e, weighted, 1);
    OK(MPI_Comm_dup(comm, &copy));
    OK(MPI_Comm_free(&comm));
    check_edges(copy, e, weighted, 1);
    OK(MPI_Comm_free(&copy));
}

/* Each rank gives those that are its to give: edges of one source together where they follow each
 * other. */
static void distributed(const struct edges *e, int weighted)
{
    int source[EDGES_MAX], degree[EDGES_MAX], end[EDGES_MAX], weight[EDGES_MAX], n = 0, all = 0;
    MPI_Comm comm;
    MPI_Info info;

    for (int i = 0; i < e->n; i++) {
        const struct edge *g = &e->edge[i];
        if (g->giver != t_rank)
            continue;
        if (!n || source[n - 1] != g->from) {
            source[n] = g->from;
            degree[n++] = 0;
        }
        degree[n - 1]++;
        end[all] = g->to;
        weight[all++] = g->weight;
    }
    OK(MPI_Info_create(&info));
    OK(MPI_Dist_graph_create(MPI_COMM_WORLD, n, source, degree, end,
                             !weighted ? MPI_UNWEIGHTED : n ? weight : MPI_WEIGHTS_EMPTY, info, 1,
                             &comm));
    OK(MPI_Info_free(&info));
    check_edges(comm, e, weighted, 0);
    OK(MPI_Comm_free(&comm));
}

static int weighted_of(MPI_Comm comm, int sources, int dests)
{
    int in, out, weighted = -1;
    OK(MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted));
    SAME(in, sources);
    SAME(out, dests);
    OK(MPI_Comm_free(&comm));
    return weighted;
}

/* Only MPI_UNWEIGHTED makes a graph without weights; NULL, of who has no edges, says nothing. */
static void weights_of_nobody(void)
{
    const int source = 0, degree = 1, end = 0, weight = 9, mine = t_rank == 0;
    MPI_Comm comm;
    OK(MPI_Dist_graph_create(MPI_COMM_WORLD, 0, NULL, NULL, NULL, NULL, MPI_INFO_NULL, 0, &comm));
    SAME(weighted_of(comm, 0, 0), 1);
    OK(MPI_Dist_graph_create(MPI_COMM_WORLD, 0, NULL, NULL, NULL, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL,
                             0, &comm));
    SAME(weighted_of(comm, 0, 0), 1);
    OK(MPI_Dist_graph_create(MPI_COMM_WORLD, 0, NULL, NULL, NULL, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                             &comm));
    SAME(weighted_of(comm, 0, 0), 0);
    OK(MPI_Dist_graph_create(MPI_COMM_WORLD, mine, &source, &degree, &end, mine ? &weight : NULL,
                             MPI_INFO_NULL, 0, &comm));
    SAME(weighted_of(comm, mine, mine), 1);
    OK(MPI_Dist_graph_create(MPI_COMM_WORLD, mine, &source, &degree, &end,
                             mine ? MPI_UNWEIGHTED : NULL, MPI_INFO_NULL, 0, &comm));
    SAME(weighted_of(comm, mine, mine), 0);
}

/* MPI_UNWEIGHTED is for all ranks or none, but if only some say it, all make the same of that: the
 * edges have weights, those without a given one 1. */
static void weights_of_some(void)
{
    const int degree = 1, weight = 9, to = t_next();
    int in, out, from, weight_in = -1, weight_out = -1, weighted = -1;
    MPI_Comm comm;
    for (int i = 0; i < 2 && t_size > 1; i++) {
        int gives = (t_rank == 0) == i, before = (t_prev() == 0) == i;
        OK(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &t_rank, &degree, &to,
                                 gives ? &weight : MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm));
        OK(MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted));
        CHECK(in == 1 && out == 1 && weighted == 1);
        OK(MPI_Dist_graph_neighbors(comm, 1, &from, &weight_in, 1, &out, &weight_out));
        CHECK(from == t_prev() && out == to);
        SAME(weight_out, gives ? weight : 1);
        SAME(weight_in, before ? weight : 1);
        OK(MPI_Comm_free(&comm));
    }
}

/* -- what is wrong */

static void wrong_graphs(void)
{
    int index[2] = { 1, 2 }, edge[2] = { 0, 0 }, n;
    MPI_Comm none;

    CLASS(MPI_Graph_create(MPI_COMM_WORLD, t_size + 1, index, edge, 0, &none), MPI_ERR_ARG);
    CLASS(MPI_Graph_create(MPI_COMM_WORLD, -1, index, edge, 0, &none), MPI_ERR_ARG);
    CLASS(MPI_Graph_create(MPI_COMM_WORLD, 1, NULL, edge, 0, &none), MPI_ERR_ARG);
    CLASS(MPI_Graph_create(MPI_COMM_WORLD, 1, index, NULL, 0, &none), MPI_ERR_ARG);
    CLASS(MPI_Graph_create(MPI_COMM_WORLD, 1, (int[]){ -1 }, edge, 0, &none), MPI_ERR_ARG);
    CLASS(MPI_Graph_create(MPI_COMM_WORLD, 1, index, (int[]){ 1 }, 0, &none), MPI_ERR_RANK);
    CLASS(MPI_Graph_create(MPI_COMM_WORLD, 1, index, edge, 0, NULL), MPI_ERR_ARG);
    CLASS(MPI_Graph_create(MPI_COMM_NULL, 1, index, edge, 0, &none), MPI_ERR_COMM);
    if (t_size > 1)
        CLASS(MPI_Graph_map(MPI_COMM_WORLD, 2, (int[]){ 2, 1 }, edge, &n), MPI_ERR_ARG);
    CLASS(MPI_Graphdims_get(MPI_COMM_WORLD, &n, &n), MPI_ERR_TOPOLOGY);
}

static void wrong_dist_graphs(void)
{
    int rank[2] = { 0, 0 }, weight[2] = { 1, -1 }, degree[1] = { 1 }, n;
    MPI_Comm none, world = MPI_COMM_WORLD;
    MPI_Info info = MPI_INFO_NULL;

#define ADJACENT(in, s, sw, out, d, dw, info, class) \
    CLASS(MPI_Dist_graph_create_adjacent(world, in, s, sw, out, d, dw, info, 0, &none), class)
    ADJACENT(-1, rank, weight, 0, rank, weight, info, MPI_ERR_ARG);
    ADJACENT(0, rank, weight, -1, rank, weight, info, MPI_ERR_ARG);
    ADJACENT(1, NULL, weight, 0, rank, weight, info, MPI_ERR_ARG);
    ADJACENT(1, (&t_size), weight, 0, rank, weight, info, MPI_ERR_RANK);
    ADJACENT(1, rank, weight, 1, ((int[]){ -2 }), weight, info, MPI_ERR_RANK);
    ADJACENT(1, rank, MPI_WEIGHTS_EMPTY, 1, rank, weight, info, MPI_ERR_ARG);
    ADJACENT(2, rank, weight, 1, rank, weight, info, MPI_ERR_ARG);
    ADJACENT(1, rank, weight, 1, rank, NULL, info, MPI_ERR_ARG);
    ADJACENT(1, rank, weight, 1, rank, MPI_UNWEIGHTED, info, MPI_ERR_ARG);
    ADJACENT(1, rank, weight, 1, rank, weight, ((MPI_Info)(uintptr_t)0x7777), MPI_ERR_INFO);
#define GIVEN(n, s, degrees, d, w, class) \
    CLASS(MPI_Dist_graph_create(world, n, s, degrees, d, w, info, 0, &none), class)
    GIVEN(-1, rank, degree, rank, weight, MPI_ERR_ARG);
    GIVEN(1, NULL, degree, rank, weight, MPI_ERR_ARG);
    GIVEN(1, rank, NULL, rank, weight, MPI_ERR_ARG);
    GIVEN(1, rank, degree, NULL, weight, MPI_ERR_ARG);
    GIVEN(1, rank, weight + 1, rank, weight, MPI_ERR_ARG);
    GIVEN(1, (&t_size), degree, rank, weight, MPI_ERR_RANK);
    GIVEN(1, rank, degree, (&t_size), weight, MPI_ERR_RANK);
    GIVEN(1, rank, degree, rank, weight + 1, MPI_ERR_ARG);
    GIVEN(1, rank, degree, rank, MPI_WEIGHTS_EMPTY, MPI_ERR_ARG);
    GIVEN(2, rank, ((int[]){ INT_MAX, INT_MAX }), rank, MPI_UNWEIGHTED, MPI_ERR_ARG);
    CLASS(MPI_Dist_graph_create(world, 1, rank, degree, rank, weight, info, 0, NULL), MPI_ERR_ARG);
    CLASS(MPI_Dist_graph_neighbors_count(world, &n, &n, &n), MPI_ERR_TOPOLOGY);
    CLASS(MPI_Dist_graph_neighbors(world, 1, rank, rank, 1, rank, rank), MPI_ERR_TOPOLOGY);
}

int main(int argc, char **argv)
{
    uint32_t seed = 11;

    t_start(&argc, &argv);
    t_errors_return();
    if (t_size > 17)
        t_skip("too many ranks for its arrays");
    wrong_graphs();
    wrong_dist_graphs();
    weights_of_nobody();
    weights_of_some();
    for (int i = 0; i < ROUNDS; i++) {
        known_graph(&seed, i % 2);
        struct edges e = random_edges(&seed);
        adjacent(&e, i % 2);
        distributed(&e, i % 3 != 0);
    }
    return t_end();
}
