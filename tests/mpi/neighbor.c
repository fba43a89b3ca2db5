/* Neighbourhood collectives on random grids, graphs and distributed graphs, with edges to the rank
 * itself and several between the same ranks: each block is the one that the standard's order says,
 * with all kinds of counts, types and calls; blocks of no neighbour, and gaps, stay untouched. */
#include "t.h"

enum { ROUNDS = 12, EDGES_MAX = 40, LONGEST = 5, STRIDE = 3, SLOT = LONGEST * STRIDE };
enum { ALLGATHER, ALLGATHERV, ALLTOALL, ALLTOALLV, ALLTOALLW, CALLS };
enum { BLOCKING, NONBLOCKING, PERSISTENT, FORMS };
enum { STARTS = 3, NOBODY = -1 };

static MPI_Datatype strided;    /* an int, and a gap of two */

/* What a rank sends and receives: each message has a number that both ends know. */
struct hood { int in, out, sender[EDGES_MAX], sent[EDGES_MAX], comes[EDGES_MAX]; };

/* -- the data of one call */

struct data {
    int send[EDGES_MAX * SLOT], recv[EDGES_MAX * SLOT], want[EDGES_MAX * SLOT];
    int send_count[EDGES_MAX], recv_count[EDGES_MAX], send_place[EDGES_MAX],
        recv_place[EDGES_MAX];
    MPI_Count send_large[EDGES_MAX], recv_large[EDGES_MAX];
    MPI_Aint send_at[EDGES_MAX], recv_at[EDGES_MAX];
    MPI_Datatype send_type[EDGES_MAX], recv_type[EDGES_MAX];
};

/* What differs from call to call.  Each side has gaps or not; both in a call with many types. */
struct shape { int call, large, send_gaps, recv_gaps, own; };

static int is_vector(const struct shape *s) { return s->call != ALLGATHER && s->call != ALLTOALL; }

static int length(const struct shape *s, int message)
{
    return is_vector(s) ? message * 7 % LONGEST : 3;
}

static int value(int message, int i, int start) { return message * 100 + i * 10 + start; }

/* ints from one element to the next */
static int step(const struct shape *s, int gaps, int message)
{
    if (s->call == ALLTOALLW)
        return message % 2 ? STRIDE : 1;
    return gaps ? STRIDE : 1;
}

/* Where block i begins, in ints. */
static int begin(const struct shape *s, int i, int gaps)
{
    return is_vector(s) ? i * SLOT : i * 3 * (gaps ? STRIDE : 1);
}

static void put(int *at, int step, int count, int message, int start)
{
    for (int k = 0; k < count; k++)
        at[k * step] = value(message, k, start);
}

static void fill_send(struct data *d, const struct shape *s, const struct hood *h, int start)
{
    int all = s->call == ALLGATHER || s->call == ALLGATHERV;

    if (all)
        put(d->send, step(s, s->send_gaps, s->own), length(s, s->own), s->own, start);
    for (int i = 0; i < h->out && !all; i++)
        put(d->send + begin(s, i, s->send_gaps), step(s, s->send_gaps, h->sent[i]),
            length(s, h->sent[i]), h->sent[i], start);
}

/* Of an allgather the message is the sender's only one. */
static int message_in(const struct shape *s, const struct hood *h, int i)
{
    int all = s->call == ALLGATHER || s->call == ALLGATHERV;
    return h->comes[i] == NOBODY ? NOBODY : all ? h->sender[i] : h->comes[i];
}

static void fill_want(struct data *d, const struct shape *s, const struct hood *h, int start)
{
    for (int i = 0; i < EDGES_MAX * SLOT; i++)
        d->want[i] = d->recv[i] = -9;
    for (int i = 0; i < h->in; i++) {
        int message = message_in(s, h, i);
        if (message != NOBODY)
            put(d->want + begin(s, i, s->recv_gaps), step(s, s->recv_gaps, message),
                length(s, message), message, start);
    }
}

static void fill_side(const struct shape *s, int i, int message, int gaps, int *count, int *place,
                      MPI_Count *large, MPI_Aint *at, MPI_Datatype *type)
{
    int typed = s->call == ALLTOALLW;

    count[i] = message == NOBODY ? 2 : length(s, message);
    large[i] = count[i];
    place[i] = i * (gaps ? LONGEST : SLOT);
    at[i] = typed ? (MPI_Aint)sizeof(int) * i * SLOT : place[i];
    type[i] = message != NOBODY && message % 2 ? strided : MPI_INT;
}

