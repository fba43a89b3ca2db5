/* The types of Fortran's kinds by precision and range. */
#ifndef MPI_DERIVED_F90_H
#define MPI_DERIVED_F90_H

#include "core/derived.h"

/* The type of combiner MPI_COMBINER_F90_*, made when it is first asked for and never freed.  An
 * integer's range is r.  MPI_SUCCESS; MPI_ERR_ARG: no such kind; or no memory. */
int mpi_derive_f90(int combiner, int p, int r, MPI_Datatype *type);

#endif
