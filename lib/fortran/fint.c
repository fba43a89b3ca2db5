/* The conversions that mpi.h has inline, as functions: for languages that do not read it, and for
 * configure scripts that look for names. */
#define MPI_ABI_FINT __attribute__((visibility("default")))
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#include "mpi.h"
