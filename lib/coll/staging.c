/* Packed stand-ins of buffers, and which of them are unpacked at the end. */
#include "coll/staging.h"

#include <stdlib.h>
#include <string.h>

#include "core/derived.h"
#include "core/type_data.h"

/* One buffer, or the counts and places of blocks, or what is only held. */
struct piece {
    struct piece *next;
    const struct mpi_op *op;            /* held; or NULL */
    const struct mpi_type *type;        /* held; or NULL */
    void *user;
    size_t count;                       /* of elements to unpack at the end */
    const char *from;                   /* its packed elements: its own data, or in a block */
    _Alignas(16) char data[];
};

struct mpi_staging { struct piece *pieces; bool failed; };

/* No memory for the staging itself: nothing is in it, and nobody frees it. */
static struct mpi_staging no_memory = { .failed = true };

static struct piece *new_piece(struct mpi_staging **s, size_t bytes)
{
    if (!*s)
        *s = calloc(1, sizeof **s);
    if (!*s)
        *s = &no_memory;
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

static void unpack_later(struct piece *p, const struct mpi_type *t, const void *buf, size_t count,
                         const char *from)
{
    mpi_type_hold(t);
    p->from = from;
    p->type = t;
    p->user = (void *)(uintptr_t)buf;
    p->count = count;
}

void *mpi_stage(struct mpi_staging **s, const struct mpi_type *t, const void *buf, size_t count,
                enum mpi_stage how)
{
    struct piece *p = new_piece(s, count * t->size);
    if (!p)
        return NULL;
    if (how & MPI_STAGE_READ)
        mpi_type_pack(t, buf, count, p->data);
    if (how & MPI_STAGE_WRITE)
        unpack_later(p, t, buf, count, p->data);
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
    mpi_type_hold(p->type = t);
}

/* -- blocks: one piece has all of them, and each that is unpacked one that says where */

static size_t elements(const struct mpi_blocks *b, int i)
{
    return b->counts ? (size_t)b->counts[i] : b->count;
}

static bool add_block(struct mpi_staging **s, const struct mpi_type *t, const void *user,
                      size_t count, const char *packed)
{
    struct piece *p = new_piece(s, 0);
    if (!p)
        return false;
    unpack_later(p, t, user, count, packed);
    return true;
}

/* Where packed blocks begin, in elements; false: no memory, or further than an int says. */
static bool places(struct mpi_staging **s, const struct mpi_blocks *b, int ranks, int **displs,
                   size_t *all)
{
    struct piece *p = b->counts ? new_piece(s, (size_t)ranks * sizeof **displs) : NULL;
    *displs = p ? (int *)p->data : NULL;
    *all = 0;
    for (int i = 0; i < ranks; i++) {
        if (p)
            (*displs)[i] = (int)*all;
        *all += elements(b, i);
    }
    return (p && *all <= INT32_MAX) || !b->counts;
}

void mpi_stage_blocks(struct mpi_staging **s, const struct mpi_type *t, struct mpi_blocks *b,
                      int ranks, enum mpi_stage how, int only)
{
    struct mpi_blocks packed = { .counts = b->counts, .count = b->count, .unit = t->size };
    size_t all;
    int *displs;
    bool fits = places(s, b, ranks, &displs, &all);
    struct piece *p = fits ? new_piece(s, all * t->size) : NULL;
    packed.buf = p ? p->data : NULL;
    packed.displs = displs;
    for (int i = 0; p && i < ranks; i++) {
        if (how & MPI_STAGE_READ || i == only)
            mpi_type_pack(t, mpi_block_at(b, i), elements(b, i), mpi_block_at(&packed, i));
        if (how & MPI_STAGE_WRITE
            && !add_block(s, t, mpi_block_at(b, i), elements(b, i), mpi_block_at(&packed, i)))
            break;
    }
    if (*s && *s != &no_memory && !p)
        (*s)->failed = true;
    *b = packed;
}

bool mpi_staging_failed(const struct mpi_staging *s)
{
    return s && s->failed;
}

/* -- the end */

void mpi_staging_end(void *staging, bool whole)
{
    struct mpi_staging *s = staging;
    if (!s || s == &no_memory)
        return;
    for (const struct piece *p = s->pieces; p; p = p->next) {
        if (p->count && whole)
            mpi_type_unpack(p->type, p->from, p->count * p->type->size, p->user);
    }
    for (struct piece *p = s->pieces, *next; p; p = next) {
        next = p->next;
        if (p->type)
            mpi_type_drop(p->type);
        if (p->op)
            mpi_op_drop(p->op);
        free(p);
    }
    free(s);
}
