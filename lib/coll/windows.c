/* Which collectives go through windows (window.h), and the windows that this process has. */
#include <stdlib.h>

#include "coll/choice.h"
#include "coll/tuning.h"
#include "coll/window.h"
#include "coll/window_price.h"
#include "nicemu/heap.h"

/* -- windows of this process.  Owner: the baton */

enum { WINDOWS_MOST = 16 };             /* what more would need goes by messages */

static struct mpi_window *windows;      /* kept: as many as there were collectives at a time */
static unsigned windows_count;

static struct mpi_window *window_new(void)
{
    struct mpi_window *w = windows_count < WINDOWS_MOST ? malloc(sizeof *w) : NULL;
    uint64_t at = w ? nic_heap_alloc(mpi_nic, MPI_WINDOW_BYTES, 4096) : NIC_HEAP_NONE;
    if (at == NIC_HEAP_NONE) {
        free(w);
        return NULL;
    }
    *w = (struct mpi_window){ .offset = at, .next = windows };
    w->head = nic_heap_at(mpi_nic, nic_rank(mpi_nic), at, MPI_WINDOW_BYTES);
    atomic_init(&mpi_window_head_of(w)->arrivals, 0);
    mpi_window_lines_new(w);
    windows = w;
    windows_count++;
    return w;
}

/* NULL: no room. */
static struct mpi_window *window_take(void)
{
    struct mpi_window *w = windows;
    while (w && w->used)
        w = w->next;
    if (!w)
        w = window_new();
    if (w)
        w->used = true;
    return w;
}

void mpi_windows_delete(void)
{
    for (struct mpi_window *w; (w = windows); free(w)) {
        windows = w->next;
        nic_heap_free(mpi_nic, w->offset);
    }
    windows_count = 0;
}

/* -- which go this way */

