/* Small requests: what the target's NIC is asked to do where this process has not mapped the
 * target's memory.  A copy by the kernel costs a system call, at least a microsecond; a target that
 * waits in a call sees a packet within a tenth of one.  So this is the way while the target is seen
 * to wait, or where the kernel does not copy.  If it leaves its call just then its NIC thread
 * answers.
 *
 * Whatever its way, an accumulate holds the target's `busy` word while it works.  The target's NIC
 * does not wait for that word: it refuses, and the origin goes the other way. */
#ifndef MPI_RMA_ASK_H
#define MPI_RMA_ASK_H

#include "rma/place.h"
#include "rma/small.h"

/* MPILITE_RMA: asked if the target waits in a call; never; whenever it can be. */
enum mpi_rma_way { MPI_RMA_AUTO, MPI_RMA_COPY, MPI_RMA_PACKETS };
enum mpi_rma_way mpi_rma_way_wished(void);

/* An internal class: not done, as somebody else accumulates there. */
enum { MPI_RMA_REFUSED = -1 };

/* Whether the target is to be asked for access to this place rather than a copy by the kernel.
 * put: in an epoch of a fence, or of a target that has posted, there is no hurry, as the target
 * will wait for the epoch's end.  Without the baton. */
bool mpi_rma_asks(struct mpi_win *w, int target, const struct mpi_rma_place *place, bool put);

/* Whether the target waits in a call at this moment, and is to be asked for access to this place.
 * Without the baton. */
bool mpi_rma_attends(struct mpi_win *w, int target, const struct mpi_rma_place *place);

/* Asks the target to copy a share of so many bytes (share.h), from or to `local`: the request's
 * number; 0: not now.  Baton held. */
uint32_t mpi_rma_ask_help(struct mpi_win *w, int target, const struct mpi_rma_place *place,
                          bool put, const void *local, size_t bytes);
/* What the target answers to this rank. */
static inline struct mpi_rma_answers *mpi_rma_answers_of(const struct mpi_win *w, int target)
{
    return (struct mpi_rma_answers *)((char *)w->own_control
                                      + mpi_rma_answers_at(w->comm->size, target));
}

/* Of so many bytes side by side, which mpi_rma_asks said yes to.  False: it cannot be sent now, or
 * is too long.  The bytes are there, or done, at the next flush.  Without the baton. */
bool mpi_rma_ask_put(struct mpi_win *w, int target, const struct mpi_rma_place *place,
                     const void *data, size_t bytes);
bool mpi_rma_ask_get(struct mpi_win *w, int target, const struct mpi_rma_place *place, void *to,
                     size_t bytes);

/* A get of up to MPI_RMA_GET_MOST, waited for: how many bytes have come, from the first one on. */
size_t mpi_rma_ask_bodies(struct mpi_win *w, int target, const struct mpi_rma_place *place,
                          char *to, size_t bytes);

/* Waited for: what was there comes to `old` (NULL: not wanted).  MPI_RMA_REFUSED; else an error
 * class.  Without the baton. */
struct mpi_rma_ask_change {
    MPI_Op op;
    enum mpi_elem elem;
    const void *data;           /* NULL: MPI_NO_OP */
    const void *compare;        /* of compare and swap; NULL: it is none */
    size_t bytes;
    void *old;
};
int mpi_rma_ask_change(struct mpi_win *w, int target, const struct mpi_rma_place *place,
                       const struct mpi_rma_ask_change *c);

/* Waits until all that was asked of a target has been answered, but for puts if they do not matter;
 * the class of the first put that failed.  Baton held. */
int mpi_rma_ask_wait(struct mpi_win *w, int target, bool puts, const char *call);

#endif
