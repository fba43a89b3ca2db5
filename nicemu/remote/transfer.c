/* RDMA: transfers between lists of blocks, from the call to the end.  What is short and in reach is
 * done in the call; the rest goes on by turns, a piece each.
 *
 * Nothing is touched before all of a transfer's remote blocks have been found good: they lie in one
 * key's memory, so that the range which they span tells. */
#include "remote/transfer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/baton.h"
#include "core/scratchpad.h"
#include "remote/counters.h"
#include "remote/op.h"
#include "remote/packets.h"
#include "remote/reach.h"
#include "remote/region.h"
#include "remote/staged.h"
#include "nicemu/counter.h"
#include "nicemu/machines.h"

enum { PIECE_BYTES = 256 * 1024, PIECE_RUNS = 4096, QUICK_BYTES = 4096 };

#define PATH_NAME(name, text) text,
static const char *const path_names[] = { NIC_PATHS(PATH_NAME) };

const char *nic_path_name(enum nic_path path)
{
    return path < NIC_PATH_COUNT ? path_names[path] : "?";
}

/* -- shapes */

/* low, high: from the base; low may be "negative" */
struct span { uint64_t total, low, high; };

static bool span_of_list(const struct nic_shape *s, struct span *p)
{
    *p = (struct span){ 0, UINT64_MAX, 0 };
    for (uint64_t i = 0; i < s->count; i++) {
        const struct nic_block *b = &s->list[i];
        uint64_t end;
        if (!b->bytes)
            continue;
        if (__builtin_add_overflow(b->offset, b->bytes, &end)
            || __builtin_add_overflow(p->total, b->bytes, &p->total))
            return false;
        p->low = b->offset < p->low ? b->offset : p->low;
        p->high = end > p->high ? end : p->high;
    }
    return true;
}

/* False: it wraps around, or is more than any memory has. */
static bool span_of(const struct nic_shape *s, struct span *p)
{
    int64_t last = 0, end;
    if (s->list)
        return span_of_list(s, p);
    *p = (struct span){ 0 };
    if (__builtin_mul_overflow(s->block, s->count, &p->total))
        return false;
    if (!p->total)
        return true;
    if (s->count - 1 > INT64_MAX
        || __builtin_mul_overflow(s->stride, (int64_t)(s->count - 1), &last) || s->block > INT64_MAX
        || __builtin_add_overflow(last > 0 ? last : 0, (int64_t)s->block, &end))
        return false;
    p->low = (uint64_t)(last < 0 ? last : 0);
    p->high = (uint64_t)end;
    return true;
}

/* Blocks that touch are one. */
static struct nic_shape normal(const struct nic_shape *s, uint64_t total)
{
    return !s->list && (s->count == 1 || s->stride == (int64_t)s->block) ? nic_contiguous(total)
           : *s;
}

static bool is_contiguous(const struct nic_shape *s) { return !s->list && s->count == 1; }

/* The remote span from the start of the key's memory. */
static bool place_hull(struct nic_op *op, const struct span *remote)
{
    uint64_t low = op->t.remote.offset + remote->low, below = (int64_t)remote->low < 0
                   && !op->t.remote_shape.list ? -remote->low : 0;
    op->hull_bytes = remote->high - remote->low;
    op->hull_offset = low;
    if (!remote->total)
        return true;
    if (below ? below > op->t.remote.offset : low < op->t.remote.offset)
        return false;
    return low + op->hull_bytes >= low;
}

/* A counter, as far as one can tell: on the model clock, and on another machine, only its owner's
 * NIC knows. */
static bool counter_possible(struct nic *n, uint32_t rank, uint64_t counter)
{
    if (counter == NIC_SPAD_NONE)
        return true;
    if (rank != n->rank && (n->clock || !nic_job_here(n->job, rank)))
        return counter % NIC_COUNTER_ALIGN == 0
               && nic_spad_holds(n, rank, counter, NIC_COUNTER_BYTES);
    return nic_counter_at(n, rank, counter);
}

