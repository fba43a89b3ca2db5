/* Agreeing on contexts while the calls go on: a request takes the place of the wait. */
#ifndef MPI_AGREEMENT_LATER_H
#define MPI_AGREEMENT_LATER_H

#include "mpi/agreement.h"

/* All ranks of mpi_comm_whole(c) call this, and *request is done when they have agreed on
 * `contexts` of them.  `end` is told then, with the baton held, by whoever finds it out; agreed
 * NULL: they have not.  MPI_SUCCESS, or an error that has been raised: `end` is not called. */
struct mpi_agree_later {
    const char *call;
    struct mpi_comm *c;
    enum mpi_maker maker;
    unsigned contexts;
    bool (*end)(void *context, const struct mpi_agreed *agreed);        /* false: no memory */
    void *context;
};
int mpi_agree_later(const struct mpi_agree_later *what, MPI_Request *request);

#endif
