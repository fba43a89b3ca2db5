/* Packed stand-ins of buffers, and which of them are unpacked at the end. */
#include "coll/staging.h"

#include <stdlib.h>
#include <string.h>

#include "core/derived.h"
#include "core/type_data.h"

/* One buffer, or a block of one, or the counts and places of blocks, or what is only held. */
struct piece {
    struct piece *next;
    const struct mpi_op *op;            /* held; or NULL */
    const struct mpi_type *type;        /* held; or NULL */
    const void *source;                 /* of one that is kept: packed at each start */
    size_t reads;                       /* elements of that */
    void *user;
    size_t count;                       /* of elements to unpack at the end */
    char *packed;                       /* its packed elements: its own data, or in a block */
    _Alignas(16) char data[];
};

struct mpi_staging { struct piece *pieces; bool failed, kept; };

/* No memory for the staging itself: nothing is in it, and nobody frees it. */
static struct mpi_staging no_memory = { .failed = true };

static void begin(struct mpi_staging **s)
{
    if (!*s)
        *s = calloc(1, sizeof **s);
    if (!*s)
        *s = &no_memory;
}

void mpi_staging_keep(struct mpi_staging **s)
{
    begin(s);
    if (*s != &no_memory)
        (*s)->kept = true;
}

static struct piece *new_piece(struct mpi_staging **s, size_t bytes)
{
    begin(s);
    bool possible = !(*s)->failed && bytes <= PTRDIFF_MAX / 2;
    struct piece *p = possible ? malloc(sizeof *p + bytes) : NULL;
    if (!p) {
        if (*s != &no_memory)
            (*s)->failed = true;
        return NULL;
    }
    *p = (struct piece){ .next = (*s)->pieces };
    (*s)->pieces = p;
    return p;
}

static void hold_type(struct piece *p, const struct mpi_type *t)
{
    if (p->type)
        return;
    mpi_type_hold(t);
    p->type = t;
}

/* Both for elements whose packed form is at p->packed. */

static void read(const struct mpi_staging *s, struct piece *p, const struct mpi_type *t,
                 const void *from, size_t count)
{
    if (!s->kept) {
        mpi_type_pack(t, from, count, p->packed);
        mpi_type_charge(t, count * t->size);
        return;
    }
    hold_type(p, t);
    p->source = from;
    p->reads = count;
}

/* On the model clock it has its price at the start: the end may be no work of the host's. */
static void write_later(const struct mpi_staging *s, struct piece *p, const struct mpi_type *t,
                        void *to, size_t count)
{
    if (!s->kept)
        mpi_type_charge(t, count * t->size);
    hold_type(p, t);
    p->user = to;
    p->count = count;
}

void *mpi_stage(struct mpi_staging **s, const struct mpi_type *t, const void *buf, size_t count,
                enum mpi_stage how)
{
    struct piece *p = new_piece(s, count * t->size);
    if (!p)
        return NULL;
    p->packed = p->data;
    if (how & MPI_STAGE_READ)
        read(*s, p, t, buf, count);
    if (how & MPI_STAGE_WRITE)
        write_later(*s, p, t, (void *)(uintptr_t)buf, count);
    return p->data;
}

void *mpi_stage_from_to(struct mpi_staging **s, const struct mpi_type *t, const void *from,
                        void *to, size_t count)
{
    struct piece *p = new_piece(s, count * t->size);
    if (!p)
        return NULL;
    p->packed = p->data;
    read(*s, p, t, from, count);
    write_later(*s, p, t, to, count);
    return p->data;
}

void *mpi_stage_memory(struct mpi_staging **s, size_t bytes)
{
    struct piece *p = new_piece(s, bytes);
    return p ? memset(p->data, 0, bytes) : NULL;
}

void mpi_staging_hold(struct mpi_staging **s, const struct mpi_op *op, const struct mpi_type *t)
{
    struct piece *p = new_piece(s, 0);
    if (!p)
        return;
    mpi_op_hold(p->op = op);
    hold_type(p, t);
}

