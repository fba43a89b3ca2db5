#include "core/gaps.h"

#include <stdlib.h>

#include "core/derived.h"
#include "core/type_data.h"
#include "core/world.h"
#include "type/pack.h"

/* -- the NIC gathers and scatters */

/* The layout is held: the program may free the type meanwhile. */
struct gaps { struct fw_layout layout; struct mpi_data data; };

static void pack(const struct fw_layout *l, size_t place, void *to, size_t bytes)
{
    mpi_data_pack(&((const struct gaps *)l)->data, place, place + bytes, to);
}

static void unpack(const struct fw_layout *l, size_t place, const void *from, size_t bytes)
{
    mpi_data_unpack(&((const struct gaps *)l)->data, place, place + bytes, from);
}

static bool layout_new(struct fw_req *r, const struct mpi_type *t, void *buf, size_t count)
{
    struct gaps *g = malloc(sizeof *g);
    struct mpi_placed placed = mpi_type_layout(t);
    if (!g || !placed.layout) {
        mpi_layout_drop(placed.layout);
        free(g);
        return false;
    }
    *g = (struct gaps){ { pack, unpack }, { placed, buf, count, t->extent } };
    r->layout = &g->layout;
    r->host.gaps = FW_GAPS_LAYOUT;
    return true;
}

static void layout_drop(struct fw_layout *l)
{
    struct gaps *g = (struct gaps *)l;
    mpi_layout_drop(g->data.placed.layout);
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

bool mpi_gaps_begin(struct fw_req *r, const struct mpi_type *t, void *buf, size_t count)
{
    ptrdiff_t at;
    if (mpi_type_is_run(t, count, &at)) {
        r->buffer = (void *)((uintptr_t)buf + (uintptr_t)at);
        return true;
    }
    return nic_gathers(mpi_nic) ? layout_new(r, t, buf, count) : packed_new(r, t, buf, count);
}

void mpi_gaps_drop(struct fw_req *r)
{
    if (r->host.gaps == FW_GAPS_LAYOUT)
        layout_drop(r->layout);
    else
        packed_drop(packed_of(r));
    r->host.gaps = FW_GAPS_NONE;
}

void mpi_gaps_end(struct fw_req *r)
{
    if (r->host.gaps == FW_GAPS_PACKED && r->object.kind == FW_RECV && !r->cancelled) {
        const struct packed *p = packed_of(r);
        mpi_type_unpack(p->type, p->data, r->count, p->user);
    }
    mpi_gaps_drop(r);
}
