/* Collectives in two levels: among the ranks of each machine, to and from its leader, and among the
 * leaders.  So what goes over wires goes once per machine, and a barrier takes as many of their
 * latencies as there are doublings of machines, whatever the ranks on each.
 *
 * The leader is the lowest rank; where there is a root, that leads its machine. */
#include "coll/build.h"
#include "coll/tuning.h"
#include "core/levels.h"

/* This rank's two groups, and its roots there. */
struct two {
    struct mpi_build near, top;
    int near_root, top_root;    /* the leader; that of the root's machine */
    bool leads;
};

static bool has_root(enum mpi_coll_kind kind)
{
    return kind == MPI_COLL_BCAST || kind == MPI_COLL_REDUCE || kind == MPI_COLL_GATHER
           || kind == MPI_COLL_SCATTER;
}

/* Leaders, of which one may be the root; in memory of the schedule, or NULL. */
static int *leaders(struct mpi_build *b, const struct mpi_levels *l)
{
    int *rank = mpi_build_memory(b, sizeof *rank * (size_t)l->machines);
    for (int m = 0; rank && m < l->machines; m++)
        rank[m] = mpi_levels_ranks(l, m)[0];
    return rank;
}

/* False: no memory. */
static bool divide(struct two *t, struct mpi_build *b, const struct mpi_coll_plan *p)
{
    const struct mpi_levels *l = p->c->levels;
    int *leader = leaders(b, l);
    if (!leader)
        return false;
    *t = (struct two){ .near = *b, .top = *b };
    t->near.rank = l->near.rank;
    t->near.size = l->near.size;
    t->near.ranks = mpi_levels_ranks(l, l->machine);
    t->top.rank = l->machine;
    t->top.size = l->machines;
    t->top.ranks = leader;
    t->top.crowded = false;     /* their wires are, not their cores */
    if (has_root(p->kind)) {
        struct mpi_level_seat root = mpi_levels_seat(l, p->root);
        leader[root.machine] = p->root;
        t->top_root = root.machine;
        t->near_root = root.machine == l->machine ? root.near : 0;
    }
    t->leads = t->near.rank == t->near_root;
    return true;
}

/* -- that only move */

static void arrive(struct two *t)
{
    struct mpi_build *b = &t->near;
    if (!t->leads)
        mpi_build_send(b, t->near_root, NULL, 0);
    for (int i = 0; t->leads && i < b->size; i++)
        if (i != t->near_root)
            mpi_build_recv(b, i, NULL, 0);
    mpi_build_wait(b);
}

static void barrier(struct two *t)
{
    arrive(t);
    if (t->leads)
        mpi_build_barrier(&t->top);
    mpi_build_bcast(&t->near, NULL, 0, t->near_root);
}

static void bcast(struct two *t, const struct mpi_coll_plan *p)
{
    if (t->leads)
        mpi_build_bcast(&t->top, p->data, p->bytes, t->top_root);
    mpi_build_bcast(&t->near, p->data, p->bytes, t->near_root);
}

/* -- reductions */

static void reduce(struct two *t, const struct mpi_coll_plan *p)
{
    void *data = p->from ? mpi_build_contribution(&t->near, p->from, p->r, t->near_root) : p->data;
    if (t->near.s->failed)
        return;
    mpi_build_reduce(&t->near, data, p->r, t->near_root);
    if (t->leads)
        mpi_build_reduce(&t->top, data, p->r, t->top_root);
}

static void allreduce(struct two *t, const struct mpi_coll_plan *p)
{
    mpi_build_reduce(&t->near, p->data, p->r, 0);
    if (t->leads)
        mpi_build_allreduce(&t->top, p->data, p->r);
    mpi_build_bcast(&t->near, p->data, p->bytes, 0);
}

/* -- blocks: those of a machine travel in one piece, its pack */

static void *rank_block(const struct mpi_blocks *blocks, const struct mpi_levels *l, int m, int i)
{
    return mpi_block_at(blocks, mpi_levels_ranks(l, m)[i]);
}

/* The variants of a kind have blocks of which not every rank knows all lengths. */
static bool are_equal(const struct mpi_blocks *b, size_t bytes)
{
    return !b->counts.array && !b->parts && !b->longer && b->count * b->unit == bytes;
}

/* Of a machine: where the blocks are so in `blocks`, or memory; NULL: there is none.  What has no
 * bytes has a pack all the same, since its message is waited for, also where the buffer is NULL. */
