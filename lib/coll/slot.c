/* Short collectives by slots (lib/fw/slots.h), where the communicator has some. */
#include <stdio.h>

#include "coll.h"
#include "err.h"
#include "slots.h"

/* What both the note and the look of a wait need. */
struct waiting { struct mpi_coll *x; struct fw_slot_op op; };

static const char *note(void *argument, char *text, size_t size) { return mpi_coll_note(((struct waiting *)argument)->x, text, size); }
static bool ready(void *argument) { return mpi_fw_slot_ready(&((struct waiting *)argument)->op); }

static void describe(char *text, size_t size, const struct fw_slot_call *call)
{
    int n = snprintf(text, size, "rank %u called %s", call->rank, mpi_fw_slot_kind_name(call->kind));
    if (call->kind != FW_SLOT_BARRIER && call->kind != FW_SLOT_NONE)
        n += snprintf(text + n, size - (size_t)n, " with %zu bytes", call->bytes);
    if (call->kind == FW_SLOT_BCAST || call->kind == FW_SLOT_REDUCE)
        snprintf(text + n, size - (size_t)n, ", root %u", call->root);
}

int mpi_coll_mismatch(const struct fw_slot_op *op, char *text, size_t size)
{
    struct fw_slot_call one, other;
    if (!op) {
        snprintf(text, size, "the ranks disagree on what to do");
        return MPI_ERR_OTHER;
    }
    char a[80], b[80];
    mpi_fw_slot_blame(op, &one, &other);
    describe(a, sizeof a, &one);
    describe(b, sizeof b, &other);
    snprintf(text, size, "the ranks disagree: %s; %s", a, b);
    return one.kind != other.kind ? MPI_ERR_OTHER : one.bytes != other.bytes ? MPI_ERR_TRUNCATE : MPI_ERR_ROOT;
}

bool mpi_coll_by_slot(struct mpi_coll *x, enum fw_slot_kind kind, void *data, size_t bytes, int root, const struct mpi_reduction *r)
{
    struct waiting w;
    if (bytes > FW_SLOT_BYTES)
        return false;
    w.x = x;
    mpi_fw_slot_begin(x->c->slots, &w.op, kind, data, bytes, (uint32_t)root, mpi_coll_combine, r);
    struct nic_wait wait = { .note = note, .ready = ready, .argument = &w };
    while (!mpi_fw_slot_advance(mpi_fw, &w.op))
        nic_wait_turn(mpi_nic, &wait);
    if (unlikely(w.op.mismatch) && !x->class)
        x->class = mpi_coll_mismatch(&w.op, x->why.text, sizeof x->why.text);
    return true;
}
