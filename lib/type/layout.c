/* Making layouts, merged as they are made. */
#include "type/layout.h"

#include <stdlib.h>
#include <string.h>

/* Lists are merged into one list up to this many blocks (24 bytes each), or two for each part. */
enum { LIST_MAX = 65536 };
/* A repetition of so few runs becomes blocks where that makes one list of several parts. */
enum { SPELT_OUT = 16 };

static const struct mpi_placed no_memory = { NULL, 0 };

/* What items it has is for the caller to say. */
static struct mpi_layout *new_layout(enum mpi_layout_kind kind, size_t items)
{
    size_t extra = items > 1 ? items - 1 : 0;
    if (extra > SIZE_MAX / sizeof(struct mpi_part) / 2)
        return NULL;
    struct mpi_layout *l = malloc(sizeof *l + extra * sizeof(struct mpi_part));
    if (!l)
        return NULL;
    __asm__("" : "+r"(l));      /* no calloc of both: glibc's has no cache of small blocks */
    memset(l, 0, sizeof *l);
    atomic_init(&l->users, 1);
    l->kind = kind;
    l->count = items;
    return l;
}

const struct mpi_layout *mpi_layout_hold(const struct mpi_layout *l)
{
    if (l)
        atomic_fetch_add_explicit(&((struct mpi_layout *)l)->users, 1, memory_order_relaxed);
    return l;
}

/* acq_rel: pairs with the same of other threads, so that whoever frees a layout sees that all of
 * them have read it to the end. */
void mpi_layout_drop(const struct mpi_layout *l)
{
    struct mpi_layout *mine = (struct mpi_layout *)l;
    if (!l || atomic_fetch_sub_explicit(&mine->users, 1, memory_order_acq_rel) > 1)
        return;
    if (l->kind == MPI_LAYOUT_REPEAT)
        mpi_layout_drop(l->child);
    for (size_t i = 0; l->kind == MPI_LAYOUT_PARTS && i < l->count; i++)
        mpi_layout_drop(l->u.part[i].placed.layout);
    free(mine);
}

/* Sums of places may lie anywhere, of a type that nobody can use: they are compared with others
 * only where they are those of memory. */
static ptrdiff_t plus(ptrdiff_t a, ptrdiff_t b)
{
    return (ptrdiff_t)((size_t)a + (size_t)b);
}

static ptrdiff_t minus(ptrdiff_t a, ptrdiff_t b) { return (ptrdiff_t)((size_t)a - (size_t)b); }

/* One more part, which the layout has behind the others. */
static void cover(struct mpi_layout *l, bool first, ptrdiff_t begin, ptrdiff_t end, bool ascends)
{
    l->ascends = ascends && (first || (l->ascends && begin >= l->end));
    l->begin = first || begin < l->begin ? begin : l->begin;
    l->end = first || end > l->end ? end : l->end;
}

static struct mpi_placed empty(void)
{
    struct mpi_layout *l = new_layout(MPI_LAYOUT_EMPTY, 0);
    if (l)
        l->ascends = true;
    return (struct mpi_placed){ l, 0 };
}

struct mpi_placed mpi_layout_run(ptrdiff_t at, size_t bytes)
{
    struct mpi_layout *l = bytes ? new_layout(MPI_LAYOUT_RUN, 0) : NULL;
    if (!bytes)
        return empty();
    if (!l)
        return no_memory;
    l->bytes = bytes;
    l->runs = 1;
    cover(l, true, 0, (ptrdiff_t)bytes, true);
    return (struct mpi_placed){ l, at };
}

/* -- repetitions */

static struct mpi_placed hold_at(struct mpi_placed p, ptrdiff_t at)
{
    return (struct mpi_placed){ mpi_layout_hold(p.layout), at };
}

/* The repetition of a repetition that goes on where that one ends is a longer one. */
static bool goes_on(const struct mpi_layout *l, ptrdiff_t stride)
{
    ptrdiff_t end;
    return l->kind == MPI_LAYOUT_REPEAT && !__builtin_mul_overflow(l->count, l->stride, &end)
           && stride == end;
}