static void fill(struct data *d, const struct shape *s, const struct hood *h)
{
    for (int i = 0; i < h->out; i++)
        fill_side(s, i, h->sent[i], s->send_gaps, d->send_count, d->send_place, d->send_large,
                  d->send_at, d->send_type);
    for (int i = 0; i < h->in; i++)
        fill_side(s, i, message_in(s, h, i), s->recv_gaps, d->recv_count, d->recv_place,
                  d->recv_large, d->recv_at, d->recv_type);
}

/* -- the calls */

#define GATHER d->send, n, st, d->recv, 3, rt, comm
#define GATHERV(c, p) d->send, n, st, d->recv, c, p, rt, comm
#define ALL d->send, 3, st, d->recv, 3, rt, comm
#define ALLV(sc, sp, rc, rp) d->send, sc, sp, st, d->recv, rc, rp, rt, comm
#define ALLW(sc, rc) \
    d->send, sc, d->send_at, d->send_type, d->recv, rc, d->recv_at, d->recv_type, comm
#define FORMS_OF(Name, name, large, ...) \
    return form == BLOCKING ? MPI_N##Name##large(__VA_ARGS__) \
           : form == NONBLOCKING ? MPI_In##Name##large(__VA_ARGS__, r) \
           : MPI_N##Name##_init##large(__VA_ARGS__, MPI_INFO_NULL, r)

static int call_large(struct data *d, const struct shape *s, int form, MPI_Comm comm,
                      MPI_Request *r)
{
    MPI_Datatype st = s->send_gaps ? strided : MPI_INT, rt = s->recv_gaps ? strided : MPI_INT;
    MPI_Count n = length(s, s->own);

    switch (s->call) {
    case ALLGATHER: FORMS_OF(eighbor_allgather, , _c, GATHER);
    case ALLGATHERV: FORMS_OF(eighbor_allgatherv, , _c, GATHERV(d->recv_large, d->recv_at));
    case ALLTOALL: FORMS_OF(eighbor_alltoall, , _c, ALL);
    case ALLTOALLV:
        FORMS_OF(eighbor_alltoallv, , _c,
                 ALLV(d->send_large, d->send_at, d->recv_large, d->recv_at));
    default: FORMS_OF(eighbor_alltoallw, , _c, ALLW(d->send_large, d->recv_large));
    }
}

static int call(struct data *d, const struct shape *s, int form, MPI_Comm comm, MPI_Request *r)
{
    MPI_Datatype st = s->send_gaps ? strided : MPI_INT, rt = s->recv_gaps ? strided : MPI_INT;
    int n = length(s, s->own);

    if (s->large)
        return call_large(d, s, form, comm, r);
    switch (s->call) {
    case ALLGATHER: FORMS_OF(eighbor_allgather, , , GATHER);
    case ALLGATHERV: FORMS_OF(eighbor_allgatherv, , , GATHERV(d->recv_count, d->recv_place));
    case ALLTOALL: FORMS_OF(eighbor_alltoall, , , ALL);
    case ALLTOALLV:
        FORMS_OF(eighbor_alltoallv, , ,
                 ALLV(d->send_count, d->send_place, d->recv_count, d->recv_place));
    default: FORMS_OF(eighbor_alltoallw, , , ALLW(d->send_count, d->recv_count));
    }
}

static void same(const struct data *d, const struct shape *s, int form)
{
    for (int i = 0; i < EDGES_MAX * SLOT; i++)
        if (d->recv[i] != d->want[i])
            FAIL("call %d, form %d, gaps %d %d: int %d is %d, should be %d", s->call, form,
                 s->send_gaps, s->recv_gaps, i, d->recv[i], d->want[i]);
}

/* Two calls at once where calls do not block; a persistent one is started again with other data. */
static void try_call(MPI_Comm comm, const struct hood *h, const struct shape *s, int form)
{
    static struct data data[2];
    MPI_Request r[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };
    int calls = form == BLOCKING ? 1 : 2, starts = form == PERSISTENT ? STARTS : 1;

    for (int k = 0; k < calls; k++)
        fill(&data[k], s, h);
    for (int k = 0; form == PERSISTENT && k < calls; k++)
        OK(call(&data[k], s, form, comm, &r[k]));
    for (int start = 0; start < starts; start++) {
        for (int k = 0; k < calls; k++) {
            fill_send(&data[k], s, h, start + 5 * k);
            fill_want(&data[k], s, h, start + 5 * k);
            if (form != PERSISTENT)
                OK(call(&data[k], s, form, comm, &r[k]));
        }
        if (form == PERSISTENT)     /* each rank in an order of its own */
            for (int k = 0; k < calls; k++)
                OK(MPI_Start(&r[(k + t_rank) % calls]));
        OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
        for (int k = 0; k < calls; k++)
            same(&data[k], s, form);
    }
    for (int k = 0; form == PERSISTENT && k < calls; k++)
        OK(MPI_Request_free(&r[k]));
}

