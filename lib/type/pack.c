/* Walks over layouts.  A walk that begins in the middle finds its place by division in repetitions
 * and by bisection in lists; whole repetitions of runs are copied by loops that know the size of a
 * block, so that the compiler makes loads and stores of them. */
#include "type/pack.h"

#include <string.h>

/* One walk: skip bytes of the stream, then move `left`. */
struct walk {
    size_t skip, left;
    char *packed;               /* where the next byte of the stream stands */
    bool unpack;
    mpi_run_fn *run;            /* in place of copying */
    void *context;
};

/* -- blocks of one size */

/* n copies of SIZE bytes.  No pointer goes on beyond the last: it may be in no object. */
#define STRIDED(SIZE) \
    case SIZE: \
        for (ptrdiff_t i = 0; i < n; i++) \
            memcpy(to + i * to_stride, from + i * from_stride, SIZE); \
        return

static void copy_blocks(char *to, ptrdiff_t to_stride, const char *from, ptrdiff_t from_stride,
                        ptrdiff_t n, size_t bytes)
{
    switch (bytes) {
    STRIDED(1);
    STRIDED(2);
    STRIDED(4);
    STRIDED(8);
    STRIDED(12);
    STRIDED(16);
    STRIDED(24);
    STRIDED(32);
    STRIDED(48);
    STRIDED(64);
    }
    for (ptrdiff_t i = 0; i < n; i++)
        memcpy(to + i * to_stride, from + i * from_stride, bytes);
}

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

/* Whole blocks, as many as are wanted; returns how many. */
static size_t walk_blocks(struct walk *w, char *at, size_t count, ptrdiff_t stride, size_t bytes)
{
    size_t n = w->left / bytes < count ? w->left / bytes : count;
    if (w->run || w->skip)
        return 0;
    if (w->unpack)
        copy_blocks(at, stride, w->packed, (ptrdiff_t)bytes, (ptrdiff_t)n, bytes);
    else
        copy_blocks(w->packed, (ptrdiff_t)bytes, at, stride, (ptrdiff_t)n, bytes);
    w->packed += n * bytes;
    w->left -= n * bytes;
    return n;
}

/* -- layouts */

static void walk_layout(struct walk *w, const struct mpi_layout *l, char *at);

static void walk_repeat(struct walk *w, const struct mpi_layout *child, char *at, size_t count,
                        ptrdiff_t stride)
{
    size_t i = w->skip / child->bytes;
    w->skip -= i * child->bytes;
    if (w->skip && i < count)
        walk_layout(w, child, at + (ptrdiff_t)i++ * stride);
    if (child->kind == MPI_LAYOUT_RUN && i < count)
        i += walk_blocks(w, at + (ptrdiff_t)i * stride, count - i, stride, child->bytes);
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

static void walk_list(struct walk *w, const struct mpi_layout *l, char *at)
{
    size_t i = find(l, w->skip);
    w->skip -= l->u.block[i].before;
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