static void cover_times(struct mpi_layout *l, const struct mpi_layout *child)
{
    ptrdiff_t last;
    bool far = __builtin_mul_overflow((ptrdiff_t)l->count - 1, l->stride, &last);
    l->begin = plus(child->begin, last < 0 ? last : 0);
    l->end = plus(child->end, last > 0 ? last : 0);
    l->ascends = child->ascends && !far && l->stride >= minus(child->end, child->begin);
}

static struct mpi_placed repeat(const struct mpi_layout *child, ptrdiff_t at, size_t count,
                                ptrdiff_t stride)
{
    struct mpi_layout *l = new_layout(MPI_LAYOUT_REPEAT, 0);
    if (!l)
        return no_memory;
    l->count = count;
    l->stride = stride;
    l->child = mpi_layout_hold(child);
    l->bytes = count * child->bytes;
    l->runs = count * child->runs;
    cover_times(l, child);
    return (struct mpi_placed){ l, at };
}

struct mpi_placed mpi_layout_repeat(struct mpi_placed p, size_t count, ptrdiff_t stride)
{
    const struct mpi_layout *l = p.layout;
    if (!l)
        return no_memory;
    if (!count || !l->bytes)
        return empty();
    if (count == 1)
        return hold_at(p, p.at);
    if (l->bytes > PTRDIFF_MAX / count)
        return no_memory;
    if (l->kind == MPI_LAYOUT_RUN && stride == (ptrdiff_t)l->bytes)
        return mpi_layout_run(p.at, count * l->bytes);
    if (goes_on(l, stride))
        return repeat(l->child, p.at, count * l->count, l->stride);
    return repeat(l, p.at, count, stride);
}

/* -- lists: blocks are collected, and merged where one adjoins the one before */

struct blocks { struct mpi_block *block; size_t count, room; bool failed; };

static void add_block(struct blocks *b, ptrdiff_t at, size_t bytes)
{
    struct mpi_block *last = b->count ? &b->block[b->count - 1] : NULL;
    if (last && last->at + (ptrdiff_t)last->bytes == at) {
        last->bytes += bytes;
        return;
    }
    if (b->count == b->room) {
        size_t room = b->room ? 2 * b->room : 16;
        struct mpi_block *more = realloc(b->block, room * sizeof *more);
        b->failed |= !more;
        if (!more)
            return;
        b->block = more;
        b->room = room;
    }
    b->block[b->count++] = (struct mpi_block){ .at = at, .bytes = bytes };
}

static void add_all(struct blocks *b, const struct mpi_layout *l, ptrdiff_t at)
{
    if (l->kind == MPI_LAYOUT_RUN)
        add_block(b, at, l->bytes);
    for (size_t i = 0; l->kind == MPI_LAYOUT_REPEAT && i < l->count; i++)
        add_all(b, l->child, at + (ptrdiff_t)i * l->stride);
    for (size_t i = 0; l->kind == MPI_LAYOUT_LIST && i < l->count; i++)
        add_block(b, at + l->u.block[i].at, l->u.block[i].bytes);
    for (size_t i = 0; l->kind == MPI_LAYOUT_PARTS && i < l->count; i++)
        add_all(b, l->u.part[i].placed.layout, at + l->u.part[i].placed.at);
}

/* Equal blocks at equal distances; stride: the distance. */
static bool is_regular(const struct blocks *b, ptrdiff_t *stride)
{
    *stride = b->count > 1 ? b->block[1].at - b->block[0].at : 0;
    for (size_t i = 1; i < b->count; i++)
        if (b->block[i].bytes != b->block[0].bytes
            || b->block[i].at - b->block[i - 1].at != *stride)
            return false;
    return true;
}

static struct mpi_placed list_of(const struct blocks *b)
{
    struct mpi_layout *l = new_layout(MPI_LAYOUT_LIST, b->count);
    if (!l)
        return no_memory;
    for (size_t i = 0; i < b->count; i++) {
        l->u.block[i] = (struct mpi_block){ b->block[i].at - b->block[0].at, b->block[i].bytes,
                                            l->bytes };
        l->bytes += b->block[i].bytes;
        cover(l, !i, l->u.block[i].at, plus(l->u.block[i].at, (ptrdiff_t)b->block[i].bytes), true);
    }
    l->runs = b->count;
    return (struct mpi_placed){ l, b->block[0].at };
}

