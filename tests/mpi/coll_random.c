/* Random collectives against an oracle that each rank computes for itself: all calls in all forms,
 * several under way at once, on groups of all sizes, with types that have gaps, in place, and an
 * operation that does not commute.  The seed is an argument; it is printed when something is
 * wrong. */
#include "t.h"

enum {
    UNIT = 6,               /* ints: whole elements of each kind of data */
    UNITS_MOST = 5, UNITS_LONG = 9000,
    RANKS_MOST = 17, JOBS = 4, STARTS = 3, TURNS = 60,
    GAP = -7777,
};

static uint32_t seed, shared;       /* shared: the same at all ranks */

static unsigned below(uint32_t *state, unsigned n) { return (t_random(state) >> 8) % n; }

/* -- kinds of data: an element has so many ints, at these places of its extent */

static struct kind { int ints, place[3], extent; MPI_Datatype type; } kinds[] = {
    { 1, { 0 }, 1, NULL }, { 2, { 0, 1 }, 2, NULL }, { 2, { 2, 0 }, 4, NULL },
    { 3, { 3, 0, 1 }, 5, NULL },
};
enum { KINDS = sizeof kinds / sizeof *kinds, PAIR = 1, PAIRS = 2 };

static void make_kinds(void)
{
    kinds[0].type = MPI_INT;
    for (int k = 1; k < KINDS; k++) {
        MPI_Datatype some;
        OK(MPI_Type_create_indexed_block(kinds[k].ints, 1, kinds[k].place, MPI_INT, &some));
        OK(MPI_Type_create_resized(some, 0, kinds[k].extent * 4, &kinds[k].type));
        OK(MPI_Type_commit(&kinds[k].type));
        OK(MPI_Type_free(&some));
    }
}

static int *element_int(int *buf, const struct kind *k, int i)
{
    return buf + i / k->ints * k->extent + k->place[i % k->ints];
}

/* -- operations: two of MPI on ints, and the composition of x -> a x + b, of pairs (a, b) */

static void compose_ints(const uint32_t *in, uint32_t *inout)
{
    uint32_t a = in[0] * inout[0], b = in[1] * inout[0] + inout[1];
    inout[0] = a;
    inout[1] = b;
}

static void compose_kind(const int *in, int *inout, MPI_Count n, MPI_Datatype type)
{
    int k = PAIR;
    while (k < PAIR + PAIRS && type != kinds[k].type)
        k++;
    CHECK(k < PAIR + PAIRS);
    const struct kind *kind = &kinds[k];
    for (MPI_Count e = 0; e < n; e++, in += kind->extent, inout += kind->extent) {
        uint32_t x[2] = { (uint32_t)in[kind->place[0]], (uint32_t)in[kind->place[1]] };
        uint32_t y[2] = { (uint32_t)inout[kind->place[0]], (uint32_t)inout[kind->place[1]] };
        compose_ints(x, y);
        inout[kind->place[0]] = (int)y[0];
        inout[kind->place[1]] = (int)y[1];
    }
}

static void compose(void *in, void *inout, int *n, MPI_Datatype *type)
{
    compose_kind(in, inout, *n, *type);
}

static void compose_large(void *in, void *inout, MPI_Count *n, MPI_Datatype *type)
{
    compose_kind(in, inout, *n, *type);
}

enum { SUM, MAX, COMPOSE, COMPOSE_LARGE, OPS };
static MPI_Op ops[OPS];

static void oracle(int op, const int *in, int *inout, int ints)
{
    for (int i = 0; i < ints; i++) {
        if (op == SUM)
            inout[i] = (int)((uint32_t)in[i] + (uint32_t)inout[i]);
        else if (op == MAX)
            inout[i] = in[i] > inout[i] ? in[i] : inout[i];
        else if (i % 2 == 0)
            compose_ints((const uint32_t *)in + i, (uint32_t *)inout + i);
    }
}

/* -- a job: one call, with its buffers */

enum call {
    BARRIER, BCAST, GATHER, GATHERV, SCATTER, SCATTERV, ALLGATHER, ALLGATHERV, ALLTOALL, ALLTOALLV,
    ALLTOALLW, REDUCE, ALLREDUCE, REDUCE_SCATTER, REDUCE_SCATTER_BLOCK, SCAN, EXSCAN, CALLS
};

