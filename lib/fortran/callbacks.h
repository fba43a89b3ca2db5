/* C functions that call a program's Fortran functions.  What C calls a reduction's function or an
 * error handler with says nothing of which one is meant, so each Fortran function gets a C function
 * of its own, from a pool that lasts for MPIF_FUNCTIONS of a kind. */
#ifndef MPIF_CALLBACKS_H
#define MPIF_CALLBACKS_H

#include "mpi.h"

enum { MPIF_FUNCTIONS = 100 };

/* Any function of Fortran. */
typedef void mpif_function(void);

/* NULL: the pool is empty, which mpif_too_many reports. */
MPI_User_function *mpif_op(mpif_function *fn);
MPI_User_function_c *mpif_op_c(mpif_function *fn);
MPI_Comm_errhandler_function *mpif_comm_errhandler(mpif_function *fn);
MPI_Session_errhandler_function *mpif_session_errhandler(mpif_function *fn);
MPI_Win_errhandler_function *mpif_win_errhandler(mpif_function *fn);
int mpif_too_many(void);

#endif
