/* Checks that the calls with groups share: each raises the error and returns its code, or gives
 * MPI_SUCCESS. */
#ifndef MPI_GROUP_ARGS_H
#define MPI_GROUP_ARGS_H

#include "core/group.h"

int mpi_check_group(const char *call, MPI_Group h, const struct mpi_group **g);
int mpi_check_group_list(const char *call, int n, const void *list);

/* An address that a result goes to. */
int mpi_check_group_place(const char *call, const void *place);

/* What a call returns whose last step gave this class. */
int mpi_group_made(const char *call, int class);

#endif
