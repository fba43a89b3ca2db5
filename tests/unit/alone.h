/* A process that tests modules of the library without MPI_Init: it takes itself for rank 3 of 8,
 * and errors return. */
#ifndef ALONE_H
#define ALONE_H

#include "core/comm.h"
#include "core/world.h"
#include "suite.h"

enum { ALONE_RANK = 3, ALONE_SIZE = 8 };

static inline void alone_start(void)
{
    mpi_state = MPI_STATE_INIT;
    mpi_comm_world.handle = MPI_COMM_WORLD;
    mpi_comm_world.rank = ALONE_RANK;
    mpi_comm_world.size = ALONE_SIZE;
    mpi_comm_self.handle = MPI_COMM_SELF;
    mpi_comm_self.rank = 0;
    mpi_comm_self.size = 1;
    mpi_comm_world.errhandler = mpi_comm_self.errhandler = MPI_ERRORS_RETURN;
}

/* Runs the suite and returns what main returns; nothing was
 * started that would have to be finalised. */
static inline int alone_run(Suite *suite)
{
    int status = suite_run(suite);

    mpi_state = MPI_STATE_NONE;
    return status;
}

#endif
