/* PMPI_X of Fortran: calls the C library's PMPI_X. */
#define MPIF_PROFILED 1
#include "fortran/all.h"
