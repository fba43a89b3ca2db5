#include "core/gaps.h"

#include <stdlib.h>
#include <string.h>

#include "core/derived.h"
#include "core/type_data.h"
#include "core/world.h"
#include "fw/pieces.h"
#include "fw/tuning.h"
#include "type/pack.h"

/* -- the NIC gathers and scatters */

/* The layout is held: the program may free the type meanwhile.  The message's data begin `first`
 * bytes behind those of the layout.  Of data that are copied a window at a time, the window with
 * its place in the stream; what has been unpacked waits there until it is full, or the message at
 * its end. */
struct gaps {
    struct fw_layout layout;
    struct mpi_data data;
    size_t first;
    size_t window, from, filled;
    char *kept;
    struct fw_pieces *list;
};
enum { WINDOW_MOST = 128 * 1024 };

static void pack(struct fw_layout *l, size_t place, void *to, size_t bytes)
{
    const struct gaps *g = (const struct gaps *)l;
    mpi_data_pack(&g->data, g->first + place, g->first + place + bytes, to);
}

static void unpack(struct fw_layout *l, size_t place, const void *from, size_t bytes)
{
    const struct gaps *g = (const struct gaps *)l;
    mpi_data_unpack(&g->data, g->first + place, g->first + place + bytes, from);
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* Bytes from a place on that are in its window, at most so many. */
static size_t in_window(const struct gaps *g, size_t place, size_t bytes)
{
    return least(bytes, g->window - place % g->window);
}

static void pack_windows(struct fw_layout *l, size_t place, void *to, size_t bytes)
{
    struct gaps *g = (struct gaps *)l;
    size_t all = g->data.count * g->data.placed.layout->bytes - g->first;
    for (size_t n; bytes; place += n, to = (char *)to + n, bytes -= n) {
        size_t from = place - place % g->window;
        if (!g->filled || from != g->from) {
            g->from = from;
            g->filled = least(g->window, all - from);
            pack(l, from, g->kept, g->filled);
        }
        n = in_window(g, place, bytes);
        memcpy(to, g->kept + (place - from), n);
    }
}

static void unpack_windows(struct fw_layout *l, size_t place, const void *from, size_t bytes)
{
    struct gaps *g = (struct gaps *)l;
    for (size_t n; bytes; place += n, from = (const char *)from + n, bytes -= n) {
        size_t first = place - place % g->window;
        n = in_window(g, place, bytes);
        memcpy(g->kept + (place - first), from, n);
        if (place + n == first + g->window || place + n == l->bytes)
            unpack(l, first, g->kept, place + n - first);
    }
}

/* A window is there to be fast: where there is no memory for it, it goes without. */
static void use_windows(struct gaps *g)
{
    g->window = mpi_data_window(&g->data, WINDOW_MOST);
    g->kept = g->window ? malloc(g->window) : NULL;
    if (!g->kept)
        return;
    g->layout.pack = pack_windows;
    g->layout.unpack = unpack_windows;
}

/* -- a list of all pieces */

static bool add_piece(void *context, void *at, size_t bytes)
{
    struct fw_pieces *l = context;
    l->piece[l->count++] = (struct fw_piece){ (uint64_t)(uintptr_t)at, l->bytes };
    l->bytes += bytes;
    return true;
}

/* Where they are too short the kernel takes longer for each than two copies. */
static const struct fw_pieces *list_them(struct fw_layout *l, size_t bytes)
{
    struct gaps *g = (struct gaps *)l;
    const struct mpi_layout *layout = g->data.placed.layout;
    size_t most = (bytes / layout->bytes + 2) * layout->runs;    /* the outer ones in part */
    if (g->list || layout->bytes / layout->runs < FW_PIECES_BYTES || most > FW_PIECES_MOST)
        return g->list;
    g->list = malloc(sizeof *g->list + most * sizeof *g->list->piece);
    if (g->list) {
        *g->list = (struct fw_pieces){ 0 };
        mpi_data_runs(&g->data, g->first, g->first + bytes, add_piece, g->list);
    }
    return g->list;
}

static bool layout_new(struct fw_req *r, const struct mpi_type *t, void *buf, size_t count,
                       size_t first)
{
    struct gaps *g = malloc(sizeof *g);
    struct mpi_placed placed = mpi_type_layout(t);
    if (!g || !placed.layout) {
        mpi_layout_drop(placed.layout);
        free(g);
        return false;
    }
    *g = (struct gaps){ .layout = { .pack = pack, .unpack = unpack, .list_them = list_them },
                        .data = { placed, buf, count, t->extent }, .first = first };
    use_windows(g);
    r->layout = &g->layout;
    r->host.gaps = FW_GAPS_LAYOUT;
    return true;
}

static void layout_drop(struct fw_layout *l)
{
    struct gaps *g = (struct gaps *)l;
    mpi_layout_drop(g->data.placed.layout);
    free(g->list);
    free(g->kept);
    free(g);
}

/* -- a packed copy */

/* user: of a receive, where the data go. */
struct packed { const struct mpi_type *type; void *user; char data[]; };

static struct packed *packed_of(const struct fw_req *r)
{
    return (struct packed *)((char *)r->buffer - offsetof(struct packed, data));
}

static bool packed_new(struct fw_req *r, const struct mpi_type *t, void *buf, size_t count)
{
    struct packed *p = malloc(sizeof *p + count * t->size);
    if (!p)
        return false;
    *p = (struct packed){ .type = t, .user = buf };
    mpi_type_hold(t);
    r->buffer = p->data;
    r->host.gaps = FW_GAPS_PACKED;
    if (r->object.kind == FW_SEND)
        mpi_type_pack(t, buf, count, p->data);
    return true;
}

static void packed_drop(struct packed *p)
{
    mpi_type_drop(p->type);
    free(p);
}

/* -- either */

static bool is_run(struct fw_req *r, const struct mpi_type *t, void *buf, size_t count,
                   size_t first)
{
    ptrdiff_t at;
    if (!mpi_type_is_run(t, count, &at))
        return false;
    r->buffer = (void *)((uintptr_t)buf + (uintptr_t)at + first);
    return true;
}

bool mpi_gaps_begin(struct fw_req *r, const struct mpi_type *t, void *buf, size_t count)
{
    if (is_run(r, t, buf, count, 0))
        return true;
    return nic_gathers(mpi_nic) ? layout_new(r, t, buf, count, 0) : packed_new(r, t, buf, count);
}

bool mpi_gaps_begin_at(struct fw_req *r, const struct mpi_type *t, void *buf, size_t count,
                       size_t first)
{
    return is_run(r, t, buf, count, first) || layout_new(r, t, buf, count, first);
}

void mpi_gaps_drop(struct fw_req *r)
{
    if (r->host.gaps == FW_GAPS_LAYOUT)
        layout_drop(r->layout);
    else
        packed_drop(packed_of(r));
    r->host.gaps = FW_GAPS_NONE;
}

uint64_t mpi_gaps_blocks(const struct fw_req *r)
{
    return r->host.gaps == FW_GAPS_PACKED ? mpi_type_blocks(packed_of(r)->type, r->count) : 0;
}

void mpi_gaps_end(struct fw_req *r)
{
    if (r->host.gaps == FW_GAPS_PACKED && r->object.kind == FW_RECV && !r->cancelled) {
        const struct packed *p = packed_of(r);
        mpi_type_unpack(p->type, p->data, r->count, p->user);
    }
    mpi_gaps_drop(r);
}
