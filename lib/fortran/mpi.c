/* MPI_X of Fortran: calls the C library's MPI_X. */
#define MPIF_PROFILED 0
#include "fortran/all.h"
