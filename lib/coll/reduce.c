/* Reductions to one rank, to all, to parts, and prefixes.
 *
 * The operation gets (lower ranks, higher ranks) in this order wherever it is not commutative. */
#include <stdlib.h>
#include <string.h>

#include "coll/coll.h"
#include "core/err.h"
#include "core/world.h"
#include "mpi/weak_alias.h"

enum { LONG_BYTES = 32 * 1024, CROWDED_DEGREE = 64 };

/* lower op higher, into `higher`. */
static void combine(const struct mpi_reduction *r, const void *lower, void *higher, size_t count)
{
    if (count)
        mpi_op_apply(r->op, r->type, lower, higher, count);
}

/* mine op theirs, into `mine`.  For commutative ones without a copy. */
static void fold_in(const struct mpi_reduction *r, void *mine, void *theirs)
{
    if (r->commutative) {
        combine(r, theirs, mine, r->count);
        return;
    }
    combine(r, mine, theirs, r->count);
    mpi_coll_copy(mine, theirs, r->unit * r->count);
}

/* Rank v (relative to the root) adds v + 1, v + 2, v + 4 ... while those bits are free: each partial result covers neighbours in rank order. */
static void binomial(struct mpi_coll *x, void *result, void *other, const struct mpi_reduction *r, int root)
{
    int v = (x->rank - root + x->size) % x->size;
    size_t bytes = r->unit * r->count;
    for (int bit = 1; bit < x->size; bit *= 2) {
        if (v & bit) {
            mpi_coll_send(x, (v - bit + root) % x->size, result, bytes);
            return;
        }
        if (v + bit < x->size) {
            mpi_coll_recv(x, (v + bit + root) % x->size, other, bytes);
            fold_in(r, result, other);
        }
    }
}

/* Past the cores: everybody sends to the root, which adds in rank order. */
static void star(struct mpi_coll *x, void *result, void *other, const struct mpi_reduction *r, int root)
{
    size_t bytes = r->unit * r->count;
    if (x->rank != root) {
        mpi_coll_send(x, root, result, bytes);
        return;
    }
    for (int i = 1; i < x->size; i++) {
        mpi_coll_recv(x, (root + i) % x->size, other, bytes);
        fold_in(r, result, other);
    }
}

/* Room for another rank's contribution: on the stack where it is short. */
struct scratch { _Alignas(16) unsigned char small[256]; void *memory; };

static void *scratch_get(struct mpi_coll *x, struct scratch *s, size_t bytes)
{
    s->memory = bytes <= sizeof s->small ? NULL : mpi_coll_memory(x, bytes);
    return bytes <= sizeof s->small ? s->small : s->memory;
}

void mpi_coll_reduce(struct mpi_coll *x, void *result, const struct mpi_reduction *r, int root)
{
    int at = r->commutative ? root : 0;         /* relative ranks would wrap round */
    size_t bytes = r->unit * r->count;
    struct scratch s;
    if (x->size == 1 || mpi_coll_offloaded(x, FW_SLOT_REDUCE, result, bytes, root, r))
        return;
    mpi_coll_sign(x, MPI_COLL_REDUCE, bytes, root);
    void *other = scratch_get(x, &s, bytes);
    if (other) {
        binomial(x, result, other, r, at);      /* not a star: ranks that run ahead would flood the root */
        if (at != root && x->rank == at)
            mpi_coll_send(x, root, result, bytes);
        if (at != root && x->rank == root)
            mpi_coll_recv(x, at, result, bytes);
    }
    mpi_coll_release(x, s.memory);
}

/* -- all-reduce */

/* Short, a core for each: every pair of ranks at distance 1, 2, 4 ... exchanges partial results; the surplus over a power of two
 * joins a neighbour first. */
static void doubling(struct mpi_coll *x, void *result, void *other, const struct mpi_reduction *r)
{
    size_t bytes = r->unit * r->count;
    int power = 1;
    while (power * 2 <= x->size)
        power *= 2;
    int surplus = x->size - power, v;
    if (x->rank < 2 * surplus && x->rank % 2) {         /* odd ones among the first join the one below, and wait */
        mpi_coll_send(x, x->rank - 1, result, bytes);
        mpi_coll_recv(x, x->rank - 1, result, bytes);
        return;
    }
    if (x->rank < 2 * surplus) {
        mpi_coll_recv(x, x->rank + 1, other, bytes);
        fold_in(r, result, other);
    }
    v = x->rank < 2 * surplus ? x->rank / 2 : x->rank - surplus;
    for (int bit = 1; bit < power; bit *= 2) {
        int w = v ^ bit, peer = w < surplus ? 2 * w : w + surplus;
        mpi_coll_exchange(x, peer, result, bytes, peer, other, bytes);
        if (w > v) {
            fold_in(r, result, other);
        } else {
            combine(r, other, result, r->count);
        }
    }
    if (x->rank < 2 * surplus)
        mpi_coll_send(x, x->rank + 1, result, bytes);
}