static void try_all(MPI_Comm comm, const struct hood *h, uint32_t seed)
{
    struct shape s = { .large = 0 };

    OK(MPI_Comm_rank(comm, &s.own));
    for (s.call = 0; s.call < CALLS; s.call++)
        for (int form = 0; form < FORMS; form++) {
            s.large = (int)(t_random(&seed) % 2);
            s.send_gaps = s.call != ALLTOALLW && t_random(&seed) % 2;
            s.recv_gaps = s.call != ALLTOALLW && t_random(&seed) % 2;
            try_call(comm, h, &s, form);
        }
}

/* -- grids: what a rank sends as block i comes to the other's block i ^ 1 */

static void grid(uint32_t *seed)
{
    int dims[3], periods[3], n = 1 + (int)(t_random(seed) % 3), places = 1, rank;
    struct hood h = { .in = 2 * n, .out = 2 * n };
    MPI_Comm comm;

    for (int i = 0; i < n; i++) {
        int room = t_size / places;
        dims[i] = 1 + (int)(t_random(seed) % (unsigned)(room < 3 ? room : 3));
        periods[i] = (int)(t_random(seed) % 4 != 0);
        places *= dims[i];
    }
    OK(MPI_Cart_create(MPI_COMM_WORLD, n, dims, periods, 1, &comm));
    if (comm == MPI_COMM_NULL)
        return;
    OK(MPI_Comm_rank(comm, &rank));
    for (int i = 0; i < 2 * n; i++) {
        int source, dest;
        OK(MPI_Cart_shift(comm, i / 2, i % 2 ? 1 : -1, &source, &dest));
        h.sent[i] = rank * 10 + i;
        h.sender[i] = dest;
        h.comes[i] = dest == MPI_PROC_NULL ? NOBODY : dest * 10 + (i ^ 1);
    }
    try_all(comm, &h, *seed);
    OK(MPI_Comm_free(&comm));
}

/* -- graphs: of several edges between two ranks, the first one sent comes first */

struct edge { int from, to; };

/* The hood of a rank in a list of edges that all know.  by_sender: blocks come in the order of
 * senders; else in that of the list. */
static struct hood hood_of(const struct edge *e, int n, int rank, int by_sender)
{
    struct hood h = { 0 };

    for (int i = 0; i < n; i++)
        if (e[i].from == rank)
            h.sent[h.out++] = i;
    for (int sender = 0; sender < (by_sender ? t_size : 1); sender++)
        for (int i = 0; i < n; i++)
            if (e[i].to == rank && (!by_sender || e[i].from == t_size - 1 - sender)) {
                h.sender[h.in] = e[i].from;
                h.comes[h.in++] = i;
            }
    return h;
}

static int random_edges(struct edge *e, uint32_t *seed)
{
    int n = (int)(t_random(seed) % (unsigned)(t_size < 8 ? 4 * t_size + 1 : 33));

    for (int i = 0; i < n; i++)
        e[i] = (struct edge){ (int)(t_random(seed) % (unsigned)t_size),
                              (int)(t_random(seed) % (unsigned)t_size) };
    return n;
}

static void dist_graph(uint32_t *seed)
{
    struct edge e[EDGES_MAX];
    int n = random_edges(e, seed), dest[EDGES_MAX], by_sender = (int)(t_random(seed) % 2);
    struct hood h = hood_of(e, n, t_rank, by_sender);
    MPI_Comm comm, copy;

    for (int i = 0; i < h.out; i++)
        dest[i] = e[h.sent[i]].to;
    OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, h.in, h.sender, MPI_UNWEIGHTED, h.out, dest,
                                      MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm));
    OK(MPI_Comm_dup(comm, &copy));
    OK(MPI_Comm_free(&comm));
    try_all(copy, &h, *seed);
    OK(MPI_Comm_free(&copy));
}