/* One side: its elements lie in blocks with an element between them where the call can say so. */
struct side {
    const struct kind *kind[RANKS_MOST];        /* of each block; they are the same but for w */
    int blocks, ints, *buf;
    int count[RANKS_MOST], displ[RANKS_MOST];
    MPI_Count wide_count[RANKS_MOST];
    MPI_Aint wide_displ[RANKS_MOST];
    int byte_displ[RANKS_MOST];
    MPI_Aint wide_byte_displ[RANKS_MOST];
    MPI_Datatype type[RANKS_MOST];
};

struct job {
    enum call call;
    int form, op, units, in_place;
    uint32_t data;              /* seed of the contributions */
    MPI_Comm comm;
    int rank, size, peers;      /* peers: ranks of the other group of an intercommunicator */
    int inter, side;
    int root, is_root, beside;  /* root: as the call is given it; beside: MPI_PROC_NULL */
    struct side send, recv;
    int *expected;              /* of recv.buf */
    MPI_Request request;
};

/* Blocking, non-blocking, persistent; the same with large counts. */
enum { PERSISTENT = 2, FORMS = 6 };
static int is_persistent(const struct job *j) { return j->form % 3 == PERSISTENT; }

static int is_alltoall(const struct job *j)
{
    return j->call >= ALLTOALL && j->call <= ALLTOALLW;
}

static int is_vector(const struct job *j)
{
    return j->call == GATHERV || j->call == SCATTERV || j->call == ALLGATHERV
           || j->call == REDUCE_SCATTER || (is_alltoall(j) && j->call != ALLTOALL);
}

/* What tells the ranks of both groups apart: a rank of the own group, one of those who send to it,
 * and the root. */
static int here(const struct job *j, int r) { return 50 * j->side + r; }
static int there(const struct job *j, int r) { return 50 * (j->inter ^ j->side) + r; }
static int root_id(const struct job *j)
{
    return j->is_root ? here(j, j->rank) : there(j, j->root);
}

/* What rank `from` gives to rank `to`, in units. */
static int units(const struct job *j, int from, int to)
{
    if (!is_vector(j))
        return j->units;
    int one = is_alltoall(j) ? from * to + from + to : j->call == SCATTERV ? to : from;
    return (one + j->units) % 4;
}

static int to_parts(const struct job *j)
{
    return j->call == REDUCE_SCATTER || j->call == REDUCE_SCATTER_BLOCK;
}

/* What rank i gets of a reduction to parts; both groups have as many units together. */
enum { UNITS_OF_GROUP = 12 };
static int part(const struct job *j, int i)
{
    int rest = UNITS_OF_GROUP;
    if (j->call == REDUCE_SCATTER_BLOCK)
        return j->inter ? j->units % 3 * j->peers : j->units;
    if (!j->inter)
        return (i + j->units) % 4;
    for (int k = 0; k < j->size - 1; k++)
        rest -= (k + j->units) % 2;
    return i < j->size - 1 ? (i + j->units) % 2 : rest;
}

static int value(const struct job *j, int from, int to, int i)
{
    uint32_t x = j->data + 7919u * (uint32_t)from + 104729u * (uint32_t)to + 31u * (uint32_t)i;
    return (int)(x * 2654435761u >> 3 | 1);
}

/* -- sides */

/* Block i is of kind number `kind` + i * more. */
static void lay_out(struct side *s, unsigned kind, unsigned more, int blocks,
                    const int *block_units, int gaps)
{
    int at = 0, ints = 0;
    s->blocks = blocks;
    for (int i = 0; i < blocks; i++) {
        const struct kind *k = s->kind[i] = &kinds[(kind + (unsigned)i * more) % KINDS];
        s->type[i] = k->type;
        s->wide_count[i] = s->count[i] = block_units[i] * UNIT / k->ints;
        s->wide_displ[i] = s->displ[i] = at;
        s->wide_byte_displ[i] = s->byte_displ[i] = 4 * (more ? ints : at * k->extent);
        at += s->count[i] + gaps;
        ints += (s->count[i] + gaps) * k->extent;
    }
    s->ints = ints + kinds[KINDS - 1].extent;
    s->buf = t_alloc((size_t)s->ints * sizeof *s->buf);
}

/* Int i of block b. */
static int *block_int(const struct side *s, int *buf, int b, int i)
{
    return element_int(buf + s->byte_displ[b] / 4, s->kind[b], i);
}