/* Long and commutative: a ring that reduces block by block, then a ring that collects them. */
static void ring(struct mpi_coll *x, char *result, char *other, const struct mpi_reduction *r)
{
    size_t *at = mpi_coll_memory(x, 2 * sizeof *at * (size_t)x->size), *len = at + x->size;
    int n = x->size, next = (x->rank + 1) % n, before = (x->rank + n - 1) % n;
    if (!at)
        return;
    for (int i = 0; i < n; i++) {
        size_t first = r->count / (size_t)n * (size_t)i, end = i + 1 < n ? r->count / (size_t)n * (size_t)(i + 1) : r->count;
        at[i] = first * r->unit;
        len[i] = (end - first) * r->unit;
    }
    for (int step = 0; step < n - 1; step++) {
        int out = (x->rank - step - 1 + 2 * n) % n, in = (x->rank - step - 2 + 2 * n) % n;
        mpi_coll_exchange(x, next, result + at[out], len[out], before, other, len[in]);
        combine(r, other, result + at[in], len[in] / r->unit);
    }
    mpi_coll_allgatherv(x, result, at, len);
    free(at);
}

/* Everybody to one and back: each rank gets the processor twice. */
static void star_and_back(struct mpi_coll *x, void *result, void *other, const struct mpi_reduction *r)
{
    size_t bytes = r->unit * r->count;
    star(x, result, other, r, 0);
    if (x->rank)
        mpi_coll_recv(x, 0, result, bytes);
    else
        for (int i = 1; i < x->size; i++)
            mpi_coll_send(x, i, result, bytes);
}

void mpi_coll_allreduce(struct mpi_coll *x, void *result, const struct mpi_reduction *r)
{
    size_t bytes = r->unit * r->count;
    struct scratch s;
    if (x->size == 1 || mpi_coll_offloaded(x, FW_SLOT_ALLREDUCE, result, bytes, 0, r))
        return;
    mpi_coll_sign(x, MPI_COLL_ALLREDUCE, bytes, 0);
    void *other = scratch_get(x, &s, bytes);
    if (!other)
        return;
    if (bytes >= LONG_BYTES && r->commutative && r->count >= (size_t)x->size && x->size > 2) {
        ring(x, result, other, r);
    } else if (!x->crowded) {
        doubling(x, result, other, r);
    } else if (x->size <= CROWDED_DEGREE) {
        star_and_back(x, result, other, r);
    } else {
        binomial(x, result, other, r, 0);
        mpi_coll_bcast(x, result, bytes, 0);
    }
    mpi_coll_release(x, s.memory);
}

/* -- the calls */

int mpi_coll_check_buffers(const char *call, struct mpi_comm *c, const void *sendbuf, const void *recvbuf, int count)
{
    if (unlikely(recvbuf == MPI_IN_PLACE))
        return mpi_err(c, call, MPI_ERR_BUFFER, "MPI_IN_PLACE stands for the receive buffer");
    if (unlikely(sendbuf == recvbuf && count))
        return mpi_err(c, call, MPI_ERR_BUFFER, "send and receive buffer are the same: use MPI_IN_PLACE");
    return MPI_SUCCESS;
}

int mpi_coll_check_reduce(const char *call, struct mpi_comm *c, const void *sendbuf, const void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
                          struct mpi_reduction *r)
{
    const struct mpi_type *t;
    int rc = mpi_coll_check_root(call, c, root);
    if (!rc)
        rc = mpi_coll_check_data(call, c, c->rank == root ? recvbuf : sendbuf, count, datatype, &t);
    if (!rc && c->rank != root && sendbuf == MPI_IN_PLACE)
        rc = mpi_err(c, call, MPI_ERR_BUFFER, "MPI_IN_PLACE is for the root, which is %d", root);
    if (!rc)
        rc = mpi_coll_check_op(call, c, op, datatype, count, r);
    if (!rc && c->rank == root)
        rc = mpi_coll_check_buffers(call, c, sendbuf, recvbuf, count);
    return rc;
}

int PMPI_Reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm)
{
    const char *call = "MPI_Reduce";
    struct mpi_coll x;
    struct mpi_comm *c;
    struct mpi_reduction r;
    MPI_ENTER(call);
    int rc = mpi_coll_check_comm(call, comm, &c);
    if (!rc)
        rc = mpi_coll_check_reduce(call, c, sendbuf, recvbuf, count, datatype, op, root, &r);
    if (rc)
        return rc;
    mpi_coll_begin(&x, call, c);
    size_t bytes = r.unit * r.count;
    unsigned char small[64];
    void *result = c->rank == root ? recvbuf : bytes <= sizeof small ? small : mpi_coll_memory(&x, bytes);
    if (result && sendbuf != MPI_IN_PLACE)
        mpi_coll_copy(result, sendbuf, bytes);
    if (result)
        mpi_coll_reduce(&x, result, &r, root);
    if (result != recvbuf && result != small)
        mpi_coll_release(&x, result);
    return mpi_coll_end(&x);
}
MPI_WEAK_ALIAS(Reduce);

int PMPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    const char *call = "MPI_Allreduce";
    struct mpi_coll x;
    struct mpi_comm *c;
    struct mpi_reduction r;
    const struct mpi_type *t;
    MPI_ENTER(call);
    int rc = mpi_coll_check_comm(call, comm, &c);
    if (!rc)
        rc = mpi_coll_check_data(call, c, recvbuf, count, datatype, &t);
    if (!rc)
        rc = mpi_coll_check_op(call, c, op, datatype, count, &r);
    if (!rc)
        rc = mpi_coll_check_buffers(call, c, sendbuf, recvbuf, count);
    if (rc)
        return rc;
    mpi_coll_begin(&x, call, c);
    if (sendbuf != MPI_IN_PLACE)
        mpi_coll_copy(recvbuf, sendbuf, r.unit * r.count);
    mpi_coll_allreduce(&x, recvbuf, &r);
    return mpi_coll_end(&x);
}
MPI_WEAK_ALIAS(Allreduce);