/* Rank 0 gives all edges; their numbers are their weights, by which each rank finds its own. */
static void given_graph(uint32_t *seed)
{
    struct edge e[EDGES_MAX];
    int n = random_edges(e, seed), from[EDGES_MAX], one[EDGES_MAX], to[EDGES_MAX];
    int number[EDGES_MAX], dest[EDGES_MAX], weighted;
    struct hood h;
    MPI_Comm comm;

    for (int i = 0; i < n; i++) {
        from[i] = e[i].from;
        to[i] = e[i].to;
        one[i] = 1;
        number[i] = i;
    }
    OK(MPI_Dist_graph_create(MPI_COMM_WORLD, t_rank ? 0 : n, from, one, to, number, MPI_INFO_NULL,
                             0, &comm));
    OK(MPI_Dist_graph_neighbors_count(comm, &h.in, &h.out, &weighted));
    SAME(weighted, 1);
    OK(MPI_Dist_graph_neighbors(comm, h.in, h.sender, h.comes, h.out, dest, h.sent));
    for (int i = 0; i < h.in; i++)
        CHECK(e[h.comes[i]].to == t_rank && e[h.comes[i]].from == h.sender[i]);
    try_all(comm, &h, *seed);
    OK(MPI_Comm_free(&comm));
}

/* Each edge in both directions. */
static void known_graph(uint32_t *seed)
{
    struct edge e[EDGES_MAX], both[EDGES_MAX];
    int n = random_edges(e, seed) / 2, index[17], edges[EDGES_MAX], all = 0;
    struct hood h;
    MPI_Comm comm;

    for (int rank = 0; rank < t_size; rank++) {
        for (int i = 0; i < n; i++) {
            if (e[i].from == rank)
                both[all++] = (struct edge){ rank, e[i].to };
            if (e[i].to == rank && e[i].from != rank)
                both[all++] = (struct edge){ rank, e[i].from };
        }
        index[rank] = all;
    }
    for (int i = 0; i < all; i++)
        edges[i] = both[i].to;
    OK(MPI_Graph_create(MPI_COMM_WORLD, t_size, index, edges, 0, &comm));
    /* a rank receives along its own edges: the k-th of them to a rank from that one's k-th */
    h = hood_of(both, all, t_rank, 0);
    h.in = h.out;
    for (int i = 0; i < h.in; i++) {
        int peer = both[h.sent[i]].to, before = 0, k = 0;
        for (int j = 0; j < i; j++)
            before += both[h.sent[j]].to == peer;
        for (k = 0; both[k].from != peer || both[k].to != t_rank || before-- > 0; k++)
            ;
        h.sender[i] = peer;
        h.comes[i] = k;
    }
    try_all(comm, &h, *seed);
    OK(MPI_Comm_free(&comm));
}

/* -- what is wrong */

