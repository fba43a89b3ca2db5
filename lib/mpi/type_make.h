/* What the calls that make datatypes have in common. */
#ifndef MPI_TYPE_MAKE_H
#define MPI_TYPE_MAKE_H

#include "core/derived.h"

/* How the program called: for MPI_Type_get_contents.  The integers are `plain`; numbers and
 * addresses are the large counts, or in a call without these further integers, and addresses. */
struct mpi_recipe {
    const char *call;
    int combiner;
    bool large;
    const int *plain;
    size_t plains;
    const MPI_Count *number;
    size_t numbers;
    const MPI_Count *address;
    size_t addresses;
    const MPI_Datatype *type;
    size_t types;
};

/* The last part of each such call: `class` and `made` are what the constructor returned. */
int mpi_type_made(const struct mpi_recipe *r, int class, struct mpi_derived *made,
                  MPI_Datatype *newtype);

/* The type behind a handle, and the place for the new one; an error that was raised. */
int mpi_type_made_from(const char *call, MPI_Datatype old, MPI_Datatype *newtype,
                       const struct mpi_type **t);

/* Integers as counts, in memory that the caller frees; NULL: no memory (raised). */
MPI_Count *mpi_counts_of(const int *from, size_t n);

#endif
