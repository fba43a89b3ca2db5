/* Walks over layouts.  A walk that begins in the middle finds its place by division in repetitions
 * and by bisection in lists; whole repetitions are copied by the loops of blocks.c. */
#include "type/pack.h"

#include <string.h>

#include "type/blocks.h"

/* One walk: skip bytes of the stream, then move `left`. */
struct walk {
    size_t skip, left;
    char *packed;               /* where the next byte of the stream stands */
    bool unpack;
    mpi_run_fn *run;            /* in place of copying */
    void *context;
};

/* -- runs and blocks */

static void copy_run(struct walk *w, char *at, size_t bytes)
{
    if (w->run) {
        if (!w->run(w->context, at, bytes))
            w->left = bytes;    /* nothing is left behind this one */
    } else if (w->unpack) {
        memcpy(at, w->packed, bytes);
    } else {
        memcpy(w->packed, at, bytes);
    }
    if (w->packed)
        w->packed += bytes;
    w->left -= bytes;
}

/* The part of a run that is wanted. */
static void walk_run(struct walk *w, char *at, size_t bytes)
{
    size_t n = bytes - w->skip;
    copy_run(w, at + w->skip, n < w->left ? n : w->left);
    w->skip = 0;
}

/* Whole times of a repetition, at most `count`, that are wanted. */
static size_t whole(const struct walk *w, size_t count, size_t bytes)
{
    return count * bytes <= w->left ? count : w->left / bytes;
}

static void moved(struct walk *w, size_t bytes)
{
    w->packed += bytes;
    w->left -= bytes;
}

static void copy_blocks(struct walk *w, char *at, ptrdiff_t stride, char *packed, ptrdiff_t each,
                        size_t n, size_t bytes)
{
    if (w->unpack)
        mpi_blocks_copy(at, stride, packed, each, n, bytes);
    else
        mpi_blocks_copy(packed, each, at, stride, n, bytes);
}

/* The functions below copy whole times of a repetition, as many as are wanted, and return how
 * many. */

static size_t walk_blocks(struct walk *w, char *at, size_t count, ptrdiff_t stride, size_t bytes)
{
    size_t n = whole(w, count, bytes);
    copy_blocks(w, at, stride, w->packed, (ptrdiff_t)bytes, n, bytes);
    moved(w, n * bytes);
    return n;
}

/* A repetition of a repetition of runs. */
static size_t walk_plane(struct walk *w, const struct mpi_layout *child, char *at, size_t count,
                         ptrdiff_t stride)
{
    size_t n = whole(w, count, child->bytes), bytes = child->child->bytes;
    struct mpi_plane p = { .n = n, .each = child->count, .bytes = bytes };
    p.to = w->unpack ? at : w->packed;
    p.from = w->unpack ? w->packed : at;
    ptrdiff_t packed_far = (ptrdiff_t)child->bytes, packed_near = (ptrdiff_t)bytes;
    p.to_far = w->unpack ? stride : packed_far;
    p.to_near = w->unpack ? child->stride : packed_near;
    p.from_far = w->unpack ? packed_far : stride;
    p.from_near = w->unpack ? packed_near : child->stride;
    mpi_blocks_copy_plane(&p);
    moved(w, n * child->bytes);
    return n;
}

/* Records of a few short fields: field by field, so that each is a loop that knows its size, for as
 * many records at a time as come from beyond the caches at little cost: of 1 MiB of records of 24
 * bytes 16, 8, 4 and 2 KiB at a time took 49, 45, 45 and 43 us. */
enum { FIELDS_MAX = 64, FIELD_BYTES = 64, RECORDS_MIN = 8, RECORD_MOST = 2048,
       RECORDS_BYTES = 2048 };

static bool are_records(const struct mpi_layout *child, ptrdiff_t stride)
{
    return child->kind == MPI_LAYOUT_LIST && child->count <= FIELDS_MAX
           && child->bytes <= child->count * FIELD_BYTES
           && stride <= RECORD_MOST && stride >= -RECORD_MOST;
}

static size_t walk_records(struct walk *w, const struct mpi_layout *child, char *at, size_t count,
                           ptrdiff_t stride)
{
    size_t n = whole(w, count, child->bytes), distance = (size_t)(stride < 0 ? -stride : stride);
    size_t fit = RECORDS_BYTES / (distance > child->bytes ? distance : child->bytes);
    size_t tile = fit < RECORDS_MIN ? RECORDS_MIN : fit;
    for (size_t first = 0, k; first < n; first += k) {
        char *here = at + (ptrdiff_t)first * stride;
        k = n - first < tile ? n - first : tile;
        for (size_t i = 0; i < child->count; i++) {
            const struct mpi_block *b = &child->u.block[i];
            copy_blocks(w, here + b->at, stride, w->packed + b->before, (ptrdiff_t)child->bytes,
                        k, b->bytes);
        }
        moved(w, k * child->bytes);
    }
    return n;
}

static size_t walk_whole(struct walk *w, const struct mpi_layout *child, char *at, size_t count,
                         ptrdiff_t stride)
{
    if (w->run || w->skip || !count)
        return 0;
    if (child->kind == MPI_LAYOUT_RUN)
        return walk_blocks(w, at, count, stride, child->bytes);
    if (child->kind == MPI_LAYOUT_REPEAT && child->child->kind == MPI_LAYOUT_RUN)
        return walk_plane(w, child, at, count, stride);
    return are_records(child, stride) ? walk_records(w, child, at, count, stride) : 0;
}

/* -- layouts */

