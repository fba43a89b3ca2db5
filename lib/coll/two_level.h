/* Blocking collectives in two levels. */
#ifndef MPI_TWO_LEVEL_H
#define MPI_TWO_LEVEL_H

#include "coll/coll.h"

/* Of a plan that has levels (mpi_build_has_levels): false: not this kind. */
bool mpi_coll_goes_by_two_levels(const struct mpi_coll_plan *p);
void mpi_coll_two_level_run(struct mpi_coll *x, const struct mpi_coll_plan *p);

#endif
