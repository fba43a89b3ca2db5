/* Schedules of barrier, broadcast, reduction and all-reduction (Buntinas et al.: pairwise exchange, gather and broadcast along a tree). */
#include "coll/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coll/tree.h"

/* LINE_LATENCY: from sending a line off to its being there, in the time that a NIC needs per line sent. */
enum { LINE_LATENCY = 3, MESSAGE_LATENCY = 1, CROWDED_DEGREE = 64, DEGREE = 4, DEGREE_MAX = 1 << 16 };

/* -- steps */

static bool is_line(const struct mpi_build *b, size_t bytes) { return b->lines && bytes <= FW_STEP_BYTES; }

static void add_wait(struct mpi_build *b) { mpi_fw_sched_add(b->s, &(struct fw_step){ .kind = FW_STEP_WAIT }); }

/* The data may change only after the next wait, unless it went as a line. */
static void add_send(struct mpi_build *b, int peer, const void *from, size_t bytes)
{
    mpi_fw_sched_add(b->s, &(struct fw_step){ .kind = is_line(b, bytes) ? FW_STEP_PACKET : FW_STEP_SEND, .peer = (uint32_t)peer, .from = from, .bytes = bytes });
}

static void add_recv(struct mpi_build *b, int peer, void *to, size_t bytes)
{
    bool line = is_line(b, bytes);
    mpi_fw_sched_add(b->s, &(struct fw_step){ .kind = line ? FW_STEP_AWAIT : FW_STEP_RECV, .peer = (uint32_t)peer, .to = to, .bytes = bytes });
    if (!line)
        add_wait(b);
}

static void add_exchange(struct mpi_build *b, int peer, const void *from, void *to, size_t bytes)
{
    add_send(b, peer, from, bytes);
    add_recv(b, peer, to, bytes);
}

static void add_combine(struct mpi_build *b, const void *lower, void *higher)
{
    mpi_fw_sched_add(b->s, &(struct fw_step){ .kind = FW_STEP_COMBINE, .from = lower, .to = higher });
}

static void add_copy(struct mpi_build *b, void *to, const void *from, size_t bytes)
{
    mpi_fw_sched_add(b->s, &(struct fw_step){ .kind = FW_STEP_COPY, .from = from, .to = to, .bytes = bytes });
}

/* mine = mine op theirs */
static void add_fold(struct mpi_build *b, const struct mpi_reduction *r, void *mine, void *theirs)
{
    if (r->commutative) {
        add_combine(b, theirs, mine);
        return;
    }
    add_combine(b, mine, theirs);
    add_copy(b, mine, theirs, r->unit * r->count);
}

/* -- pairs.  The largest power of two of the ranks exchange with one at distance 1, 2, 4 ...; each of the surplus joins one of them
 * first and hears from it at last. */

struct pairs { int power, surplus, v; };

static struct pairs pairs_of(const struct mpi_build *b)
{
    struct pairs p = { .power = 1 };
    while (p.power * 2 <= b->size)
        p.power *= 2;
    p.surplus = b->size - p.power;
    /* of the first 2 * surplus ranks the odd ones join the one below: so results stay in rank order */
    p.v = b->rank >= 2 * p.surplus ? b->rank - p.surplus : b->rank % 2 ? -1 : b->rank / 2;
    return p;
}

static int rank_of(const struct pairs *p, int v) { return v < p->surplus ? 2 * v : v + p->surplus; }
static bool has_guest(const struct mpi_build *b, const struct pairs *p) { return b->rank < 2 * p->surplus; }

static void pairwise_barrier(struct mpi_build *b)
{
    struct pairs p = pairs_of(b);
    if (p.v < 0) {
        add_exchange(b, b->rank - 1, NULL, NULL, 0);
        return;
    }
    if (has_guest(b, &p))
        add_recv(b, b->rank + 1, NULL, 0);
    for (int bit = 1; bit < p.power; bit *= 2)
        add_exchange(b, rank_of(&p, p.v ^ bit), NULL, NULL, 0);
    if (has_guest(b, &p))
        add_send(b, b->rank + 1, NULL, 0);
}