static void wrong_calls(void)
{
    int zero = 0, one = 1, minus = -1, a[4] = { 0 }, b[4];
    MPI_Datatype type = MPI_INT, none = MPI_DATATYPE_NULL;
    MPI_Aint at = 0, far = (MPI_Aint)1 << 62;       /* times an int's bytes: 2^64, or 0 */
    MPI_Count single = 1;
    MPI_Comm ring;
    MPI_Request r;

    CLASS(MPI_Neighbor_allgather(a, 1, MPI_INT, b, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_TOPOLOGY);
    CLASS(MPI_Neighbor_alltoall(a, 1, MPI_INT, b, 1, MPI_INT, MPI_COMM_NULL), MPI_ERR_COMM);
    OK(MPI_Dist_graph_create_adjacent(MPI_COMM_SELF, 1, &zero, MPI_UNWEIGHTED, 1, &zero,
                                      MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring));
    CLASS(MPI_Neighbor_allgather(a, -1, MPI_INT, b, 1, MPI_INT, ring), MPI_ERR_COUNT);
    CLASS(MPI_Neighbor_allgather(a, 1, none, b, 1, MPI_INT, ring), MPI_ERR_TYPE);
    CLASS(MPI_Neighbor_allgather(NULL, 1, MPI_INT, b, 1, MPI_INT, ring), MPI_ERR_BUFFER);
    CLASS(MPI_Neighbor_allgather(MPI_IN_PLACE, 1, MPI_INT, b, 1, MPI_INT, ring), MPI_ERR_BUFFER);
    CLASS(MPI_Neighbor_alltoall(a, 1, MPI_INT, a, 1, MPI_INT, ring), MPI_ERR_BUFFER);
    CLASS(MPI_Neighbor_allgatherv(a, 1, MPI_INT, b, &minus, &zero, MPI_INT, ring), MPI_ERR_COUNT);
    CLASS(MPI_Neighbor_allgatherv(a, 1, MPI_INT, b, NULL, &zero, MPI_INT, ring), MPI_ERR_ARG);
    CLASS(MPI_Neighbor_alltoallv(a, &one, NULL, type, b, &one, &zero, type, ring), MPI_ERR_ARG);
    CLASS(MPI_Neighbor_alltoallw(a, &one, &at, NULL, b, &one, &at, &type, ring), MPI_ERR_ARG);
    CLASS(MPI_Neighbor_alltoallw(a, &one, &at, &type, b, &one, &at, &none, ring), MPI_ERR_TYPE);
    CLASS(MPI_Ineighbor_alltoall(a, 1, MPI_INT, b, 1, MPI_INT, ring, NULL), MPI_ERR_ARG);
    CLASS(MPI_Neighbor_alltoall_init(a, 1, MPI_INT, b, 1, MPI_INT, ring,
                                     (MPI_Info)(uintptr_t)0x7777, &r), MPI_ERR_INFO);
    CLASS(MPI_Neighbor_alltoall_c(a, (MPI_Count)1 << 62, MPI_INT, b, 1, MPI_INT, ring),
          MPI_ERR_COUNT);
    CLASS(MPI_Neighbor_allgatherv_c(a, 1, MPI_INT, b, &single, &far, MPI_INT, ring),
          MPI_ERR_COUNT);
    OK(MPI_Comm_free(&ring));
}

/* Types that lie side by side in the same memory: only their data may not overlap. */
static void side_by_side(void)
{
    int periods = 1, here = 0, behind = 2, a[4] = { t_rank + 1, -1, -1, -1 };
    MPI_Datatype own, other, next;
    MPI_Comm ring;

    OK(MPI_Cart_create(MPI_COMM_WORLD, 1, &t_size, &periods, 0, &ring));
    OK(MPI_Type_create_indexed_block(1, 1, &here, MPI_INT, &own));
    OK(MPI_Type_create_indexed_block(1, 1, &behind, MPI_INT, &other));
    OK(MPI_Type_create_resized(other, 0, sizeof(int), &next));
    OK(MPI_Type_commit(&own));
    OK(MPI_Type_commit(&next));
    OK(MPI_Neighbor_allgather(a, 1, own, a, 1, next, ring));
    SAME(a[1], -1);
    SAME(a[2], t_prev() + 1);
    SAME(a[3], t_next() + 1);
    OK(MPI_Type_free(&own));
    OK(MPI_Type_free(&other));
    OK(MPI_Type_free(&next));
    OK(MPI_Comm_free(&ring));
}

/* Longer than what travels with its envelope. */
static void long_blocks(void)
{
    enum { LONG = 20000 };
    int dims[2] = { t_size, 1 }, periods[2] = { 1, 1 }, *a = t_ints(4 * LONG),
        *b = t_ints(4 * LONG), rank;
    MPI_Comm comm;

    OK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm));
    OK(MPI_Comm_rank(comm, &rank));
    for (int i = 0; i < 4 * LONG; i++)
        a[i] = t_value(rank * 4 + i / LONG, i % LONG);
    OK(MPI_Neighbor_alltoall(a, LONG, MPI_INT, b, LONG, MPI_INT, comm));
    for (int k = 0; k < 4; k++) {
        int from = k == 0 ? (rank + t_size - 1) % t_size : k == 1 ? (rank + 1) % t_size : rank;
        for (int i = 0; i < LONG; i++)
            SAME(b[k * LONG + i], t_value(from * 4 + (k ^ 1), i));
    }
    free(a);
    free(b);
    OK(MPI_Comm_free(&comm));
}

int main(int argc, char **argv)
{
    uint32_t seed = 77;

    t_start(&argc, &argv);
    t_errors_return();
    OK(MPI_Type_create_resized(MPI_INT, 0, STRIDE * sizeof(int), &strided));
    OK(MPI_Type_commit(&strided));
    wrong_calls();
    for (int i = 0; i < ROUNDS && t_size <= 16; i++) {
        grid(&seed);
        dist_graph(&seed);
        given_graph(&seed);
        known_graph(&seed);
    }
    long_blocks();
    side_by_side();
    OK(MPI_Type_free(&strided));
    return t_end();
}
