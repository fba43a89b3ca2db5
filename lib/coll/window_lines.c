/* What becomes of the lines of windows' buffers (fw/refill.h). */
#include "coll/window.h"

#include "fw/refill.h"
#include "nicemu/threads.h"

static struct fw_refill refill;         /* of all windows of this process.  Owner: the baton */

void mpi_window_lines_new(struct mpi_window *w)
{
    if (!w->next)           /* the first */
        mpi_fw_refill_init(&refill, mpi_modelled);
    for (unsigned i = 0; i < MPI_WINDOW_BUFFERS; i++)
        atomic_init(&mpi_window_head_of(w)->claims[i], 0);
}

uint64_t mpi_window_fill(const struct mpi_window_op *o, size_t r)
{
    return mpi_fw_refill_begin(&refill, o->own->lines[r % MPI_WINDOW_BUFFERS]);
}

/* The meeting makes visible what is asked for, with the data.  Where several read a line, or ranks
 * take turns on a core, who claims it first does nothing for its writer. */
void mpi_window_filled(struct mpi_window_op *o, size_t r, uint64_t begin, size_t bytes, bool many)
{
    unsigned i = r % MPI_WINDOW_BUFFERS;
    bool alone = !many && !nic_oversubscribed(mpi_nic), claim = alone && fw_refill_asks(&refill);
    _Atomic uint32_t *claims = &mpi_window_head_of(o->own)->claims[i];
    mpi_fw_refill_end(&refill, o->own->lines[i], begin, bytes);
    o->own->lines[i] = !alone ? FW_LINES_NEW : claim ? FW_LINES_CLAIMED : FW_LINES_READ;
    if (atomic_load_explicit(claims, memory_order_relaxed) != claim)
        atomic_store_explicit(claims, claim, memory_order_relaxed);
}

static struct mpi_window_head *head_at(const struct mpi_window_op *o, int rank)
{
    return (struct mpi_window_head *)(void *)(o->at[rank] - MPI_WINDOW_HEAD);
}

void mpi_window_leave(const struct mpi_window_op *o, int rank, size_t r, char *part, size_t bytes)
{
    const _Atomic uint32_t *claims = &head_at(o, rank)->claims[r % MPI_WINDOW_BUFFERS];
    if (atomic_load_explicit(claims, memory_order_relaxed))
        mpi_fw_refill_claim(part, bytes);
}
