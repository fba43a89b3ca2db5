/* What MPI_Pack, MPI_Unpack and those with an external representation are given. */
#ifndef MPI_PACKING_H
#define MPI_PACKING_H

#include "mpi/args.h"

/* packed: the buffer of `size` bytes, of which `position` are used. */
struct mpi_packing {
    const char *call;
    const void *packed;
    MPI_Count size, position, count;
    const void *data;
    MPI_Datatype type;
    const struct mpi_type *t;
    MPI_Count bytes;            /* packed, of all elements */
};

/* Finds `bytes` of elements that have so many each. */
int mpi_packing_bytes(struct mpi_comm *c, struct mpi_packing *p, size_t each);

/* Whether they fit behind the position; `position`: its address in the call. */
int mpi_packing_room(struct mpi_comm *c, const struct mpi_packing *p, const void *position);

/* The model clock charges what has been packed or unpacked by a call. */
void mpi_packing_charge(const struct mpi_type *t, size_t bytes);

#endif
