/* Short collectives by slots (lib/fw/slots.h), where the communicator has some. */
#include <stdio.h>

#include "coll/coll.h"
#include "core/err.h"
#include "fw/slots.h"

/* What both the note and the look of a wait need. */
struct waiting { struct mpi_coll *x; struct fw_slot_op op; bool odd; };

/* A collective that goes by slots alone has no messages: what came with its number is of another. */
static bool has_message(struct mpi_coll *x, const struct mpi_called *mine)
{
    struct mpi_called other;
    if (!mpi_called_otherwise(mine, x->match, &other))
        return false;
    x->class = mpi_called_differ(mine, &other, x->why.text, sizeof x->why.text);
    return true;
}

/* Before a sleep: that is when a root that nobody else takes for the root is worth a look. */
static const char *note(void *argument, char *text, size_t size)
{
    struct waiting *w = argument;
    struct fw_slot_call own;
    if (mpi_sign_kind(w->x->match)) {
        w->odd = mpi_fw_slot_odd(&w->op);
        return mpi_coll_note(w->x, text, size);
    }
    mpi_fw_slot_own(&w->op, &own);
    struct mpi_called c = mpi_called_own(w->x->call, (int)own.rank, (enum mpi_coll_kind)own.kind, own.bytes, (int)own.root);
    w->odd = w->odd || mpi_fw_slot_odd(&w->op) || has_message(w->x, &c);
    char label[MPI_LABEL_LONG];
    return mpi_coll_note_of(&c, mpi_label_long(w->x->c, label, sizeof label), text, size);
}

static bool ready(void *argument)
{
    struct waiting *w = argument;
    return mpi_fw_slot_ready(&w->op) || w->odd;
}

static struct mpi_called called(const struct fw_slot_call *c)
{
    if (c->part)
        return (struct mpi_called){ .rank = (int)c->rank, .kind = (enum mpi_coll_kind)(c->part & 15),
                                    .root = (int)(c->part >> MPI_SIGN_VARIANT_SHIFT) };
    return (struct mpi_called){ .rank = (int)c->rank, .kind = (enum mpi_coll_kind)c->kind, .bytes = c->bytes, .root = (int)c->root, .bytes_known = true, .root_known = true };
}

int mpi_coll_mismatch(const struct fw_slot_op *op, char *text, size_t size)
{
    struct fw_slot_call one, other;
    if (!op) {
        snprintf(text, size, "the ranks disagree on what to do");
        return MPI_ERR_OTHER;
    }
    mpi_fw_slot_blame(op, &one, &other);
    struct mpi_called a = called(&one), b = called(&other);
    return mpi_called_differ(&a, &b, text, size);
}

bool mpi_coll_by_slot(struct mpi_coll *x, enum fw_slot_kind kind, void *data, size_t bytes, int root, const struct mpi_reduction *r)
{
    struct waiting w;
    if (bytes > FW_SLOT_BYTES)
        return false;
    w.x = x;
    w.odd = false;
    uint32_t part = unlikely(mpi_sign_kind(x->match)) ? mpi_sign_part(x->match) : 0;
    mpi_fw_slot_begin(x->c->slots, &w.op, kind, data, bytes, (uint32_t)root | part << FW_SLOT_PART_SHIFT,
                      mpi_coll_combine, r);
    struct nic_wait wait = { .note = note, .ready = ready, .argument = &w };
    while (!mpi_fw_slot_advance(mpi_fw, &w.op)) {
        nic_wait_turn(mpi_nic, &wait);
        if (unlikely(w.odd) && !w.op.finished)
            mpi_fw_slot_give_up(mpi_fw, &w.op);
    }
    if (unlikely(w.op.mismatch) && !x->class)
        x->class = mpi_coll_mismatch(&w.op, x->why.text, sizeof x->why.text);
    return true;
}
