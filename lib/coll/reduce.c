/* Reductions to one rank, to all, and to parts.  The operation gets (lower ranks, higher ranks) in
 * this order wherever it is not commutative. */
#include "coll/choice.h"
#include "coll/pairs.h"
#include "coll/tree.h"

static size_t bytes_of(const struct mpi_reduction *r) { return r->unit * r->count; }

/* -- to one rank */

/* Rank v (relative to the root) adds v + 1, v + 2, v + 4 ... while those bits are free: each
 * partial result covers neighbours in rank order. */
static void binomial(struct mpi_build *b, void *result, void *other, const struct mpi_reduction *r,
                     int root)
{
    int v = (b->rank - root + b->size) % b->size;
    for (int bit = 1; bit < b->size; bit *= 2) {
        if (v & bit) {
            mpi_build_send(b, (v - bit + root) % b->size, result, bytes_of(r));
            mpi_build_wait(b);
            return;
        }
        if (v + bit < b->size) {
            mpi_build_take(b, (v + bit + root) % b->size, other, bytes_of(r));
            mpi_build_fold(b, r, result, other);
        }
    }
}

/* MPILITE_BARRIER may ask for a tree of a degree, which covers no neighbours: 0 if not. */
static int degree_of(const struct mpi_build *b, const struct mpi_reduction *r)
{
    struct mpi_barrier_algorithm wanted = { false, 0 };
    if (unlikely(b->barrier != NULL) && r->commutative)
        wanted = mpi_build_barrier_algorithm(b);
    return wanted.tree ? wanted.degree : 0;
}

static void of_degree(struct mpi_build *b, void *result, void *other, const struct mpi_reduction *r,
                      int root, int degree)
{
    int v = (b->rank - root + b->size) % b->size, first = mpi_tree_first_child(v, degree);
    for (int child = first; child < first + degree && child < b->size; child++) {
        mpi_build_take(b, (child + root) % b->size, other, bytes_of(r));
        mpi_build_fold(b, r, result, other);
    }
    if (v)
        mpi_build_send(b, (mpi_tree_parent(v, degree) + root) % b->size, result, bytes_of(r));
    mpi_build_wait(b);
}

/* Where the tree's root is: relative ranks would wrap round, out of order. */
static int top_of(const struct mpi_reduction *r, int root) { return r->commutative ? root : 0; }

bool mpi_build_reduce_is_leaf(const struct mpi_build *b, const struct mpi_reduction *r, int root)
{
    int v = (b->rank - top_of(r, root) + b->size) % b->size, degree = degree_of(b, r);
    bool leaf = degree ? mpi_tree_first_child(v, degree) >= b->size : v % 2;
    return leaf && b->rank != root;
}

void *mpi_build_contribution(struct mpi_build *b, const void *from, const struct mpi_reduction *r,
                             int root)
{
    if (mpi_build_reduce_is_leaf(b, r, root) && !b->early)
        return (void *)(uintptr_t)from;
    void *data = mpi_build_memory(b, bytes_of(r));
    if (data)
        mpi_build_read(b, data, from, bytes_of(r));
    return data;
}

/* Not a star: ranks that run ahead would flood the root. */
void mpi_build_reduce(struct mpi_build *b, void *result, const struct mpi_reduction *r, int root)
{
    int top = top_of(r, root), degree = degree_of(b, r);
    bool leaf = mpi_build_reduce_is_leaf(b, r, root);
    void *other = leaf ? NULL : mpi_build_memory(b, bytes_of(r));
    if (!leaf && !other)
        return;
    if (degree) {
        of_degree(b, result, other, r, root, degree);
        return;
    }
    binomial(b, result, other, r, top);
    if (top != root && b->rank == top)
        mpi_build_send(b, root, result, bytes_of(r));
    if (top != root && b->rank == root)
        mpi_build_take(b, top, result, bytes_of(r));
    mpi_build_wait(b);
}

/* -- to all */

/* Short, a core for each: every pair of ranks at distance 1, 2, 4 ... exchanges partial results. */
static void pairwise(struct mpi_build *b, void *result, void *other, const struct mpi_reduction *r)
{
    struct mpi_pairs p = mpi_pairs_of(b);
    size_t bytes = bytes_of(r);
    if (p.v < 0) {
        mpi_build_exchange(b, b->rank - 1, result, result, bytes);
        return;
    }
    if (mpi_pairs_has_guest(b, &p)) {
        mpi_build_take(b, b->rank + 1, other, bytes);
        mpi_build_fold(b, r, result, other);
    }
    for (int bit = 1; bit < p.power; bit *= 2) {
        int w = p.v ^ bit;
        mpi_build_exchange(b, mpi_pairs_rank(&p, w), result, other, bytes);
        if (w > p.v)
            mpi_build_fold(b, r, result, other);
        else
            mpi_build_combine(b, other, result, bytes);
    }
    if (mpi_pairs_has_guest(b, &p))
        mpi_build_send(b, b->rank + 1, result, bytes);
}

