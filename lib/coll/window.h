/* Collectives of some length among the ranks of one machine, through windows: blocks of each rank's
 * heap, which all have mapped.  What a rank gives it copies into its own window, a piece at a time
 * that stays in the caches, and the others take it from there; reductions are combined there, each
 * rank a slice.  No message, and no call of the kernel but to sleep.
 *
 * Ranks meet between the rounds by slots (fw/shm_coll.h): a barrier, at first an exchange of where
 * the windows are and of what all must agree on.  A window has several buffers, used in turn, so
 * that the next piece is copied in while others still take the last one:
 *
 *   in(0) meet | in(1) out(0) meet | in(2) out(1) meet ...                two: data that only move
 *   in(0) meet | combine(0) in(1) meet | out(0) combine(1) in(2) meet ... three: reductions
 *
 * A buffer is written again by in(r + 2), or in(r + 3), behind a meeting that all ranks came to
 * after out(r).  After the last meeting nobody reads a window. */
#ifndef MPI_WINDOW_H
#define MPI_WINDOW_H

#include "coll/coll.h"

enum {
    MPI_WINDOW_RANKS = 256,         /* at most: what they offer lies on the stack */
    MPI_WINDOW_UNIT = 1024,         /* bytes of an element of a reduction, at most */
    /* bytes: each holds a piece of such an element from 256 ranks; memory is taken as it is
     * touched */
    MPI_WINDOW_BUFFER = 256 * 1024,
    MPI_WINDOW_BUFFERS = 3,
    MPI_WINDOW_BYTES = MPI_WINDOW_BUFFERS * MPI_WINDOW_BUFFER,
};
static_assert(MPI_WINDOW_BUFFER / MPI_WINDOW_RANKS >= MPI_WINDOW_UNIT, "room for an element");

/* What a rank says at first: bytes and root, as who waits for messages of the same call may be told
 * (fingerprint.c), and the offset of the window in its heap, or NIC_HEAP_NONE.  gives: of an
 * all-to-all. */
struct mpi_window_offer { uint64_t takes, root, gives, window; };

struct mpi_window_op {
    struct mpi_coll *x;
    const struct mpi_coll_plan *p;
    struct mpi_window *own;
    size_t buffer;              /* bytes of each */
    size_t piece;               /* bytes per round: of what a rank gives, or of each rank's part */
    size_t stride;              /* in a buffer, from part to part */
    size_t rounds;
    char *at[MPI_WINDOW_RANKS];
    struct mpi_window_offer offer[MPI_WINDOW_RANKS];
};

/* The first meeting.  FAILED: the ranks disagree, which is noted; MISSING: a rank has no window.
 * All ranks find the same. */
enum mpi_window_met { MPI_WINDOW_MET, MPI_WINDOW_MISSING, MPI_WINDOW_FAILED };
enum mpi_window_met mpi_window_meet_first(struct mpi_window_op *o);
/* Any other. */
void mpi_window_meet(struct mpi_window_op *o);

/* Of round r, in the buffer that is its turn: a rank's part for rank i. */
static inline char *mpi_window_part(const struct mpi_window_op *o, int rank, size_t r, size_t i)
{
    return o->at[rank] + r % MPI_WINDOW_BUFFERS * o->buffer + i * o->stride;
}

/* What round r has of so many bytes. */
static inline size_t mpi_window_bytes(const struct mpi_window_op *o, size_t bytes, size_t r)
{
    size_t at = r * o->piece;
    return at >= bytes ? 0 : bytes - at < o->piece ? bytes - at : o->piece;
}

/* All rounds, behind the first meeting; what goes in first, before it. */
void mpi_window_move_first(struct mpi_window_op *o);
void mpi_window_move(struct mpi_window_op *o);
void mpi_window_reduce_first(struct mpi_window_op *o);
void mpi_window_reduce(struct mpi_window_op *o);

#endif