static void clear(int *buf, int ints)
{
    for (int i = 0; i < ints; i++)
        buf[i] = GAP;
}

/* Block b of a buffer that is laid out like the side gets what `from` gives to `to`. */
static void fill(const struct job *j, const struct side *s, int *buf, int b, int from, int to)
{
    int ints = s->count[b] * s->kind[b]->ints;
    for (int i = 0; i < ints; i++)
        *block_int(s, buf, b, i) = value(j, from, to, i);
}

/* The reduction of the first `end` ranks, from the place `skip` ints behind the beginning. */
static void fill_reduced(const struct job *j, int end, int skip)
{
    const struct side *s = &j->recv;
    int ints = s->count[0] * s->kind[0]->ints;
    int *all = t_alloc((size_t)(ints + 1) * sizeof *all);
    int *one = t_alloc((size_t)(ints + 1) * sizeof *one);
    for (int r = 0; r < end; r++) {
        for (int i = 0; i < ints; i++)
            one[i] = value(j, there(j, r), 0, i + skip);
        if (r)
            oracle(j->op, all, one, ints);
        memcpy(all, one, (size_t)ints * sizeof *all);
    }
    for (int i = 0; i < ints; i++)
        *block_int(s, j->expected, 0, i) = all[i];
    free(all);
    free(one);
}

static int is_reduction(const struct job *j) { return j->call >= REDUCE; }
static int is_rooted(const struct job *j)
{
    return (j->call >= BCAST && j->call <= SCATTERV) || j->call == REDUCE;
}

/* Ints of all blocks before that of this rank, in a reduction to parts. */
static int ints_before(const struct job *j, int rank)
{
    int ints = 0;
    for (int i = 0; i < rank; i++)
        ints += part(j, i) * UNIT;
    return ints;
}

/* Whether the side has a block for each rank. */
static int many(const struct job *j, int sends)
{
    if (is_alltoall(j))
        return 1;
    if (j->call == GATHER || j->call == GATHERV)
        return !sends && j->is_root;
    if (j->call == SCATTER || j->call == SCATTERV)
        return sends && j->is_root;
    return !sends && (j->call == ALLGATHER || j->call == ALLGATHERV);
}

static void make_side(struct job *j, struct side *s, int sends, unsigned kind)
{
    int n = many(j, sends) ? j->peers : 1, block[RANKS_MOST];
    for (int i = 0; i < n; i++)
        block[i] = sends ? units(j, j->rank, i) : units(j, i, j->rank);
    if (j->call == ALLGATHER || j->call == ALLGATHERV)
        for (int i = 0; i < n; i++)
            block[i] = units(j, sends ? j->rank : i, 0);
    if (to_parts(j))
        block[0] = sends ? ints_before(j, j->size) / UNIT : part(j, j->rank);
    lay_out(s, kind, j->call == ALLTOALLW, n, block, n > 1 && is_vector(j));
}

/* -- what goes in, and what should come out */

static void fill_send(const struct job *j)
{
    const struct side *s = &j->send;
    clear(s->buf, s->ints);
    for (int b = 0; b < s->blocks; b++)
        fill(j, s, s->buf, b, here(j, j->rank),
             many(j, 1) ? there(j, b) : is_rooted(j) && !is_reduction(j) ? root_id(j) : 0);
}

static void expect_blocks(struct job *j)
{
    const struct side *r = &j->recv;
    int gathers = j->call == GATHER || j->call == GATHERV;
    if (is_rooted(j) && (gathers ? !j->is_root : (j->inter && j->is_root) || j->beside))
        return;
    if ((j->call == SCATTER || j->call == SCATTERV) && j->in_place)
        return;
    for (int b = 0; b < r->blocks; b++) {
        int same = j->call == BCAST || j->call == ALLGATHER || j->call == ALLGATHERV;
        fill(j, r, j->expected, b, many(j, 0) ? there(j, b) : root_id(j),
             same ? 0 : here(j, j->rank));
    }
}

static void expect_reduced(struct job *j)
{
    if (j->call == REDUCE && !j->is_root)
        return;
    if (j->call == EXSCAN && j->rank == 0)
        return;
    int end = j->call == SCAN ? j->rank + 1 : j->call == EXSCAN ? j->rank : j->peers;
    fill_reduced(j, end, to_parts(j) ? ints_before(j, j->rank) : 0);
}

