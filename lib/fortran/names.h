/* Names as gfortran makes them, twice: of MPI_X, which calls the C library's MPI_X, and of PMPI_X,
 * which calls its PMPI_X.  A tool that has its own MPI_X in C so sees what Fortran calls; one that
 * has its own mpi_x_ calls pmpi_x_ behind it, past all tools.  Before this is included
 * MPIF_PROFILED says which of both. */
#ifndef MPIF_NAMES_H
#define MPIF_NAMES_H

#if MPIF_PROFILED
#define F(name) __attribute__((visibility("default"))) pmpi_##name##_
#define C(name) PMPI_##name
#else
#define F(name) __attribute__((visibility("default"), weak)) mpi_##name##_
#define C(name) MPI_##name
#endif

#endif