static void pairwise_allreduce(struct mpi_build *b, void *result, void *other, const struct mpi_reduction *r)
{
    struct pairs p = pairs_of(b);
    size_t bytes = r->unit * r->count;
    if (p.v < 0) {
        add_exchange(b, b->rank - 1, result, result, bytes);
        return;
    }
    if (has_guest(b, &p)) {
        add_recv(b, b->rank + 1, other, bytes);
        add_fold(b, r, result, other);
    }
    for (int bit = 1; bit < p.power; bit *= 2) {
        int w = p.v ^ bit;
        add_exchange(b, rank_of(&p, w), result, other, bytes);
        if (w > p.v)
            add_fold(b, r, result, other);
        else
            add_combine(b, other, result);
    }
    if (has_guest(b, &p))
        add_send(b, b->rank + 1, result, bytes);
}

/* -- trees */

static void gather_barrier(struct mpi_build *b, int degree)
{
    int first = mpi_tree_first_child(b->rank, degree), end = first + degree < b->size ? first + degree : b->size;
    for (int child = first; child < end; child++)
        add_recv(b, child, NULL, 0);
    if (b->rank)
        add_exchange(b, mpi_tree_parent(b->rank, degree), NULL, NULL, 0);
    for (int child = first; child < end; child++)
        add_send(b, child, NULL, 0);
}

void mpi_build_bcast(struct mpi_build *b, void *data, size_t bytes, int root)
{
    const int *parent = mpi_tree_postal(b->size, is_line(b, bytes) ? LINE_LATENCY : MESSAGE_LATENCY);
    int v = (b->rank - root + b->size) % b->size;
    if (!parent) {
        b->s->failed = true;
        return;
    }
    if (v)
        add_recv(b, (parent[v] + root) % b->size, data, bytes);
    for (int i = v + 1; i < b->size; i++)
        if (parent[i] == v)
            add_send(b, (i + root) % b->size, data, bytes);
    add_wait(b);
}

/* Rank v (relative to the root) adds v + 1, v + 2, v + 4 ... while those bits are free: each partial result covers neighbours in rank order. */
static void binomial_reduce(struct mpi_build *b, void *result, void *other, const struct mpi_reduction *r, int root)
{
    int v = (b->rank - root + b->size) % b->size;
    size_t bytes = r->unit * r->count;
    for (int bit = 1; bit < b->size; bit *= 2) {
        if (v & bit) {
            add_send(b, (v - bit + root) % b->size, result, bytes);
            add_wait(b);
            return;
        }
        if (v + bit < b->size) {
            add_recv(b, (v + bit + root) % b->size, other, bytes);
            add_fold(b, r, result, other);
        }
    }
}

static void *scratch(struct mpi_build *b, const struct mpi_reduction *r) { return mpi_fw_sched_memory(b->s, r->unit * r->count); }

void mpi_build_reduce(struct mpi_build *b, void *result, const struct mpi_reduction *r, int root)
{
    int at = r->commutative ? root : 0;         /* relative ranks would wrap round */
    size_t bytes = r->unit * r->count;
    void *other = scratch(b, r);
    if (!other)
        return;
    binomial_reduce(b, result, other, r, at);
    if (at != root && b->rank == at)
        add_send(b, root, result, bytes);
    if (at != root && b->rank == root)
        add_recv(b, at, result, bytes);
    add_wait(b);
}

/* -- the choice between them */

struct mpi_barrier_way mpi_build_barrier_way(const struct mpi_build *b)
{
    const char *env = getenv("MPILITE_BARRIER");
    int degree;
    if (env && !strcmp(env, "pairwise"))
        return (struct mpi_barrier_way){ false, 0 };
    if (env && sscanf(env, "gather:%d", &degree) == 1 && degree >= 1 && degree <= DEGREE_MAX)
        return (struct mpi_barrier_way){ true, degree };
    return (struct mpi_barrier_way){ b->crowded, b->crowded ? CROWDED_DEGREE : DEGREE };
}

void mpi_build_barrier(struct mpi_build *b)
{
    struct mpi_barrier_way way = mpi_build_barrier_way(b);
    if (way.gather)
        gather_barrier(b, way.degree);
    else
        pairwise_barrier(b);
    add_wait(b);
}

void mpi_build_allreduce(struct mpi_build *b, void *result, const struct mpi_reduction *r)
{
    void *other = scratch(b, r);
    if (!other)
        return;
    if (mpi_build_barrier_way(b).gather) {
        binomial_reduce(b, result, other, r, 0);
        mpi_build_bcast(b, result, r->unit * r->count, 0);
    } else {
        pairwise_allreduce(b, result, other, r);
    }
    add_wait(b);
}
