/* Ranks that end while others wait for them in a queue. */
#include "rma/waiter.h"

#include "nicemu/machines.h"
#include "rma/word.h"

static const size_t BROKEN = offsetof(struct mpi_rma_control, broken);

bool mpi_rma_has_ended(const struct mpi_win *w, int rank)
{
    nic_enter(mpi_nic);
    const bool gone = nic_gone(mpi_nic, mpi_win_world(w, rank));
    nic_leave(mpi_nic);
    return gone;
}

/* Whom this rank waits for has ended; -1: it has not.  Who is about to enter the queue behind the
 * last one may be anybody. */
static int ended_before(const struct mpi_rma_waiter *g)
{
    if (!g->anybody)
        return g->before >= 0 && mpi_rma_has_ended(g->w, g->before) ? g->before : -1;
    for (int i = 0; i < g->w->comm->size; i++)
        if (mpi_rma_has_ended(g->w, i))
            return i;
    return -1;
}

int mpi_rma_broken(struct mpi_rma_waiter *g)
{
    uint64_t name = 0, old;
    g->ended = mpi_rma_has_ended(g->w, g->target) ? g->target : ended_before(g);
    if (g->ended >= 0 && g->ended != g->target)
        mpi_rma_word(g->w, g->target, BROKEN, NIC_ATOMIC_WRITE, mpi_rma_name_of(g->ended), 0,
                     &old);
    else if (g->ended < 0 && !mpi_rma_word_read(g->w, g->target, BROKEN, &name)
             && mpi_rma_is_name(g->w, name))
        g->ended = (int)name - 1;
    return g->ended < 0 ? MPI_SUCCESS : MPI_ERR_PROC_ABORTED;
}
