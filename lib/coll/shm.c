/* Short collectives by stores into scratchpads (fw/shm_coll.h), where the communicator has room
 * there. */
#include <string.h>

#include "coll/coll.h"
#include "fw/shm_info.h"

/* What both the note and the look of a wait need. */
struct waiting { struct mpi_coll *x; struct fw_shm_op op; bool odd; };

/* A collective that goes by stores alone has no messages: what came with its number is of another
 * call.  Those of one that has parts say which it is. */
static bool has_message(struct mpi_coll *x, const struct mpi_coll_call *mine)
{
    struct mpi_coll_call other;
    if (!mpi_coll_find_mismatch(mine, x->match, &other))
        return false;
    x->class = mpi_coll_describe_mismatch(mine, &other, x->why.text, sizeof x->why.text);
    return true;
}

/* What this rank called; of a part, the whole. */
static struct mpi_coll_call called_here(const struct mpi_coll *x, const struct fw_shm_op *op)
{
    enum mpi_coll_kind whole = mpi_fingerprint_kind(x->match);
    struct fw_shm_call own;
    if (whole)
        return mpi_coll_call_own(x->call, mpi_coll_shown(x->c, x->rank), whole, x->bytes, x->root);
    mpi_fw_shm_own(op, &own);
    return mpi_coll_call_own(x->call, (int)own.rank, (enum mpi_coll_kind)own.kind, own.bytes,
                             (int)own.root);
}

/* Before a sleep: that is when a root that nobody else takes for the root is worth a look. */
static const char *note(void *argument, char *text, size_t size)
{
    struct waiting *w = argument;
    struct mpi_coll_call mine = called_here(w->x, &w->op);
    char label[MPI_LABEL_LONG];
    w->odd = w->odd || mpi_fw_shm_odd(&w->op) || has_message(w->x, &mine);
    mpi_coll_note_of(&mine, mpi_label_long(w->x->c, label, sizeof label), text, size);
    mpi_coll_note_mark(&mine, w->x->c, w->x->match, text, size);
    return text;
}

static bool ready(void *argument)
{
    struct waiting *w = argument;
    return mpi_fw_shm_ready(&w->op) || w->odd;
}

/* Who stands in another operation by now may have called this one with another length, so that it
 * went by messages. */
static void fail_mismatch(struct mpi_coll *x, const struct fw_shm_op *op)
{
    struct mpi_coll_call mine = called_here(x, op);
    while (nic_step(mpi_nic))           /* it may not have been taken out of the inbox yet */
        ;
    if (!has_message(x, &mine))
        x->class = mpi_coll_mismatch(op, x->why.text, sizeof x->why.text);
}

/* -- what goes through slots, and which parts of it are whose */

/* Bytes in which each rank has a part of its own. */
static size_t row_bytes(const struct mpi_coll_plan *p)
{
    bool parts = p->kind == MPI_COLL_SCATTER || p->kind == MPI_COLL_ALLTOALL;
    return parts ? p->bytes * (size_t)p->c->size : p->bytes;
}

/* The variants of a kind whose blocks may differ go another way (vector.c), and exchanges inside of
 * other calls whose plan has no length by messages. */
static bool are_equal(const struct mpi_blocks *b, size_t bytes)
{
    return !b->counts.array && !b->parts && !b->longer && b->count * b->unit == bytes;
}

/* A rank that sends blocks of another length than it receives is told so by messages. */
static bool has_equal_blocks(const struct mpi_coll_plan *p)
{
    if (p->kind != MPI_COLL_ALLGATHER && p->kind != MPI_COLL_ALLTOALL)
        return true;
    return !p->root && !p->topo && are_equal(p->recv, p->bytes)
           && (!p->send || are_equal(p->send, p->bytes));
}

static_assert(MPI_COLL_BARRIER < MPI_COLL_BCAST && MPI_COLL_ALLREDUCE < MPI_COLL_BCAST
              && MPI_COLL_REDUCE < MPI_COLL_BCAST && MPI_COLL_GATHER > MPI_COLL_BCAST,
              "plain kinds come first");

/* Along a chain each rank has a part in what those above it get: by messages its NIC does that
 * while the host is away. */
static bool scan_goes_by_shm(const struct mpi_coll_plan *p)
{
    return p->form == MPI_COLL_BLOCKING || mpi_fw_shm_coll_few(p->c->shm);
}

static bool has_root(enum mpi_coll_kind kind)
{
    return kind == MPI_COLL_BCAST || kind == MPI_COLL_REDUCE || kind == MPI_COLL_GATHER
           || kind == MPI_COLL_SCATTER;
}

