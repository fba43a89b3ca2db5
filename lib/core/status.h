/* What the library keeps in an MPI_Status besides the three public members:
 *
 *     MPI_internal[0..1]   bytes received, a 64-bit integer
 *     MPI_internal[2]      bit 0: cancelled
 *
 * Setters take MPI_STATUS_IGNORE and then do nothing.  MPI_ERROR is set by the
 * calls that complete several requests at once, and by mpi_status_set_empty. */
#ifndef MPI_STATUS_H
#define MPI_STATUS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "mpi.h"

enum { MPI_STATUS_CANCELLED = 1 };

_Static_assert(sizeof(MPI_Status) == 32, "the ABI's status");

static inline int64_t mpi_status_bytes(const MPI_Status *status)
{
    int64_t bytes;

    memcpy(&bytes, status->MPI_internal, sizeof bytes);     /* aligned as an int only */
    return bytes;
}

static inline void mpi_status_set_bytes(MPI_Status *status, int64_t bytes)
{
    if (status != MPI_STATUS_IGNORE)
        memcpy(status->MPI_internal, &bytes, sizeof bytes);
}

static inline bool mpi_status_cancelled(const MPI_Status *status)
{
    return status->MPI_internal[2] & MPI_STATUS_CANCELLED;
}

static inline void mpi_status_set_cancelled(MPI_Status *status, bool cancelled)
{
    if (status != MPI_STATUS_IGNORE)
        status->MPI_internal[2] = cancelled ? MPI_STATUS_CANCELLED : 0;
}

/* A message received or found; not cancelled. */
static inline void mpi_status_set(MPI_Status *status, int source, int tag, int64_t bytes)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    status->MPI_SOURCE = source;
    status->MPI_TAG = tag;
    mpi_status_set_bytes(status, bytes);
    mpi_status_set_cancelled(status, false);
}

/* The standard's empty status, of requests that are null or inactive. */
static inline void mpi_status_set_empty(MPI_Status *status)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    mpi_status_set(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
    status->MPI_ERROR = MPI_SUCCESS;
}

/* Of a receive or probe from MPI_PROC_NULL. */
static inline void mpi_status_set_proc_null(MPI_Status *status)
{
    mpi_status_set(status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
}

#endif
