/* What ranks do together that have no communicator in common yet, and are about to get one.  Their
 * messages have FW_OWN_TAG, so that none of a program's receives takes them. */
#ifndef MPI_AMONG_H
#define MPI_AMONG_H

#include "coll/coll.h"

/* Who they are.  All of them have the same list, and each is in it.
 *
 * The match bits of their messages must differ from those of other such ranks that have two of
 * them in common, at the same time.  Two groups that make an intercommunicator have that from the
 * contexts of their communicators, sender's before receiver's: no two communicators of a rank have
 * the same one. */
struct mpi_among {
    const char *call;
    struct mpi_comm *on;        /* errors are raised on it, and messages name it */
    uint64_t match;             /* without the source, which is a rank in MPI_COMM_WORLD */
    uint64_t key;               /* the same with all, and of this rank's agreements no other's */
    int count, me;
    const int *world;           /* -> rank in MPI_COMM_WORLD */
    int first;                  /* so many are of the first side; 0: there are no sides */
    unsigned side[2];           /* of each: a number below MPI_AMONG_SIDES */
};
enum { MPI_AMONG_SIDE_BITS = 15, MPI_AMONG_SIDES = 1 << MPI_AMONG_SIDE_BITS };

/* Takes the baton, which mpi_coll_end gives back; raises an error, if there was one, on g->on. */
void mpi_among_begin(struct mpi_coll *x, const struct mpi_among *g);

/* With rank `other` of the list, both at once.  The lengths must be what it has. */
void mpi_among_exchange(struct mpi_coll *x, const struct mpi_among *g, int other, const void *out,
                        size_t out_bytes, void *in, size_t in_bytes);

/* All words become the common bits, or the highest, of what all have. */
enum mpi_among_operation { MPI_AMONG_AND, MPI_AMONG_MAX };
void mpi_among_reduce(struct mpi_coll *x, const struct mpi_among *g, uint64_t *words, size_t count,
                      enum mpi_among_operation operation);

#endif