static bool prepare(struct nic *n, const struct nic_transfer *t, bool put, struct nic_op *op)
{
    struct span local, remote;
    if (t->remote.rank >= n->ranks || !span_of(&t->local_shape, &local)
        || !span_of(&t->remote_shape, &remote) || local.total != remote.total
        || (local.total && !t->local) || !counter_possible(n, n->rank, t->local_counter)
            || !counter_possible(n, t->remote.rank, t->remote_counter))
        return false;
    *op = (struct nic_op){ .t = *t, .put = put, .total = local.total, .left = local.total };
    op->t.local_shape = normal(&t->local_shape, local.total);
    op->t.remote_shape = normal(&t->remote_shape, local.total);
    return place_hull(op, &remote);
}

/* -- direct: the remote memory is in reach of this process */

static void copy_either_way(const struct nic_op *op, unsigned char *remote, unsigned char *local,
                            uint64_t bytes)
{
    if (op->put)
        nic_copy(remote, local, bytes);
    else
        nic_copy(local, remote, bytes);
}

static uint64_t direct_backward(struct nic_op *op, unsigned char *base)
{
    uint64_t bytes = op->left < PIECE_BYTES ? op->left : PIECE_BYTES;
    op->left -= bytes;
    copy_either_way(op, base + op->left, nic_op_local(op, op->left), bytes);
    return bytes;
}

static uint64_t direct_forward(struct nic_op *op, unsigned char *base)
{
    uint64_t moved = 0, at_local, at_remote;
    for (unsigned runs = 0; op->left && moved < PIECE_BYTES && runs < PIECE_RUNS; runs++) {
        uint64_t run = nic_cursor_run(&op->t.local_shape, &op->local, &at_local);
        uint64_t other = nic_cursor_run(&op->t.remote_shape, &op->remote, &at_remote);
        run = other < run ? other : run;
        run = run < PIECE_BYTES - moved ? run : PIECE_BYTES - moved;
        copy_either_way(op, nic_at_offset(base, at_remote), nic_op_local(op, at_local), run);
        nic_cursor_step(&op->t.local_shape, &op->local, run);
        nic_cursor_step(&op->t.remote_shape, &op->remote, run);
        op->left -= run;
        moved += run;
    }
    return moved;
}

/* Where the remote blocks count from.  Looked up for each piece:
 * a key of one's own may have gone in between. */
static int direct_base(struct nic *n, const struct nic_op *op, unsigned char **base)
{
    struct nic_address hull = { op->t.remote.rank, op->t.remote.key, op->hull_offset };
    void *at;
    int rc = nic_reach(n, &hull, op->hull_bytes, nic_op_right(op), &at);
    if (!rc)
        *base = nic_at_offset(at, op->t.remote.offset - op->hull_offset);
    return rc;
}

static void charge_piece(struct nic *n, const struct nic_op *op, uint64_t from, uint64_t bytes)
{
    if (likely(n->clock == NULL))
        return;
    nic_clock_rdma_piece(n->clock, from, bytes);
    if (op->put)
        n->model_ops->has_written(n, op->t.remote.rank, bytes);
}

static void direct_advance(struct nic *n, struct nic_op *op)
{
    unsigned char *base;
    if ((op->status = direct_base(n, op, &base)))
        return;
    uint64_t before = op->total - op->left, moved = op->backward ? direct_backward(op, base)
                      : direct_forward(op, base);
    charge_piece(n, op, before, moved);
    n->counts.path_bytes[NIC_PATH_DIRECT] += moved;
}

/* -- kernel: it copies between the processes, a list of pieces in a call */