/* -- blocks: one piece has all of them, and each that is unpacked, or packed again, one that says
 * where */

/* Where packed blocks begin, in elements; false: no memory. */
static bool places(struct mpi_staging **s, const struct mpi_blocks *b, int ranks,
                   struct mpi_numbers *displs, size_t *all)
{
    struct piece *p = b->counts.array ? new_piece(s, (size_t)ranks * sizeof(int64_t)) : NULL;
    int64_t *place = p ? (int64_t *)p->data : NULL;
    *displs = (struct mpi_numbers){ place, true };
    *all = 0;
    for (int i = 0; i < ranks; i++) {
        if (place)
            place[i] = (int64_t)*all;
        *all += mpi_block_elements(b, i);
    }
    return place || !b->counts.array;
}

/* What is to be done with block i of b, which is packed in another one; false: no memory. */
static bool stage_block(struct mpi_staging **s, const struct mpi_type *t,
                        const struct mpi_blocks *b, const struct mpi_blocks *packed, int i,
                        unsigned how)
{
    size_t count = mpi_block_elements(b, i);
    struct piece now = { .packed = mpi_block_at(packed, i) }, *p = &now;
    if (how & MPI_STAGE_WRITE || (how && (*s)->kept))
        p = new_piece(s, 0);
    if (!p)
        return false;
    p->packed = now.packed;
    if (how & MPI_STAGE_READ)
        read(*s, p, t, mpi_block_at(b, i), count);
    if (how & MPI_STAGE_WRITE)
        write_later(*s, p, t, mpi_block_at(b, i), count);
    return true;
}

void mpi_stage_blocks(struct mpi_staging **s, const struct mpi_type *t, struct mpi_blocks *b,
                      int ranks, enum mpi_stage how, int only)
{
    struct mpi_blocks packed = { .counts = b->counts, .count = b->count, .unit = t->size };
    size_t all;
    bool room = places(s, b, ranks, &packed.displs, &all);
    struct piece *p = room ? new_piece(s, all * t->size) : NULL;
    packed.buf = p ? p->data : NULL;
    for (int i = 0; p && i < ranks; i++)
        if (!stage_block(s, t, b, &packed, i, how | (i == only ? MPI_STAGE_READ : 0u)))
            break;
    if (*s && *s != &no_memory && !p)
        (*s)->failed = true;
    *b = packed;
}

bool mpi_staging_failed(const struct mpi_staging *s)
{
    return s && s->failed;
}

/* -- starts and the end */

void mpi_staging_start(struct mpi_staging *s)
{
    for (const struct piece *p = s ? s->pieces : NULL; p; p = p->next) {
        if (p->reads)
            mpi_type_pack(p->type, p->source, p->reads, p->packed);
        if (s->kept && p->type) {       /* each side by itself, as the other forms pay */
            mpi_type_charge(p->type, p->reads * p->type->size);
            mpi_type_charge(p->type, p->count * p->type->size);
        }
    }
}

void mpi_staging_last(struct mpi_staging *s)
{
    if (s)
        s->kept = false;
}

static void free_pieces(struct mpi_staging *s)
{
    for (struct piece *p = s->pieces, *next; p; p = next) {
        next = p->next;
        if (p->type)
            mpi_type_drop(p->type);
        if (p->op)
            mpi_op_drop(p->op);
        free(p);
    }
}

void mpi_staging_end(void *staging, bool whole)
{
    struct mpi_staging *s = staging;
    if (!s || s == &no_memory)
        return;
    for (const struct piece *p = s->pieces; p; p = p->next)
        if (p->count && whole)
            mpi_type_unpack(p->type, p->packed, p->count * p->type->size, p->user);
    if (s->kept)
        return;
    free_pieces(s);
    free(s);
}