/* Past the cores: everybody to one and back, so that each rank gets a core twice. */
static void star(struct mpi_build *b, void *result, void *other, const struct mpi_reduction *r)
{
    size_t bytes = bytes_of(r);
    if (b->rank) {
        mpi_build_exchange(b, 0, result, result, bytes);
        return;
    }
    for (int i = 1; i < b->size; i++) {
        mpi_build_take(b, i, other, bytes);
        mpi_build_fold(b, r, result, other);
    }
    for (int i = 1; i < b->size; i++)
        mpi_build_send(b, i, result, bytes);
}

/* Long and commutative: a ring that reduces block by block, then a ring that collects them. */
static void ring(struct mpi_build *b, void *result, const struct mpi_reduction *r)
{
    int n = b->size, next = (b->rank + 1) % n, before = (b->rank + n - 1) % n;
    struct mpi_blocks parts = { .buf = result, .count = r->count / (size_t)n, .unit = r->unit,
                                .longer = r->count % (size_t)n, .last = n - 1 };
    void *other = mpi_build_memory(b, mpi_block_bytes(&parts, n - 1));
    if (!other)
        return;
    for (int step = 0; step < n - 1; step++) {
        int out = (b->rank - step - 1 + 2 * n) % n, in = (b->rank - step - 2 + 2 * n) % n;
        mpi_build_send(b, next, mpi_block_at(&parts, out), mpi_block_bytes(&parts, out));
        mpi_build_recv(b, before, other, mpi_block_bytes(&parts, in));
        mpi_build_wait(b);
        mpi_build_combine(b, other, mpi_block_at(&parts, in), mpi_block_bytes(&parts, in));
    }
    mpi_build_ring(b, &parts);
}

/* MPILITE_BARRIER counts for all but the ring. */
static enum mpi_algorithm choose(const struct mpi_build *b, const struct mpi_reduction *r)
{
    unsigned has = (r->commutative ? MPI_NEEDS_COMMUTES : 0u)
                   | (r->count >= (size_t)b->size ? MPI_NEEDS_ELEMENTS : 0u);
    enum mpi_algorithm usual = mpi_choose(mpi_choices_allreduce, b->crowded, b->size, bytes_of(r),
                                          has);
    if (likely(!b->barrier) || usual == MPI_ALGORITHM_RING)
        return usual;
    struct mpi_barrier_algorithm wanted = mpi_build_barrier_algorithm(b);
    if (!wanted.tree)
        return MPI_ALGORITHM_PAIRS;
    return b->size <= wanted.degree ? MPI_ALGORITHM_STAR : MPI_ALGORITHM_TREE;
}

void mpi_build_allreduce(struct mpi_build *b, void *result, const struct mpi_reduction *r)
{
    enum mpi_algorithm algorithm = choose(b, r);
    if (algorithm == MPI_ALGORITHM_RING) {
        ring(b, result, r);
        return;
    }
    void *other = mpi_build_memory(b, bytes_of(r));
    if (!other)
        return;
    if (algorithm == MPI_ALGORITHM_PAIRS) {
        pairwise(b, result, other, r);
    } else if (algorithm == MPI_ALGORITHM_STAR) {
        star(b, result, other, r);
    } else {
        binomial(b, result, other, r, 0);
        mpi_build_bcast(b, result, bytes_of(r), 0);
    }
    mpi_build_wait(b);
}

/* -- to parts: to one rank, which scatters them */

void mpi_build_scatter_parts(struct mpi_build *b, const char *whole, void *result,
                             const struct mpi_blocks *block)
{
    size_t at = mpi_block_bytes(block, 0);
    if (b->rank) {
        mpi_build_take(b, 0, result, mpi_block_bytes(block, b->rank));
        return;
    }
    for (int i = 1; i < b->size; i++) {
        mpi_build_send(b, i, whole + at, mpi_block_bytes(block, i));
        at += mpi_block_bytes(block, i);
    }
    mpi_build_copy(b, result, whole, mpi_block_bytes(block, 0));
    mpi_build_wait(b);
}

void mpi_build_reduce_scatter(struct mpi_build *b, const void *from, void *result,
                              const struct mpi_blocks *block, const struct mpi_reduction *r)
{
    void *whole = mpi_build_contribution(b, from, r, 0);
    if (!whole && bytes_of(r))
        return;
    mpi_build_reduce(b, whole, r, 0);
    mpi_build_scatter_parts(b, whole, result, block);
}