static char *pack_of(struct mpi_build *b, const struct mpi_coll_plan *p,
                     const struct mpi_blocks *blocks, int m)
{
    static char nothing[1];
    const struct mpi_levels *l = p->c->levels;
    if (!p->bytes)
        return nothing;
    return l->in_order && are_equal(blocks, p->bytes) ? rank_block(blocks, l, m, 0)
           : mpi_build_memory(b, p->bytes * (size_t)mpi_levels_count(l, m));
}

/* Copies that are nothing where the pack is in place. */
static void unpack(struct mpi_build *b, const struct mpi_coll_plan *p,
                   const struct mpi_blocks *blocks, int m, const char *pack)
{
    for (int i = 0; i < mpi_levels_count(p->c->levels, m); i++)
        mpi_build_copy(b, rank_block(blocks, p->c->levels, m, i), pack + p->bytes * (size_t)i,
                       p->bytes);
}

static void pack(struct mpi_build *b, const struct mpi_coll_plan *p,
                 const struct mpi_blocks *blocks, int m, char *to)
{
    for (int i = 0; i < mpi_levels_count(p->c->levels, m); i++)
        mpi_build_copy(b, to + p->bytes * (size_t)i, rank_block(blocks, p->c->levels, m, i),
                       p->bytes);
}

static struct mpi_blocks blocks_of(const struct mpi_coll_plan *p, const void *pack)
{
    return (struct mpi_blocks){ .buf = pack, .count = p->bytes, .unit = 1, .last = -1 };
}

/* Where each of this machine's blocks is in a root's buffer. */
static const struct mpi_own_block *parts_of(struct mpi_build *b, const struct mpi_coll_plan *p,
                                            const struct mpi_blocks *blocks)
{
    const struct mpi_levels *l = p->c->levels;
    struct mpi_own_block *part = mpi_build_memory(b, sizeof *part * (size_t)l->near.size);
    for (int i = 0; part && i < l->near.size; i++)
        part[i] = (struct mpi_own_block){ rank_block(blocks, l, l->machine, i), p->bytes };
    return part;
}

static void gather_packs(struct two *t, const struct mpi_coll_plan *p)
{
    struct mpi_build *b = &t->top;
    char **from = mpi_build_memory(b, sizeof *from * (size_t)b->size);
    for (int m = 0; from && m < b->size; m++) {
        if (m == b->rank || !(from[m] = pack_of(b, p, p->recv, m)))
            continue;
        mpi_build_recv(b, m, from[m], p->bytes * (size_t)mpi_levels_count(p->c->levels, m));
    }
    mpi_build_wait(b);
    for (int m = 0; from && m < b->size; m++)
        if (m != b->rank && from[m])
            unpack(b, p, p->recv, m, from[m]);
}

static void gather(struct two *t, const struct mpi_coll_plan *p)
{
    struct mpi_build *b = &t->near;
    size_t bytes = p->bytes * (size_t)b->size;
    if (p->c->rank == p->root) {
        struct mpi_blocks here = { .parts = parts_of(b, p, p->recv) };
        if (!here.parts)
            return;
        mpi_build_gather(b, p->from, p->own_bytes, &here, t->near_root);
        gather_packs(t, p);
        return;
    }
    char *mine = t->leads ? mpi_build_memory(b, bytes) : NULL;
    struct mpi_blocks here = blocks_of(p, mine);
    if (t->leads && !mine)
        return;
    mpi_build_gather(b, p->from, p->own_bytes, &here, t->near_root);
    if (t->leads)
        mpi_build_send(&t->top, t->top_root, mine, bytes);
    mpi_build_wait(b);
}

static void scatter_packs(struct two *t, const struct mpi_coll_plan *p)
{
    struct mpi_build *b = &t->top;
    for (int m = 0; m < b->size; m++) {
        char *to = m == b->rank ? NULL : pack_of(b, p, p->send, m);
        if (!to)
            continue;
        pack(b, p, p->send, m, to);
        mpi_build_send(b, m, to, p->bytes * (size_t)mpi_levels_count(p->c->levels, m));
    }
}