static void walk_layout(struct walk *w, const struct mpi_layout *l, char *at);

static void walk_repeat(struct walk *w, const struct mpi_layout *child, char *at, size_t count,
                        ptrdiff_t stride)
{
    size_t i = w->skip ? w->skip / child->bytes : 0;     /* most walks begin at the beginning */
    w->skip -= i * child->bytes;
    if (w->skip && i < count)
        walk_layout(w, child, at + (ptrdiff_t)i++ * stride);
    if (i < count)
        i += walk_whole(w, child, at + (ptrdiff_t)i * stride, count - i, stride);
    for (; i < count && w->left; i++)
        walk_layout(w, child, at + (ptrdiff_t)i * stride);
}

static size_t before(const struct mpi_layout *l, size_t i)
{
    return l->kind == MPI_LAYOUT_LIST ? l->u.block[i].before : l->u.part[i].before;
}

/* The block or part that byte `skip` is in. */
static size_t find(const struct mpi_layout *l, size_t skip)
{
    size_t low = 0, high = l->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (before(l, middle) <= skip)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Blocks from the first on that lie within so many bytes of the stream. */
static size_t blocks_in(const struct mpi_block *b, size_t count, size_t bytes)
{
    size_t end = b->before + bytes, low = 0, high = count;
    if (b[count - 1].before + b[count - 1].bytes <= end)
        return count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (b[middle].before <= end)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Whole blocks of a list, as many as are wanted. */
static size_t walk_listed(struct walk *w, const struct mpi_block *b, size_t count, char *at)
{
    if (w->run || !count)
        return 0;
    size_t n = blocks_in(b, count, w->left);
    size_t bytes = n == count ? b[n - 1].before + b[n - 1].bytes : b[n].before;
    if (w->unpack)
        mpi_blocks_scatter(w->packed, at, b, n);
    else
        mpi_blocks_gather(w->packed, at, b, n);
    if (n)
        moved(w, bytes - b->before);
    return n;
}

static void walk_list(struct walk *w, const struct mpi_layout *l, char *at)
{
    size_t i = find(l, w->skip);
    w->skip -= l->u.block[i].before;
    if (w->skip && i < l->count) {
        walk_run(w, at + l->u.block[i].at, l->u.block[i].bytes);
        i++;
    }
    i += walk_listed(w, l->u.block + i, l->count - i, at);
    for (; i < l->count && w->left; i++)
        walk_run(w, at + l->u.block[i].at, l->u.block[i].bytes);
}

static void walk_parts(struct walk *w, const struct mpi_layout *l, char *at)
{
    size_t i = find(l, w->skip);
    w->skip -= l->u.part[i].before;
    for (; i < l->count && w->left; i++)
        walk_layout(w, l->u.part[i].placed.layout, at + l->u.part[i].placed.at);
}

static void walk_layout(struct walk *w, const struct mpi_layout *l, char *at)
{
    switch (l->kind) {
    case MPI_LAYOUT_EMPTY: return;
    case MPI_LAYOUT_RUN: walk_run(w, at, l->bytes); return;
    case MPI_LAYOUT_REPEAT: walk_repeat(w, l->child, at, l->count, l->stride); return;
    case MPI_LAYOUT_LIST: walk_list(w, l, at); return;
    case MPI_LAYOUT_PARTS: walk_parts(w, l, at); return;
    }
}

static void walk_data(struct walk *w, const struct mpi_data *d)
{
    const struct mpi_layout *l = d->placed.layout;
    /* as an integer: the origin may be no object, of a type of absolute addresses */
    char *at = (char *)((uintptr_t)d->origin + (uintptr_t)d->placed.at);
    if (!w->left)
        return;
    if (l->kind == MPI_LAYOUT_RUN && d->extent == (ptrdiff_t)l->bytes)
        walk_run(w, at, d->count * l->bytes);
    else if (d->count == 1)
        walk_layout(w, l, at);
    else
        walk_repeat(w, l, at, d->count, d->extent);
}

void mpi_data_pack(const struct mpi_data *d, size_t from, size_t to, void *packed)
{
    struct walk w = { .skip = from, .left = to - from, .packed = packed };
    walk_data(&w, d);
}

void mpi_data_unpack(const struct mpi_data *d, size_t from, size_t to, const void *packed)
{
    struct walk w = { .skip = from, .left = to - from, .packed = (char *)packed, .unpack = true };
    walk_data(&w, d);
}

void mpi_data_runs(const struct mpi_data *d, size_t from, size_t to, mpi_run_fn *run,
                   void *context)
{
    struct walk w = { .skip = from, .left = to - from, .run = run, .context = context };
    walk_data(&w, d);
}

/* -- windows */

static size_t window_of(const struct mpi_layout *inner, size_t count, ptrdiff_t far, size_t most)
{
    if (inner->kind != MPI_LAYOUT_REPEAT || inner->child->kind != MPI_LAYOUT_RUN)
        return 0;
    size_t times = mpi_blocks_at_once(count, inner->count, inner->child->bytes, far,
                                      inner->stride);
    times = times * inner->bytes <= most ? times : most / inner->bytes;
    return times > 1 ? times * inner->bytes : 0;
}

size_t mpi_data_window(const struct mpi_data *d, size_t most)
{
    const struct mpi_layout *l = d->placed.layout;
    if (d->count > 1)
        return window_of(l, d->count, d->extent, most);
    return l->kind == MPI_LAYOUT_REPEAT ? window_of(l->child, l->count, l->stride, most) : 0;
}
