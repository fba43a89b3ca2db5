/* Argument checks that several MPI calls share.  Each raises the error and returns its code, or
 * gives MPI_SUCCESS and sets what the arguments stand for. */
#ifndef MPI_ARGS_H
#define MPI_ARGS_H

#include <limits.h>

#include "core/comm.h"
#include "core/type.h"
#include "core/world.h"

int mpi_check_comm(const char *call, MPI_Comm comm, struct mpi_comm **c);
/* One that is no intercommunicator. */
int mpi_check_intra(const char *call, MPI_Comm comm, struct mpi_comm **c);
int mpi_check_type(const char *call, struct mpi_comm *c, MPI_Datatype type,
                   const struct mpi_type **t);
/* With a type that communication may use. */
int mpi_check_data(const char *call, struct mpi_comm *c, const void *buf, MPI_Count count,
                   MPI_Datatype type, const struct mpi_type **t);

/* Whether data of a type would begin where no program has any.  So does what is at NULL, which is
 * MPI_BOTTOM too, but for types that are made of addresses. */
bool mpi_is_nowhere(const void *at, const struct mpi_type *t);

/* A call was not told where a result goes.  Raises the error. */
int mpi_no_place(const char *call) __attribute__((cold));

/* What all calls that send, and all that receive, are given. */
int mpi_check_send(const char *call, const void *buf, MPI_Count count, MPI_Datatype type,
                   int dest, int tag, MPI_Comm comm, struct mpi_comm **c,
                   const struct mpi_type **t);
int mpi_check_recv(const char *call, const void *buf, MPI_Count count, MPI_Datatype type,
                   int source, int tag, MPI_Comm comm, struct mpi_comm **c,
                   const struct mpi_type **t);

/* All of these checks at once, for data without gaps, a peer that is a rank, and no more elements
 * than an int counts.  False: go through the checks above, which say what is wrong (if anything
 * is).  MPI_IN_PLACE is 1: up to there no address is a buffer. */
static inline __attribute__((always_inline))
bool mpi_args_fast_ok(const void *buf, MPI_Count count, MPI_Datatype type, int peer, int tag,
                      MPI_Comm comm, struct mpi_comm **c, size_t *bytes)
{
    const struct mpi_type *t = mpi_type_get(type);
    *c = mpi_comm_get(comm);
    if (unlikely(!t || !*c || !t->contiguous || (size_t)count > INT_MAX
                 || ((uintptr_t)buf <= (uintptr_t)MPI_IN_PLACE && count)
                 || (unsigned)peer >= (unsigned)(*c)->peers || tag < 0))
        return false;
    *bytes = (size_t)count * t->size;
    return true;
}

/* The same for a receive, whose source and tag may be any. */
static inline __attribute__((always_inline))
bool mpi_recv_args_fast_ok(const void *buf, MPI_Count count, MPI_Datatype type, int source, int tag,
                           MPI_Comm comm, struct mpi_comm **c, size_t *bytes)
{
    int from = source == MPI_ANY_SOURCE ? 0 : source, with = tag == MPI_ANY_TAG ? 0 : tag;
    return mpi_args_fast_ok(buf, count, type, from, with, comm, c, bytes);
}

#endif