static void scatter(struct two *t, const struct mpi_coll_plan *p)
{
    struct mpi_build *b = &t->near;
    size_t bytes = p->bytes * (size_t)b->size;
    struct mpi_blocks here = { .parts = NULL };
    if (p->c->rank == p->root) {
        scatter_packs(t, p);
        if (!(here.parts = parts_of(b, p, p->send)))
            return;
    } else if (t->leads) {
        char *mine = mpi_build_memory(b, bytes);
        if (!mine)
            return;
        mpi_build_take(&t->top, t->top_root, mine, bytes);
        here = blocks_of(p, mine);
    }
    mpi_build_scatter(b, &here, p->data, p->own_bytes, t->near_root);
    mpi_build_wait(b);
}

/* Among leaders, of what each has of its own machine in the blocks. */
static void exchange_packs(struct two *t, const struct mpi_coll_plan *p)
{
    struct mpi_build *b = &t->top;
    struct mpi_own_block *packs = mpi_build_memory(b, sizeof *packs * (size_t)b->size);
    for (int m = 0; packs && m < b->size; m++) {
        packs[m].at = pack_of(b, p, p->recv, m);
        packs[m].bytes = p->bytes * (size_t)mpi_levels_count(p->c->levels, m);
    }
    if (b->s->failed || !packs)
        return;
    pack(b, p, p->recv, b->rank, packs[b->rank].at);
    mpi_build_allgather(b, &(struct mpi_blocks){ .parts = packs });
    for (int m = 0; m < b->size; m++)
        if (m != b->rank)
            unpack(b, p, p->recv, m, packs[m].at);
}

static void allgather(struct two *t, const struct mpi_coll_plan *p)
{
    struct mpi_build *b = &t->near;
    const struct mpi_blocks here = { .parts = parts_of(b, p, p->recv) };
    if (!here.parts)
        return;
    mpi_build_gather(b, t->leads ? NULL : here.parts[b->rank].at, p->bytes, &here, 0);
    if (t->leads)
        exchange_packs(t, p);
    mpi_build_bcast(b, mpi_block_at(p->recv, 0), p->bytes * (size_t)p->c->size, 0);
}

/* -- */

static bool have_levels(const struct mpi_coll_plan *p)
{
    switch (p->kind) {
    case MPI_COLL_BARRIER: case MPI_COLL_BCAST: return true;
    case MPI_COLL_REDUCE: case MPI_COLL_ALLREDUCE:
        return p->r->commutative || p->c->levels->in_order;
    case MPI_COLL_GATHER: case MPI_COLL_SCATTER:        /* long ones need not be copied */
        return p->bytes <= MPI_LEVELS_BLOCK_BYTES;
    case MPI_COLL_ALLGATHER:
        return !p->root && are_equal(p->recv, p->bytes)
               && p->bytes * (size_t)p->c->size <= MPI_LEVELS_GATHER_BYTES;
    default: return false;
    }
}

bool mpi_build_has_levels(const struct mpi_coll_plan *p)
{
    return unlikely(p->c->levels != NULL) && !p->topo && have_levels(p);
}

void mpi_build_levels(struct mpi_build *b, const struct mpi_coll_plan *p)
{
    struct two t;
    if (!divide(&t, b, p))
        return;
    switch (p->kind) {
    case MPI_COLL_BARRIER: barrier(&t); break;
    case MPI_COLL_BCAST: bcast(&t, p); break;
    case MPI_COLL_REDUCE: reduce(&t, p); break;
    case MPI_COLL_ALLREDUCE: allreduce(&t, p); break;
    case MPI_COLL_GATHER: gather(&t, p); break;
    case MPI_COLL_SCATTER: scatter(&t, p); break;
    default: allgather(&t, p);          /* MPI_COLL_ALLGATHER */
    }
}

void mpi_build_leaders(struct mpi_build *b, const struct mpi_coll_plan *p)
{
    struct two t;
    if (!divide(&t, b, p))
        return;
    switch (p->kind) {
    case MPI_COLL_BARRIER: mpi_build_barrier(&t.top); break;
    case MPI_COLL_BCAST: mpi_build_bcast(&t.top, p->data, p->bytes, t.top_root); break;
    case MPI_COLL_REDUCE: mpi_build_reduce(&t.top, p->data, p->r, t.top_root); break;
    case MPI_COLL_ALLREDUCE: mpi_build_allreduce(&t.top, p->data, p->r); break;
    default: exchange_packs(&t, p);     /* MPI_COLL_ALLGATHER */
    }
}