/* The next runs of a side, as many bytes as `limit`; returns the bytes that they have. */
static uint64_t gather_runs(const struct nic_shape *s, struct nic_cursor *c, uint64_t base,
                            uint64_t limit, struct iovec *v, unsigned *count)
{
    uint64_t bytes = 0, offset;
    for (*count = 0; bytes < limit && *count < NIC_LINK_PIECES; (*count)++) {
        uint64_t run = nic_cursor_run(s, c, &offset);
        run = run < limit - bytes ? run : limit - bytes;
        v[*count] = (struct iovec){ (void *)(uintptr_t)(base + offset), run };
        nic_cursor_step(s, c, run);
        bytes += run;
    }
    return bytes;
}

static int kernel_copy(struct nic *n, const struct nic_op *op, struct iovec *local,
                       unsigned locals, struct iovec *remote, unsigned remotes, uint64_t bytes)
{
    unsigned peer = op->t.remote.rank;
    if (locals == 1 && remotes == 1 && op->put)
        return n->link->write(n, peer, local->iov_base, (uint64_t)(uintptr_t)remote->iov_base,
                              bytes);
    if (locals == 1 && remotes == 1)
        return n->link->read(n, peer, (uint64_t)(uintptr_t)remote->iov_base, local->iov_base,
                             bytes);
    return op->put ? n->link->write_list(n, peer, local, locals, remote, remotes, bytes)
           : n->link->read_list(n, peer, remote, remotes, local, locals, bytes);
}

/* One piece, while the region is claimed; base: where its remote
 * blocks count from, in the peer's process. */
static void kernel_piece(struct nic *n, struct nic_op *op, uint64_t base)
{
    struct iovec local[NIC_LINK_PIECES], remote[NIC_LINK_PIECES];
    unsigned locals, remotes;
    struct nic_cursor from_local = op->local, from_remote = op->remote;
    uint64_t limit = op->left < PIECE_BYTES ? op->left : PIECE_BYTES;
    uint64_t a = gather_runs(&op->t.local_shape, &op->local, (uint64_t)(uintptr_t)op->t.local,
                             limit, local, &locals);
    uint64_t b = gather_runs(&op->t.remote_shape, &op->remote, base, a, remote, &remotes);
    if (b < a) {                /* the remote list was full first: the local cursor went too far */
        op->local = from_local;
        gather_runs(&op->t.local_shape, &op->local, (uint64_t)(uintptr_t)op->t.local, b, local,
                    &locals);
    }
    op->status = kernel_copy(n, op, local, locals, remote, remotes, b);
    if (op->status) {
        op->local = from_local;
        op->remote = from_remote;
        return;
    }
    charge_piece(n, op, op->total - op->left, b);
    op->left -= b;
    n->counts.path_bytes[NIC_PATH_KERNEL] += b;
    NIC_COUNT(n, bytes_kernel_read, op->put ? 0 : b);
    NIC_COUNT(n, bytes_kernel_written, op->put ? b : 0);
}

static void kernel_advance(struct nic *n, struct nic_op *op)
{
    uint64_t hull;
    op->status = nic_region_claim(n, op->t.remote.rank, op->t.remote.key, op->hull_offset,
                                  op->hull_bytes, nic_op_right(op), &hull);
    if (op->status)
        return;
    kernel_piece(n, op, hull + (op->t.remote.offset - op->hull_offset));
    nic_region_release(n);
}

/* -- paths */

static bool overlaps_backward(const struct nic_op *op, const unsigned char *base)
{
    uintptr_t local = (uintptr_t)op->t.local, remote = (uintptr_t)base,
        to = op->put ? remote : local, from = op->put ? local : remote;
    return is_contiguous(&op->t.local_shape) && is_contiguous(&op->t.remote_shape) && to > from
           && to - from < op->total;
}

static int choose_direct(struct nic *n, struct nic_op *op)
{
    unsigned char *base;
    int rc = direct_base(n, op, &base);
    op->path = NIC_PATH_DIRECT;
    op->backward = !rc && overlaps_backward(op, base);
    return rc;
}

