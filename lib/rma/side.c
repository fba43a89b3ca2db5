/* Typed buffers of one-sided operations. */
#include "rma/side.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/derived.h"
#include "core/type_data.h"
#include "type/pairs.h"

/* Runs that are short are packed and put back to be changed; long ones are not packed. */
enum { PIECE_BYTES = 64 * 1024, CHANGED_BYTES = 4096, SHORT_RUN = 256, LONG_RUN = 512 };

/* -- its layout: that of the type, which outlives the call; of a pair it is made, and ends */

static struct mpi_placed layout_of(const struct mpi_type *t)
{
    const struct mpi_derived *d = mpi_type_derived(t);
    return d ? d->placed : mpi_type_layout(t);
}

static void layout_end(const struct mpi_type *t, struct mpi_placed placed)
{
    if (!mpi_type_derived(t))
        mpi_layout_drop(placed.layout);
}

/* -- what it spans */

static bool span(struct mpi_rma_side *s)
{
    ptrdiff_t far;
    struct mpi_placed placed = layout_of(s->t);
    mpi_layout_span(placed, &s->low, &s->high);
    layout_end(s->t, placed);
    if (__builtin_mul_overflow((ptrdiff_t)s->count - 1, s->t->extent, &far))
        return false;
    return !(far < 0 ? __builtin_add_overflow(s->low, far, &s->low)
                     : __builtin_add_overflow(s->high, far, &s->high));
}

bool mpi_rma_side(struct mpi_rma_side *s, const void *at, size_t count, const struct mpi_type *t)
{
    *s = (struct mpi_rma_side){ .t = t, .count = count, .bytes = count * t->size,
                                .at = (char *)(uintptr_t)at };
    if (!s->bytes)
        return true;
    s->high = (ptrdiff_t)s->bytes;
    return t->contiguous || span(s);
}

/* -- copies */

static struct mpi_data data_of(const struct mpi_rma_side *s)
{
    return (struct mpi_data){ layout_of(s->t), s->at, s->count, s->t->extent };
}

static void data_end(const struct mpi_rma_side *s, const struct mpi_data *d)
{
    layout_end(s->t, d->placed);
}

void mpi_rma_pack(const struct mpi_rma_side *s, void *packed)
{
    mpi_type_pack(s->t, s->at, s->count, packed);
}

void mpi_rma_unpack(const struct mpi_rma_side *s, const void *packed)
{
    mpi_type_unpack(s->t, packed, s->bytes, s->at);
}

static uintptr_t place_of(const struct mpi_rma_side *s, ptrdiff_t by)
{
    return (uintptr_t)s->at + (uintptr_t)by;
}

/* No byte that one of them spans is the other's too, as where a rank puts to itself. */
static bool are_apart(const struct mpi_rma_side *a, const struct mpi_rma_side *b)
{
    return place_of(a, a->high) <= place_of(b, b->low)
           || place_of(b, b->high) <= place_of(a, a->low);
}

/* By pieces that stay in the cache. */
static bool copy_packed(const struct mpi_data *from, const struct mpi_data *to, size_t bytes)
{
    size_t piece = bytes < PIECE_BYTES ? bytes : PIECE_BYTES;
    char *packed = malloc(piece);
    for (size_t at = 0, end; packed && at < bytes; at = end) {
        end = bytes - at < piece ? bytes : at + piece;
        mpi_data_pack(from, at, end, packed);
        mpi_data_unpack(to, at, end, packed);
    }
    free(packed);
    return packed != NULL;
}

/* Both have gaps. */
static bool copy_gaps(const struct mpi_rma_side *from, const struct mpi_rma_side *to)
{
    struct mpi_data source = data_of(from), sink = data_of(to);
    const bool done = (are_apart(from, to) && mpi_data_copy(&sink, &source))
                      || copy_packed(&source, &sink, from->bytes);
    data_end(from, &source);
    data_end(to, &sink);
    return done;
}

bool mpi_rma_copy(const struct mpi_rma_side *from, const struct mpi_rma_side *to)
{
    if (!from->bytes)
        return true;
    if (from->t->contiguous && to->t->contiguous)
        memmove(to->at, from->at, from->bytes);
    else if (from->t->contiguous)
        mpi_rma_unpack(to, from->at);
    else if (to->t->contiguous)
        mpi_rma_pack(from, to->at);
    else
        return copy_gaps(from, to);
    return true;
}

/* -- runs */