void mpi_coll_note_root(struct mpi_coll_plan *p)
{
    bool noted = p->kind == MPI_COLL_GATHERV
                 || (has_root(p->kind) && row_bytes(p) > FW_SHM_BYTES);
    if (p->form != MPI_COLL_BLOCKING || !noted)
        return;
    p->root_moves = p->root != p->c->last_root;
    p->c->last_root = p->root;
}

/* Past the cores so many ranks' messages of a gather are more than an inbox holds, and each is a
 * step of the root's, which counts arrivals of rows: gathers of 1 KiB, one root, by messages and
 * so, us: 8 ranks 7.8, 5.0, 16 ranks 15, 9, 64 ranks 105, 33, 256 ranks 1,550, 320. */
static bool is_from_many(const struct mpi_coll_plan *p)
{
    return p->c->size >= 8 && p->form == MPI_COLL_BLOCKING && nic_oversubscribed(mpi_nic);
}

/* Few operations with rows beside the slots are under way at a time, and a root that stays would
 * run less far ahead than by messages; one that moves waits for the one before anyway.  Calls that
 * do not block have room for more, so that who computes behind several has given all of its
 * contributions.  Past 2 cores, a root that moves, by messages and so, us: reductions of 1 KiB 4
 * ranks 4.1, 2.1, 8 ranks 10.5, 4.5; broadcasts 2.3, 1.9, 4.7, 4.2; 2 ranks 0.17, 0.14, 0.14,
 * 0.10. */
static bool may_be_wide(const struct mpi_coll_plan *p)
{
    switch (p->kind) {
    case MPI_COLL_GATHER: return p->root_moves || is_from_many(p);
    case MPI_COLL_ALLTOALL: case MPI_COLL_REDUCE_SCATTER: return true;
    case MPI_COLL_ALLREDUCE: case MPI_COLL_ALLGATHER: return p->form == MPI_COLL_BLOCKING;
    default: return p->root_moves;
    }
}

bool mpi_coll_parts_go_by_shm(const struct mpi_coll_plan *p)
{
    if (p->kind > MPI_COLL_SCAN || p->bytes > FW_SHM_WIDE_BYTES)
        return false;
    if (p->kind == MPI_COLL_SCAN && !scan_goes_by_shm(p))
        return false;
    return has_equal_blocks(p)
           && row_bytes(p) <= (may_be_wide(p) ? FW_SHM_WIDE_BYTES : FW_SHM_BYTES);
}

/* The block that a root, which gives or gets all, keeps: its own, which need not travel. */
static void keep_block(void *to, const void *from, size_t one, size_t other)
{
    size_t bytes = one < other ? one : other;
    if (to && from && bytes && to != from)
        memcpy(to, from, bytes);
}

static void set_gather(struct fw_shm_data *d, const struct mpi_coll_plan *p)
{
    if (p->c->rank != p->root)
        return;
    keep_block(mpi_block_at(p->recv, p->root), p->from, p->own_bytes, p->bytes);
    d->in = NULL;
    d->out = mpi_block_at(p->recv, 0);
}

static void set_scatter(struct fw_shm_data *d, const struct mpi_coll_plan *p)
{
    d->at = (uint32_t)p->c->rank * d->part;
    if (p->c->rank != p->root)
        return;
    d->in = mpi_block_at(p->send, 0);
    keep_block(p->data, mpi_block_at(p->send, p->root), p->own_bytes, p->bytes);
}

static void set_reduce_scatter(struct fw_shm_data *d, const struct mpi_coll_plan *p)
{
    for (int i = 0; i < p->c->rank; i++)
        d->at += (uint32_t)mpi_block_bytes(p->recv, i);
    d->part = (uint32_t)mpi_block_bytes(p->recv, p->c->rank);
}

static void set_parts(struct fw_shm_data *d, const struct mpi_coll_plan *p)
{
    d->row = (uint32_t)row_bytes(p);
    switch (p->kind) {
    case MPI_COLL_GATHER: set_gather(d, p); break;
    case MPI_COLL_SCATTER: set_scatter(d, p); break;
    case MPI_COLL_REDUCE_SCATTER: set_reduce_scatter(d, p); break;
    case MPI_COLL_ALLGATHER:
        d->in = mpi_block_at(p->recv, p->c->rank);
        d->out = mpi_block_at(p->recv, 0);
        break;
    case MPI_COLL_ALLTOALL:
        d->at = (uint32_t)p->c->rank * d->part;
        d->in = mpi_block_at(p->send ? p->send : p->recv, 0);
        d->out = mpi_block_at(p->recv, 0);
        break;
    default: break;
    }
}