static int choose_kernel(struct nic *n, struct nic_op *op)
{
    uint64_t at;
    int rc = nic_region_claim(n, op->t.remote.rank, op->t.remote.key, op->hull_offset,
                              op->hull_bytes, nic_op_right(op), &at);
    op->path = NIC_PATH_KERNEL;
    if (!rc)
        nic_region_release(n);
    return rc;
}

unsigned nic_remote_paths(struct nic *n, const struct nic_address *a, unsigned right)
{
    unsigned paths = 1u << NIC_PATH_STAGED;
    if (a->rank >= n->ranks)
        return 0;
    if (a->rank == n->rank)
        return paths | 1u << NIC_PATH_DIRECT;
    if (n->clock || !nic_job_here(n->job, a->rank))
        return paths;
    if (a->key == NIC_KEY_HEAP && !n->job->heap)
        return paths;
    if (a->key == NIC_KEY_SCRATCHPAD || a->key == NIC_KEY_HEAP)
        return paths | 1u << NIC_PATH_DIRECT;
    unsigned way = right == NIC_RIGHT_READ ? NIC_RDMA_READ : NIC_RDMA_WRITE;
    bool kernel = nic_job_rank_state(n->job, a->rank) == NIC_RANK_OPEN
                  && nic_rdma_paths(n, a->rank) & way;
    return kernel ? paths | 1u << NIC_PATH_KERNEL : paths;
}

void nic_remote_allow(struct nic *n, unsigned allowed)
{
    nic_baton_check(n);
    n->remote->allowed = allowed;
}

unsigned nic_remote_allowed(const struct nic *n) { return n->remote->allowed; }

/* 0, or what is wrong with the remote side as far as one can tell from here. */
static int choose(struct nic *n, struct nic_op *op)
{
    unsigned paths = nic_remote_paths(n, &op->t.remote, nic_op_right(op)) & n->remote->allowed;
    if (paths & 1u << NIC_PATH_DIRECT)
        return choose_direct(n, op);
    if (paths & 1u << NIC_PATH_KERNEL)
        return choose_kernel(n, op);
    op->path = NIC_PATH_STAGED;
    if (unlikely(n->wires != NULL) && nic_lost(n, op->t.remote.rank))
        return -EHOSTDOWN;
    return !n->clock && nic_job_rank_state(n->job, op->t.remote.rank) == NIC_RANK_CLOSED ? -ESRCH
           : 0;
}

/* -- turns */

static bool advance_in_reach(struct nic *n, struct nic_op *op)
{
    if (op->path == NIC_PATH_DIRECT)
        direct_advance(n, op);
    else
        kernel_advance(n, op);
    return op->status || !op->left;
}

/* One piece of the first transfer, which then goes behind the others. */
bool nic_transfers_advance(struct nic *n)
{
    struct nic_op *op = nic_op_unlist_first(n);
    if (op->path == NIC_PATH_STAGED)
        return nic_staged_advance(n, op);
    if (advance_in_reach(n, op))
        nic_op_end(n, op);
    else
        nic_op_list(n, op);
    return true;
}

/* -- lost ranks */

/* No reply is waited for any more. */
static void forget_replies(struct nic *n)
{
    struct nic_remote *r = n->remote;
    for (unsigned i = 0; i < r->pending_chunks * NIC_PENDING_CHUNK; i++) {
        struct nic_pending *p = &r->pending[i / NIC_PENDING_CHUNK][i % NIC_PENDING_CHUNK];
        if ((p->reply == NIC_HW_PUT_REPLY || p->reply == NIC_HW_GET_REPLY)
            && nic_lost(n, p->peer))
            nic_pending_free(n, p);
    }
}