/* In place: what the rank contributes is in the receive buffer. */
static void move_in_place(struct job *j)
{
    struct side *s = &j->send, *r = &j->recv;
    int me = here(j, j->rank);
    if (is_alltoall(j) || is_reduction(j))
        memcpy(r->buf, s->buf, (size_t)r->ints * sizeof *r->buf);
    else if (j->call != SCATTER && j->call != SCATTERV)
        fill(j, r, r->buf, j->rank, me, is_rooted(j) ? me : 0);
}

static void prepare(struct job *j)
{
    j->data = t_random(&shared);
    fill_send(j);
    clear(j->recv.buf, j->recv.ints);
    if (j->in_place)
        move_in_place(j);
    if (j->call == BCAST && j->is_root)
        fill(j, &j->recv, j->recv.buf, 0, root_id(j), 0);
    memcpy(j->expected, j->recv.buf, (size_t)j->recv.ints * sizeof *j->expected);
    if (is_reduction(j))
        expect_reduced(j);
    else if (j->call != BARRIER)
        expect_blocks(j);
}

static void check(const struct job *j)
{
    static const char *const names[] = {
        "barrier", "bcast", "gather", "gatherv", "scatter", "scatterv", "allgather", "allgatherv",
        "alltoall", "alltoallv", "alltoallw", "reduce", "allreduce", "reduce_scatter",
        "reduce_scatter_block", "scan", "exscan",
    };
    for (int i = 0; i < j->recv.ints; i++)
        if (j->recv.buf[i] != j->expected[i])
            FAIL("seed %u: %s, form %d, %d ranks and %d, root %d, op %d, %d units, in place %d, "
                 "kinds %d and %d: int %d is %d, should be %d", seed, names[j->call], j->form,
                 j->size, j->inter ? j->peers : 0, j->root, j->op, j->units, j->in_place,
                 (int)(j->send.kind[0] - kinds), (int)(j->recv.kind[0] - kinds), i,
                 j->recv.buf[i], j->expected[i]);
}

/* -- the calls */