void mpi_rma_runs(const struct mpi_rma_side *s, bool (*run)(void *context, void *at, size_t bytes),
                  void *context)
{
    if (!s->bytes)
        return;
    if (s->t->contiguous) {
        run(context, s->at, s->bytes);
        return;
    }
    struct mpi_data data = data_of(s);
    mpi_data_runs(&data, 0, s->bytes, run, context);
    data_end(s, &data);
}

/* In pieces that stay in the cache, each of whole elements of up to 16 bytes. */
static void change_pieces(const struct mpi_data *d, size_t bytes,
                          bool (*run)(void *context, void *at, size_t bytes), void *context)
{
    _Alignas(64) char piece[CHANGED_BYTES];
    for (size_t at = 0, end; at < bytes; at = end) {
        end = bytes - at < sizeof piece ? bytes : at + sizeof piece;
        mpi_data_pack(d, at, end, piece);
        if (!run(context, piece, end - at))
            return;
        mpi_data_unpack(d, at, end, piece);
    }
}

/* Elements that are there twice are changed twice, so not in a copy. */
static bool is_for_pieces(const struct mpi_rma_side *s, const struct mpi_placed *placed)
{
    ptrdiff_t begin, end;
    if (s->t->size / placed->layout->runs >= SHORT_RUN)
        return false;
    mpi_layout_span(*placed, &begin, &end);
    return (s->count < 2 || s->t->extent >= end - begin) && placed->layout->ascends;
}

void mpi_rma_changes(const struct mpi_rma_side *s,
                     bool (*run)(void *context, void *at, size_t bytes), void *context)
{
    if (mpi_rma_plain(s)) {
        mpi_rma_runs(s, run, context);
        return;
    }
    struct mpi_data data = data_of(s);
    if (is_for_pieces(s, &data.placed))
        change_pieces(&data, s->bytes, run, context);
    else
        mpi_data_runs(&data, 0, s->bytes, run, context);
    data_end(s, &data);
}

/* -- pairs of runs */

bool mpi_rma_pairs_well(const struct mpi_rma_side *to, const struct mpi_rma_side *from)
{
    if (mpi_rma_plain(from) || !are_apart(to, from))
        return false;
    struct mpi_data source = data_of(from);
    bool well = from->t->size / source.placed.layout->runs >= LONG_RUN;
    if (!mpi_rma_plain(to)) {
        struct mpi_data sink = data_of(to);
        well = mpi_data_pairs_well(&sink, &source);
        data_end(to, &sink);
    }
    data_end(from, &source);
    return well;
}

struct onto { char *to; mpi_pair_fn *pair; void *context; };
static bool pair_run(void *context, void *at, size_t bytes)
{
    struct onto *o = context;
    char *to = o->to;
    o->to += bytes;
    return o->pair(o->context, to, at, bytes);
}

void mpi_rma_pairs(const struct mpi_rma_side *to, const struct mpi_rma_side *from,
                   mpi_pair_fn *pair, void *context)
{
    if (mpi_rma_plain(to)) {
        mpi_rma_runs(from, pair_run, &(struct onto){ to->at, pair, context });
        return;
    }
    struct mpi_data sink = data_of(to), source = data_of(from);
    mpi_data_pairs(&sink, &source, pair, context);
    data_end(to, &sink);
    data_end(from, &source);
}

/* -- blocks */

struct blocks { struct nic_block *list; size_t count, room; const char *from; bool failed; };

static bool add_block(void *context, void *at, size_t bytes)
{
    struct blocks *b = context;
    uint64_t offset = (uint64_t)((char *)at - b->from);
    struct nic_block *last = b->count ? &b->list[b->count - 1] : NULL;
    if (last && last->offset + last->bytes == offset) {
        last->bytes += bytes;
        return true;
    }
    if (b->count == b->room) {
        size_t room = b->room ? 2 * b->room : 16;
        struct nic_block *list = realloc(b->list, room * sizeof *list);
        b->failed = !list;
        if (!list)
            return false;
        b->list = list;
        b->room = room;
    }
    b->list[b->count++] = (struct nic_block){ offset, bytes };
    return true;
}

/* The addresses of a target's side are not this process's: they are only counted with. */
bool mpi_rma_shape(const struct mpi_rma_side *s, struct nic_shape *shape, struct nic_block **list)
{
    struct blocks b = { .from = s->at + s->low };
    *list = NULL;
    *shape = nic_contiguous(s->bytes);
    if (mpi_rma_plain(s))
        return true;
    mpi_rma_runs(s, add_block, &b);
    if (b.failed) {
        free(b.list);
        return false;
    }
    *list = b.list;
    *shape = (struct nic_shape){ .count = b.count, .list = b.list };
    return true;
}