static inline void set_data(struct fw_shm_data *d, const struct mpi_coll_plan *p)
{
    d->in = p->from ? p->from : p->data;        /* a leaf's is read only */
    d->out = p->data;
    d->row = d->part = (uint32_t)p->bytes;
    d->at = 0;
    if (!mpi_coll_is_plain(p))
        set_parts(d, p);
}

static uint32_t part_of(const struct mpi_coll_plan *p, uint64_t match)
{
    return mpi_fingerprint_part(match) | (p->meeting ? MPI_FINGERPRINT_MEETING : 0);
}

static_assert((int)MPI_FINGERPRINT_NUMBER == FW_SHM_NUMBER, "what is above is not of the number");

/* What the caller of an operation gives it; what all ranks are to agree on comes back. */
static inline uint64_t prepare(struct fw_shm_op *op, const struct mpi_coll_plan *p, uint64_t match)
{
    bool part = unlikely(mpi_fingerprint_kind(match) != MPI_COLL_NONE);
    op->call = p->call;
    op->vector = NULL;
    set_data(&op->data, p);
    return fw_shm_info((enum fw_shm_kind)p->kind, p->bytes, (uint32_t)p->root,
                       part ? part_of(p, match) : 0, (uint32_t)match);
}

void mpi_coll_shm_begin(struct fw_shm_op *op, const struct mpi_coll_plan *p, uint64_t match,
                        const void *context)
{
    uint64_t info = prepare(op, p, match) | FW_SHM_LATER;
    mpi_fw_shm_begin(p->c->shm, op, info, mpi_coll_combine, context);
}

/* -- */

static __attribute__((noinline)) void wait_for_others(struct waiting *w)
{
    struct nic_wait wait = { .note = note, .ready = ready, .argument = w,
                             .by_turns = !mpi_fw_shm_coll_few(w->x->c->shm) };
    if (mpi_fw_shm_comes_soon(mpi_fw, &w->op))
        return;
    do {
        nic_wait_turn(mpi_nic, &wait);
        if (unlikely(w->odd) && !w->op.finished)
            mpi_fw_shm_give_up(mpi_fw, &w->op);
    } while (!mpi_fw_shm_advance(mpi_fw, &w->op));
}

static inline void run(struct mpi_coll *x, const struct mpi_coll_plan *p)
{
    struct waiting w;
    w.x = x;
    w.odd = false;
    uint64_t info = prepare(&w.op, p, x->match);
    if (!mpi_fw_shm_start(mpi_fw, p->c->shm, &w.op, info, mpi_coll_combine, p->r))
        wait_for_others(&w);
    if (unlikely(w.op.mismatch) && !x->class)
        fail_mismatch(x, &w.op);
}

void mpi_coll_shm_run(struct mpi_coll *x, const struct mpi_coll_plan *p) { run(x, p); }

/* Who gives its block by a message sends it before it counts as arrived, if it leaves at once: so
 * the root, which waits for that, is woken once.  A root that takes all by messages looks at no
 * row, one that takes some waits for all rows, which tell what comes so.  An all-gather has no
 * messages, so that one with its number is of another call. */
void mpi_coll_shm_run_vector(struct mpi_coll *x, struct mpi_coll_vector *v)
{
    const struct mpi_coll_plan *p = v->p;
    struct waiting w;
    w.x = x;
    w.odd = false;
    w.op.call = p->call;
    w.op.vector = &v->shm;
    w.op.data = (struct fw_shm_data){ .row = v->room + (uint32_t)sizeof(uint64_t), .part = 1 };
    uint64_t info = fw_shm_info((enum fw_shm_kind)p->kind, 0, (uint32_t)p->root, 0,
                                (uint32_t)x->match);
    if (p->kind != MPI_COLL_ALLGATHER)
        mpi_coll_set_fingerprint(x, p->kind, p->bytes, p->root);
    x->vector = v;
    if (v->before)
        v->move_long(v);
    v->op = &w.op;
    if (!mpi_fw_shm_start(mpi_fw, p->c->shm, &w.op, info, NULL, NULL) && v->shm.takes)
        wait_for_others(&w);
    if (!v->before && !w.op.mismatch)
        v->move_long(v);
    if (!w.op.finished)
        wait_for_others(&w);
    mpi_fw_shm_leave(mpi_fw, &w.op);
    if (unlikely(w.op.mismatch) && !x->class)
        fail_mismatch(x, &w.op);
    x->vector = NULL;
}

int mpi_coll_shm_do(const struct mpi_coll_plan *p)
{
    struct mpi_coll x;
    mpi_coll_begin(&x, p->call, p->c);
    run(&x, p);
    return mpi_coll_end(&x);
}
