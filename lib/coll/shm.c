/* Short collectives by stores into scratchpads (fw/shm_coll.h), where the communicator has room
 * there. */
#include <stdio.h>

#include "coll/coll.h"

/* What both the note and the look of a wait need. */
struct waiting { struct mpi_coll *x; struct fw_shm_op op; bool odd; };

/* A collective that goes by stores alone has no messages: what came with its number is of another
 * call. */
static bool has_message(struct mpi_coll *x, const struct mpi_coll_call *mine)
{
    struct mpi_coll_call other;
    if (!mpi_coll_find_mismatch(mine, x->match, &other))
        return false;
    x->class = mpi_coll_describe_mismatch(mine, &other, x->why.text, sizeof x->why.text);
    return true;
}

/* Before a sleep: that is when a root that nobody else takes for the root is worth a look. */
static const char *note(void *argument, char *text, size_t size)
{
    struct waiting *w = argument;
    struct fw_shm_call own;
    if (mpi_fingerprint_kind(w->x->match)) {
        w->odd = mpi_fw_shm_odd(&w->op);
        return mpi_coll_note(w->x, text, size);
    }
    mpi_fw_shm_own(&w->op, &own);
    struct mpi_coll_call c = mpi_coll_call_own(w->x->call, (int)own.rank,
                                               (enum mpi_coll_kind)own.kind, own.bytes,
                                               (int)own.root);
    w->odd = w->odd || mpi_fw_shm_odd(&w->op) || has_message(w->x, &c);
    char label[MPI_LABEL_LONG];
    return mpi_coll_note_of(&c, mpi_label_long(w->x->c, label, sizeof label), text, size);
}

static bool ready(void *argument)
{
    struct waiting *w = argument;
    return mpi_fw_shm_ready(&w->op) || w->odd;
}

static struct mpi_coll_call called(const struct fw_shm_call *c)
{
    if (c->part)
        return (struct mpi_coll_call){ .rank = (int)c->rank,
                                       .kind = (enum mpi_coll_kind)(c->part & 15),
                                       .root = (int)(c->part >> MPI_FINGERPRINT_VARIANT_SHIFT) };
    return (struct mpi_coll_call){ .rank = (int)c->rank, .kind = (enum mpi_coll_kind)c->kind,
                                   .bytes = c->bytes, .root = (int)c->root,
                                   .bytes_known = true, .root_known = true };
}

int mpi_coll_mismatch(const struct fw_shm_op *op, char *text, size_t size)
{
    struct fw_shm_call one, other;
    if (!op) {
        snprintf(text, size, "the ranks disagree on what to do");
        return MPI_ERR_OTHER;
    }
    mpi_fw_shm_blame(op, &one, &other);
    struct mpi_coll_call a = called(&one), b = called(&other);
    return mpi_coll_describe_mismatch(&a, &b, text, size);
}

void mpi_coll_shm_run(struct mpi_coll *x, const struct mpi_coll_plan *p)
{
    struct waiting w;
    w.x = x;
    w.odd = false;
    uint32_t part = unlikely(mpi_fingerprint_kind(x->match)) ? mpi_fingerprint_part(x->match) : 0;
    void *data = p->from ? (void *)(uintptr_t)p->from : p->data;    /* a leaf's is read only */
    mpi_fw_shm_begin(x->c->shm, &w.op, (enum fw_shm_kind)p->kind, data, p->bytes,
                     (uint32_t)p->root | part << FW_SHM_PART_SHIFT, mpi_coll_combine, p->r);
    struct nic_wait wait = { .note = note, .ready = ready, .argument = &w };
    while (!mpi_fw_shm_advance(mpi_fw, &w.op)) {
        nic_wait_turn(mpi_nic, &wait);
        if (unlikely(w.odd) && !w.op.finished)
            mpi_fw_shm_give_up(mpi_fw, &w.op);
    }
    if (unlikely(w.op.mismatch) && !x->class)
        x->class = mpi_coll_mismatch(&w.op, x->why.text, sizeof x->why.text);
}