/* Each ends with its next turn in the list. */
bool nic_transfers_lose(struct nic *n)
{
    bool some = false;
    for (struct nic_op *op = n->remote->all_ops; op; op = op->next_of_all) {
        if (!op->live || op->status || !nic_lost(n, op->t.remote.rank))
            continue;
        op->status = -EHOSTDOWN;
        op->left = op->in_flight = 0;
        nic_op_list(n, op);
        some = true;
    }
    if (some)
        forget_replies(n);
    return some;
}

/* -- the calls */

/* A short contiguous transfer with memory of the segment, in one go: most of what a real NIC is
 * asked for.  True: done. */
static bool quick(struct nic *n, const struct nic_transfer *t, struct nic_outcome *outcome,
                  bool put)
{
    uint64_t bytes = t->local_shape.block;
    const struct nic_shape *a = &t->local_shape, *b = &t->remote_shape;
    void *at;
    if (bytes > QUICK_BYTES || !bytes || b->block != bytes || a->count != 1 || b->count != 1
        || a->list || b->list || t->remote.key > NIC_KEY_HEAP
        || !(n->remote->allowed & 1u << NIC_PATH_DIRECT) || unlikely(n->clock != NULL) || !t->local
        || (t->local_counter & t->remote_counter) != NIC_SPAD_NONE
            || nic_reach(n, &t->remote, bytes, 0, &at))
        return false;
    if (put)
        nic_copy(at, t->local, bytes);
    else
        nic_copy(t->local, at, bytes);
    n->counts.transfers++;
    n->counts.path_bytes[NIC_PATH_DIRECT] += bytes;
    if (put && !t->quiet)
        nic_notify(n, t->remote.rank);
    nic_outcome_tell(outcome, 0);
    return true;
}

/* Does the first piece at once, if that needs no packets; true: the transfer has ended. */
static bool first_piece(struct nic *n, struct nic_op *op)
{
    if (!op->left)
        return true;
    if ((op->status = choose(n, op)))
        return true;
    return op->path != NIC_PATH_STAGED && advance_in_reach(n, op);
}

static int start(struct nic *n, const struct nic_transfer *t, struct nic_outcome *outcome, bool put)
{
    struct nic_op now, *op;
    if (!prepare(n, t, put, &now))
        return -EINVAL;
    /* before anything moves: a transfer that has begun has an end */
    if (!(op = nic_op_new(n, &now)))
        return -ENOMEM;
    op->outcome = outcome;
    if (outcome)
        __atomic_store_n(&outcome->status, -EINPROGRESS, __ATOMIC_RELAXED);
    n->counts.transfers++;
    if (unlikely(n->clock != NULL))
        nic_clock_rdma_start(n->clock, op->total);
    if (first_piece(n, op))
        nic_op_end(n, op);
    else
        nic_op_list(n, op);
    return 0;
}

int nic_put(struct nic *n, const struct nic_transfer *t, struct nic_outcome *outcome)
{
    nic_baton_check(n);
    nic_catch_up(n);
    return quick(n, t, outcome, true) ? 0 : start(n, t, outcome, true);
}

int nic_get(struct nic *n, const struct nic_transfer *t, struct nic_outcome *outcome)
{
    nic_baton_check(n);
    nic_catch_up(n);
    return quick(n, t, outcome, false) ? 0 : start(n, t, outcome, false);
}

unsigned long nic_outstanding(const struct nic *n) { return n->remote->outstanding; }

static const char *note(void *argument, char *text, size_t size)
{
    (void)argument;
    snprintf(text, size, "an RDMA transfer");
    return text;
}

void nic_finish(struct nic *n)
{
    if (unlikely(n->model != NULL))
        n->model_ops->host_awaits(n);
}

int nic_outcome_wait(struct nic *n, struct nic_outcome *outcome)
{
    struct nic_wait w = { .note = note };
    if (nic_outcome_status(outcome) != -EINPROGRESS)
        nic_finish(n);
    while (nic_outcome_status(outcome) == -EINPROGRESS)
        nic_wait_turn(n, &w);
    return nic_outcome_status(outcome);
}
