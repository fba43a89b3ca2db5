/* Where the program calls, also where Fortran's interface stands between it and a function. */
#ifndef LIB_OUTSIDE_H
#define LIB_OUTSIDE_H

/* caller: what the function of MPI returns to.  If that is in libmpi_fortran, to where the function
 * there returns; else the same. */
const void *mpi_outside(const void *caller);

#endif