static size_t longest_block(const struct mpi_coll_plan *p)
{
    size_t most = 0;
    for (int i = 0; i < p->c->size; i++) {
        size_t bytes = mpi_block_bytes(p->recv, i);
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* What the rounds divide into pieces: what a rank gives to all, or to each. */
static size_t divided(const struct mpi_coll_plan *p)
{
    size_t n = (size_t)p->c->size;
    switch (p->kind) {
    case MPI_COLL_BCAST: case MPI_COLL_GATHER: case MPI_COLL_SCATTER: case MPI_COLL_ALLTOALL:
        return p->bytes;
    case MPI_COLL_ALLGATHER: case MPI_COLL_REDUCE_SCATTER: return longest_block(p);
    default: return (p->r->count / n + (p->r->count % n > 0)) * p->r->unit;
    }
}

/* Where each of a window's parts is for another rank. */
static bool has_parts(enum mpi_coll_kind kind)
{
    return kind != MPI_COLL_BCAST && kind != MPI_COLL_GATHER && kind != MPI_COLL_ALLGATHER;
}

/* Short blocks lie close together, in whole lines or words: 64 bytes to each of 64 ranks 460 us,
 * 660 where they are spread over all of the buffer. */
static size_t close_stride(size_t bytes, size_t most)
{
    size_t step = bytes < 64 ? 8 : 64, stride = (bytes + step - 1) & ~(step - 1);
    return stride < most ? stride : most;
}

static void set_rounds(struct mpi_window_op *o)
{
    const struct mpi_coll_plan *p = o->p;
    size_t unit = p->r ? p->r->unit : 8, parts = has_parts(p->kind) ? (size_t)o->x->size : 1;
    size_t bytes = divided(p), most;
    bool piecewise = p->kind == MPI_COLL_BCAST && !nic_oversubscribed(mpi_nic);
    o->buffer = piecewise ? mpi_window_quarter(bytes) : MPI_WINDOW_BUFFER;
    o->stride = o->buffer / parts & ~(size_t)63;
    if (p->kind == MPI_COLL_ALLTOALL)
        o->stride = close_stride(bytes, o->stride);
    most = o->stride / unit * unit;
    o->piece = bytes < most ? bytes : most;
    o->rounds = o->piece ? (bytes + o->piece - 1) / o->piece : 0;
}

/* Not in place, nor one of its variants. */
static bool is_plain_alltoall(const struct mpi_coll_plan *p) { return p->send && !p->root; }

static bool is_plain(const struct mpi_coll_plan *p)
{
    const struct mpi_comm *c = p->c;
    if (mpi_modelled || p->form == MPI_COLL_PERSISTENT || p->topo || c->inter || !c->shm
        || c->size > MPI_WINDOW_RANKS)
        return false;
    if (p->kind == MPI_COLL_ALLTOALL)
        return is_plain_alltoall(p);
    return p->kind > MPI_COLL_BARRIER && p->kind < MPI_COLL_SCAN;
}

/* Who computes after the call of a short all-to-all that does not block has sent all that it gives,
 * by messages, and nobody waits for its NIC's thread. */
static bool all_is_sent_at_once(const struct mpi_coll_plan *p)
{
    return p->kind == MPI_COLL_ALLTOALL && p->form != MPI_COLL_BLOCKING
           && p->c->size <= MPI_ALLTOALL_WINDOW && p->bytes < MPI_ALLTOALL_SENT_BYTES;
}

bool mpi_coll_fits_windows(const struct mpi_coll_plan *p)
{
    if (!is_plain(p) || (p->r && p->r->unit > MPI_WINDOW_UNIT) || all_is_sent_at_once(p))
        return false;
    size_t bytes = p->kind == MPI_COLL_ALLGATHER ? longest_block(p) : p->bytes;
    return mpi_window_pays(p->kind, nic_oversubscribed(mpi_nic), p->c->size, bytes);
}

bool mpi_coll_goes_by_windows(struct mpi_coll *x, const struct mpi_coll_plan *p)
{
    return !mpi_fingerprint_kind(x->match) && mpi_coll_fits_windows(p);
}

/* -- */

static void offer_own(struct mpi_window_op *o)
{
    const struct mpi_coll_plan *p = o->p;
    bool blocks = p->kind == MPI_COLL_ALLGATHER;
    struct mpi_window_offer *offer = &o->offer[o->x->rank];
    *offer = (struct mpi_window_offer){
        .window = o->own ? o->own->offset : o->dear ? MPI_WINDOW_DEAR : NIC_HEAP_NONE,
        .root = (uint64_t)p->root,
        .gives = blocks ? mpi_block_bytes(p->recv, o->x->rank)
                 : p->kind == MPI_COLL_ALLTOALL ? mpi_block_bytes(p->send, 0) : 0,
        .takes = blocks ? longest_block(p) : p->bytes };
    if (!o->own)
        return;
    o->at[o->x->rank] = o->own->head + MPI_WINDOW_HEAD;
    offer->arrivals =
        atomic_load_explicit(&mpi_window_head_of(o->own)->arrivals, memory_order_relaxed);
}

void mpi_window_begin(struct mpi_window_op *o, struct mpi_coll *x, const struct mpi_coll_plan *p)
{
    o->x = x;               /* one by one: the arrays need not be cleared */
    o->p = p;
    o->dear = mpi_window_refuses(x, p);
    o->own = o->dear ? NULL : window_take();
    o->turn = 0;
    o->arrived = false;
    set_rounds(o);
    o->turns = o->rounds + (p->r && p->kind != MPI_COLL_REDUCE_SCATTER);
    offer_own(o);
    if (o->own && p->r)
        mpi_window_reduce_first(o);
    else if (o->own)
        mpi_window_move_first(o);
}

void mpi_window_end(struct mpi_window_op *o)
{
    if (o->own)
        o->own->used = false;
}

/* -- of a call that blocks */

static const char *note(void *argument, char *text, size_t size)
{
    struct mpi_window_op *o = argument;
    return mpi_coll_note(o->x, text, size);
}

static bool ready(void *argument) { return mpi_window_have_met(argument); }

static void exchange(struct mpi_window_op *o)
{
    struct mpi_blocks all;
    struct mpi_coll_plan p = mpi_window_exchange(o, &all);
    mpi_coll_shm_run(o->x, &p);
}

/* False: a rank has no window, and nothing has happened. */
static bool run(struct mpi_window_op *o)
{
    struct nic_wait w = { .note = note, .ready = ready, .argument = o };
    exchange(o);
    enum mpi_window_met met = o->x->class ? MPI_WINDOW_FAILED : mpi_window_find(o);
    if (met == MPI_WINDOW_MISSING)
        mpi_window_was_refused(o);
    if (met != MPI_WINDOW_MET)
        return met == MPI_WINDOW_FAILED;
    while (o->turn < o->turns)
        if (!mpi_window_advance(o))
            nic_wait_turn(mpi_nic, &w);
    mpi_window_compare(o);
    mpi_fw_count_windows(mpi_fw);
    return true;
}

bool mpi_coll_windows_run(struct mpi_coll *x, const struct mpi_coll_plan *p)
{
    struct mpi_window_op o;
    mpi_coll_set_fingerprint(x, p->kind, p->bytes, p->root);
    mpi_window_begin(&o, x, p);
    bool done = run(&o);
    mpi_window_end(&o);
    return done;
}