static struct mpi_placed from_blocks(const struct blocks *b)
{
    ptrdiff_t stride;
    if (b->failed)
        return no_memory;
    if (!b->count)
        return empty();
    if (!is_regular(b, &stride))
        return list_of(b);
    struct mpi_placed run = mpi_layout_run(b->block[0].at, b->block[0].bytes);
    struct mpi_placed all = mpi_layout_repeat(run, b->count, stride);
    mpi_layout_drop(run.layout);
    return all;
}

/* Merged where they are: no run is written behind one that is still to be read. */
struct mpi_placed mpi_layout_runs(struct mpi_block *run, size_t count)
{
    struct blocks b = { .block = run, .room = count };
    for (size_t i = 0; i < count; i++)
        add_block(&b, run[i].at, run[i].bytes);
    return from_blocks(&b);
}

/* -- parts */

/* Whether one list of all blocks is worth it: its walk is the shorter one where parts are small. */
static bool worth_a_list(const struct mpi_placed *p, size_t count)
{
    size_t runs = 0, most = count > LIST_MAX / 2 ? 2 * count : LIST_MAX;
    for (size_t i = 0; i < count; i++) {
        const struct mpi_layout *l = p[i].layout;
        bool spelt = l->kind == MPI_LAYOUT_LIST || l->runs <= SPELT_OUT;
        if (!spelt || l->runs > most - runs)
            return false;
        runs += l->runs;
    }
    return true;
}

static struct mpi_placed parts_of(const struct mpi_placed *p, size_t count)
{
    struct mpi_layout *l = new_layout(MPI_LAYOUT_PARTS, count);
    ptrdiff_t first = 0, begin, end;
    if (!l)
        return no_memory;
    l->count = 0;
    for (size_t i = 0; i < count; i++) {
        if (!p[i].layout->bytes)
            continue;
        first = l->count ? first : p[i].at;
        struct mpi_placed placed = hold_at(p[i], p[i].at - first);
        mpi_layout_span(placed, &begin, &end);
        cover(l, !l->count, begin, end, placed.layout->ascends);
        l->u.part[l->count++] = (struct mpi_part){ placed, l->bytes };
        l->bytes += p[i].layout->bytes;
        l->runs += p[i].layout->runs;
    }
    return (struct mpi_placed){ l, first };
}

static struct mpi_placed join_lists(const struct mpi_placed *p, size_t count)
{
    struct blocks b = { 0 };
    for (size_t i = 0; i < count; i++)
        add_all(&b, p[i].layout, p[i].at);
    struct mpi_placed all = from_blocks(&b);
    free(b.block);
    return all;
}

/* The same layout again and again at equal distances, as
 * indexed types with equal blocks have it. */
static bool same_again(const struct mpi_placed *p, size_t count)
{
    for (size_t i = 2; i < count; i++)
        if (p[i].layout != p[0].layout || p[i].at - p[i - 1].at != p[1].at - p[0].at)
            return false;
    return count > 1 && p[1].layout == p[0].layout;
}

struct mpi_placed mpi_layout_join(const struct mpi_placed *p, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!p[i].layout)
            return no_memory;
    if (!count)
        return empty();
    if (count == 1)
        return hold_at(p[0], p[0].at);
    if (same_again(p, count))
        return mpi_layout_repeat(p[0], count, p[1].at - p[0].at);
    if (worth_a_list(p, count))
        return join_lists(p, count);
    struct mpi_placed all = parts_of(p, count);
    if (all.layout && all.layout->count > 1)
        return all;
    struct mpi_placed one = all.layout && all.layout->count
        ? hold_at(all.layout->u.part[0].placed, all.at) : empty();
    mpi_layout_drop(all.layout);
    return one;
}

/* -- what it covers */

void mpi_layout_span(struct mpi_placed p, ptrdiff_t *begin, ptrdiff_t *end)
{
    const ptrdiff_t at = p.layout->bytes ? p.at : 0;
    *begin = plus(p.layout->begin, at);
    *end = plus(p.layout->end, at);
}