#define ARGS(...) __VA_ARGS__
#define FORM(Name, name, large, ...) \
    switch (j->form % 3) { \
    case 0: OK(MPI_##Name##large(__VA_ARGS__, j->comm)); break; \
    case 1: OK(MPI_I##name##large(__VA_ARGS__, j->comm, q)); break; \
    default: OK(MPI_##Name##_init##large(__VA_ARGS__, j->comm, MPI_INFO_NULL, q)); \
    }
#define CALL(NAME, Name, name, narrow, wide) \
    case NAME: \
        if (j->form < 3) \
            FORM(Name, name, , narrow) \
        else \
            FORM(Name, name, _c, wide) \
        break
#define BOTH(NAME, Name, name, ...) CALL(NAME, Name, name, ARGS(__VA_ARGS__), ARGS(__VA_ARGS__))

static void barrier(struct job *j)
{
    switch (j->form % 3) {
    case 0: OK(MPI_Barrier(j->comm)); break;
    case 1: OK(MPI_Ibarrier(j->comm, &j->request)); break;
    default: OK(MPI_Barrier_init(j->comm, MPI_INFO_NULL, &j->request));
    }
}

static void issue(struct job *j)
{
    struct side *s = &j->send, *r = &j->recv;
    MPI_Request *q = &j->request;
    MPI_Datatype st = s->type[0], rt = r->type[0];
    MPI_Op op = ops[j->op];
    int in_place = j->in_place, root = j->root;
    int scatters = j->call == SCATTER || j->call == SCATTERV;
    const void *out = in_place && !scatters ? MPI_IN_PLACE : s->buf;
    void *in = in_place && scatters ? MPI_IN_PLACE : r->buf;
    int sc = s->count[0], rc = r->count[0];

    switch (j->call) {
    BOTH(BCAST, Bcast, bcast, r->buf, rc, rt, root);
    BOTH(GATHER, Gather, gather, out, sc, st, in, rc, rt, root);
    BOTH(SCATTER, Scatter, scatter, out, sc, st, in, rc, rt, root);
    BOTH(ALLGATHER, Allgather, allgather, out, sc, st, in, rc, rt);
    BOTH(ALLTOALL, Alltoall, alltoall, out, sc, st, in, rc, rt);
    BOTH(REDUCE, Reduce, reduce, out, in, rc, rt, op, root);
    BOTH(ALLREDUCE, Allreduce, allreduce, out, in, rc, rt, op);
    BOTH(REDUCE_SCATTER_BLOCK, Reduce_scatter_block, reduce_scatter_block, out, in, rc, rt, op);
    BOTH(SCAN, Scan, scan, out, in, rc, rt, op);
    BOTH(EXSCAN, Exscan, exscan, out, in, rc, rt, op);
    CALL(GATHERV, Gatherv, gatherv, ARGS(out, sc, st, in, r->count, r->displ, rt, root),
         ARGS(out, sc, st, in, r->wide_count, r->wide_displ, rt, root));
    CALL(SCATTERV, Scatterv, scatterv, ARGS(out, s->count, s->displ, st, in, rc, rt, root),
         ARGS(out, s->wide_count, s->wide_displ, st, in, rc, rt, root));
    CALL(ALLGATHERV, Allgatherv, allgatherv, ARGS(out, sc, st, in, r->count, r->displ, rt),
         ARGS(out, sc, st, in, r->wide_count, r->wide_displ, rt));
    CALL(ALLTOALLV, Alltoallv, alltoallv,
         ARGS(out, s->count, s->displ, st, in, r->count, r->displ, rt),
         ARGS(out, s->wide_count, s->wide_displ, st, in, r->wide_count, r->wide_displ, rt));
    CALL(ALLTOALLW, Alltoallw, alltoallw,
         ARGS(out, s->count, s->byte_displ, s->type, in, r->count, r->byte_displ, r->type),
         ARGS(out, s->wide_count, s->wide_byte_displ, s->type, in, r->wide_count,
              r->wide_byte_displ, r->type));
    case REDUCE_SCATTER: {
        int parts[RANKS_MOST];
        MPI_Count wide[RANKS_MOST];
        for (int i = 0; i < j->size; i++)
            wide[i] = parts[i] = part(j, i) * UNIT / r->kind[0]->ints;
        if (j->form < 3)
            FORM(Reduce_scatter, reduce_scatter, , out, in, parts, rt, op)
        else
            FORM(Reduce_scatter, reduce_scatter, _c, out, in, wide, rt, op)
        break;
    }
    default: barrier(j);
    }
}

/* -- jobs */

static void choose_root(struct job *j)
{
    int of = (int)below(&shared, 2), n = !j->inter || of == j->side ? j->size : j->peers;
    int root = (int)(below(&shared, 1000) % (unsigned)n);
    j->root = root;
    j->is_root = root == j->rank && (!j->inter || of == j->side);
    j->beside = j->inter && of == j->side && !j->is_root;
    if (j->inter && is_rooted(j) && of == j->side)
        j->root = j->is_root ? MPI_ROOT : MPI_PROC_NULL;
}

/* side: of an intercommunicator, the own one */
static void choose(struct job *j, MPI_Comm comm, int side)
{
    *j = (struct job){ .comm = comm, .request = MPI_REQUEST_NULL, .side = side };
    OK(MPI_Comm_rank(comm, &j->rank));
    OK(MPI_Comm_size(comm, &j->size));
    OK(MPI_Comm_test_inter(comm, &j->inter));
    j->peers = j->size;
    if (j->inter)
        OK(MPI_Comm_remote_size(comm, &j->peers));
    j->call = (enum call)below(&shared, CALLS);
    if (j->inter && (j->call == SCAN || j->call == EXSCAN))
        j->call = BARRIER;
    j->form = (int)below(&shared, FORMS);
    choose_root(j);
    j->op = (int)below(&shared, OPS);
    int blocks = (j->call >= GATHER && j->call <= ALLTOALLW) || j->call == REDUCE_SCATTER_BLOCK;
    unsigned units_long = UNITS_LONG / (blocks ? (unsigned)t_size : 1);
    j->units = (int)below(&shared, below(&shared, 12) ? UNITS_MOST : units_long);
    unsigned kind = below(&shared, KINDS), other = below(&shared, KINDS);
    j->in_place = !below(&shared, 3) && j->call > BCAST && !j->inter;
    if (j->in_place && is_rooted(j))
        j->in_place = j->is_root;
    if (is_reduction(j))
        kind = j->op >= COMPOSE ? PAIR + kind % PAIRS : 0;
    else
        kind = (kind + (unsigned)j->rank) % KINDS;      /* ranks may differ in their types */
    if (j->in_place || is_reduction(j))
        other = kind;
    make_side(j, &j->send, 1, other);
    make_side(j, &j->recv, 0, kind);
    if (j->in_place && is_reduction(j)) {       /* to parts: the whole is there at first */
        free(j->recv.buf);
        j->recv.ints = j->send.ints;
        j->recv.buf = t_alloc((size_t)j->recv.ints * sizeof *j->recv.buf);
    }
    j->expected = t_alloc((size_t)j->recv.ints * sizeof *j->expected);
    prepare(j);
}

static void discard(struct job *j)
{
    if (is_persistent(j))
        OK(MPI_Request_free(&j->request));
    free(j->send.buf);
    free(j->recv.buf);
    free(j->expected);
}

/* All of them under way at once; persistent ones are started in an order of each rank's own. */
static void run(struct job *jobs, MPI_Comm *comm, uint32_t *own)
{
    MPI_Request requests[JOBS];
    for (int i = 0; i < JOBS; i++)
        issue(&jobs[i]);
    if (*comm != MPI_COMM_WORLD)
        OK(MPI_Comm_free(comm));
    for (int round = 0; round < STARTS; round++) {
        for (int i = 0, at = (int)below(own, JOBS); i < JOBS; i++, at = (at + 1) % JOBS)
            if (is_persistent(&jobs[at]))
                OK(MPI_Start(&jobs[at].request));
        for (int i = 0; i < JOBS; i++)
            requests[i] = jobs[i].request;
        OK(MPI_Waitall(JOBS, requests, MPI_STATUSES_IGNORE));
        for (int i = 0; i < JOBS; i++) {
            if (round && !is_persistent(&jobs[i]))
                continue;
            check(&jobs[i]);
            SAME(requests[i] == MPI_REQUEST_NULL, !is_persistent(&jobs[i]));
            jobs[i].request = requests[i];
            prepare(&jobs[i]);
        }
    }
}

/* A group of each size comes up, in an order of ranks that is not that of the world. */
static MPI_Comm group(int turn)
{
    MPI_Comm comm;
    int size = turn % t_size + 1, first = (int)below(&shared, (unsigned)t_size);
    int place = (t_rank + first) % t_size;
    OK(MPI_Comm_split(MPI_COMM_WORLD, place < size, turn % 2 ? -t_rank : t_rank, &comm));
    return comm;
}

/* Two groups, of which one has the first ranks of the world, or the last. */
static MPI_Comm two_groups(int turn, int *side)
{
    MPI_Comm group, comm;
    int first = 1 + (int)below(&shared, (unsigned)t_size - 1), other = turn % 2;
    *side = (t_rank >= first) ^ other;
    OK(MPI_Comm_split(MPI_COMM_WORLD, *side, other ? -t_rank : t_rank, &group));
    int leader = other ? (t_rank >= first ? first - 1 : t_size - 1) : t_rank >= first ? 0 : first;
    OK(MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, leader, turn, &comm));
    OK(MPI_Comm_free(&group));
    return comm;
}

int main(int argc, char **argv)
{
    struct job jobs[JOBS];
    t_start(&argc, &argv);
    seed = shared = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 0) : 20250601u;
    uint32_t own = seed + 977u * (uint32_t)t_rank;
    make_kinds();
    ops[SUM] = MPI_SUM;
    ops[MAX] = MPI_MAX;
    OK(MPI_Op_create(compose, 0, &ops[COMPOSE]));
    OK(MPI_Op_create_c(compose_large, 0, &ops[COMPOSE_LARGE]));
    for (int turn = 0; turn < TURNS / (t_size > 7 ? 3 : 1); turn++) {
        int side = 0;
        MPI_Comm comm = turn % 4 == 3 && t_size > 1 ? two_groups(turn / 4, &side)
            : turn % 4 ? group(turn) : MPI_COMM_WORLD;
        for (int i = 0; i < JOBS; i++)
            choose(&jobs[i], comm, side);
        run(jobs, &comm, &own);
        for (int i = 0; i < JOBS; i++)
            discard(&jobs[i]);
    }
    for (int k = 1; k < KINDS; k++)
        OK(MPI_Type_free(&kinds[k].type));
    OK(MPI_Op_free(&ops[COMPOSE]));
    OK(MPI_Op_free(&ops[COMPOSE_LARGE]));
    return t_end();
}
