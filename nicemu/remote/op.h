/* A transfer under way, and walks over the blocks of its sides. */
#ifndef NIC_REMOTE_OP_H
#define NIC_REMOTE_OP_H

#include "core/nic.h"

/* A place in a side's blocks. */
struct nic_cursor { uint64_t block, done; };

/* Owner: baton. */
struct nic_op {
    struct nic_op *next, *next_of_all;
    struct nic_outcome *outcome;        /* NULL: nobody asks */
    struct nic_transfer t;
    bool live;                          /* it has no end yet */
    bool put, listed;                   /* listed: in nic_remote.ops */
    /* direct, contiguous, and the destination overlaps the source's end: the last piece first */
    bool backward;
    bool counted;                       /* the target has counted already */
    enum nic_path path;
    int status;
    uint64_t total, left;               /* bytes; left: of which nothing has been started */
    struct nic_cursor local, remote;    /* where they begin */
    /* what the remote blocks span, from the start of the key's memory: it is checked before the
     * first byte moves */
    uint64_t hull_offset, hull_bytes;
    unsigned in_flight;                 /* staged: requests without a reply */
    uint32_t way;                       /* listed, on the model clock: nic_model_ops.keep_way */
};

/* The bytes of a side that lie side by side at the cursor, and
 * where, from the base.  There must be some. */
static inline uint64_t nic_cursor_run(const struct nic_shape *s, struct nic_cursor *c,
                                      uint64_t *offset)
{
    if (!s->list) {
        *offset = (uint64_t)s->stride * c->block + c->done;
        return s->block - c->done;
    }
    while (s->list[c->block].bytes == c->done)
        *c = (struct nic_cursor){ c->block + 1, 0 };
    *offset = s->list[c->block].offset + c->done;
    return s->list[c->block].bytes - c->done;
}

/* Moves on inside a run. */
static inline void nic_cursor_step(const struct nic_shape *s, struct nic_cursor *c, uint64_t bytes)
{
    c->done += bytes;
    if (c->done == (s->list ? s->list[c->block].bytes : s->block))
        *c = (struct nic_cursor){ c->block + 1, 0 };
}

/* Offsets may be negative. */
static inline unsigned char *nic_at_offset(const void *base, uint64_t offset)
{
    return (unsigned char *)((uintptr_t)base + offset);
}
static inline unsigned char *nic_op_local(const struct nic_op *op, uint64_t offset)
{
    return nic_at_offset(op->t.local, offset);
}

static inline unsigned nic_op_right(const struct nic_op *op)
{
    return op->put ? NIC_RIGHT_WRITE : NIC_RIGHT_READ;
}

/* From now on it has an end, which is told to its outcome.  NULL: no memory. */
struct nic_op *nic_op_new(struct nic *nic, const struct nic_op *from);
/* It has something to do, or the next one that has is taken: there must be one. */
void nic_op_list(struct nic *nic, struct nic_op *op);
struct nic_op *nic_op_unlist_first(struct nic *nic);
void nic_op_end(struct nic *nic, struct nic_op *op);
/* Whoever waits for the outcome is told, and may be gone then. */
void nic_outcome_tell(struct nic_outcome *outcome, int status);
/* nic_close: nobody waits any more. */
void nic_ops_close(struct nic *nic);

#endif
