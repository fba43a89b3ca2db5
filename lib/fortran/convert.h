/* Arguments of Fortran as C has them, and results back.  Integers, addresses and statuses have the
 * same form in both; handles are converted by the ABI's functions, logicals are 1 and 0. */
#ifndef MPIF_CONVERT_H
#define MPIF_CONVERT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include "mpi.h"

/* Arrays of up to so many handles need no memory. */
enum { MPIF_FEW = 32 };

/* -- addresses that are none: common blocks, in mpif.h and the modules ------------------------- */

extern int mpilite_bottom_, mpilite_in_place_, mpilite_buffer_automatic_;
extern int mpilite_unweighted_, mpilite_weights_empty_;
/* mpi.h declares mpilite_status_ignore_ and mpilite_statuses_ignore_ for C. */

/* In one of these or not: few comparisons, on every call. */
static inline void *mpif_buffer(const void *buffer)
{
    if (__builtin_expect(buffer == &mpilite_in_place_, 0))
        return MPI_IN_PLACE;
    if (__builtin_expect(buffer == &mpilite_bottom_, 0))
        return MPI_BOTTOM;
    if (__builtin_expect(buffer == &mpilite_buffer_automatic_, 0))
        return MPI_BUFFER_AUTOMATIC;
    return (void *)(uintptr_t)buffer;
}

static inline MPI_Status *mpif_status(MPI_Status *status)
{
    const void *place = status;
    return place == mpilite_status_ignore_ || place == mpilite_statuses_ignore_ ? NULL : status;
}

static inline int *mpif_weights(int *weights)
{
    if (weights == &mpilite_unweighted_)
        return MPI_UNWEIGHTED;
    return weights == &mpilite_weights_empty_ ? MPI_WEIGHTS_EMPTY : weights;
}

/* -- results ----------------------------------------------------------------------------------- */

/* mpi_f08 may leave ierror out. */
static inline void mpif_error(int *ierror, int result)
{
    if (ierror)
        *ierror = result;
}

/* Raises MPI_ERR_NO_MEM as MPI does without a communicator. */
int mpif_no_memory(void);

static inline int mpif_index(int index) { return index < 0 ? index : index + 1; }

static inline void mpif_indices(int *indices, int n)
{
    for (int i = 0; i < n; i++)
        indices[i]++;
}

static inline void mpif_logicals(int *values, int n)
{
    for (int i = 0; i < n; i++)
        values[i] = values[i] != 0;
}

/* -- arrays of handles --------------------------------------------------------------------------
 * X_array: n handles as C has them, in `few` if they fit and it is not NULL, else in memory of
 * their own (NULL: there is none); null handles if `from` is NULL.  X_back: all of them as integers
 * again; X_given: those that are not the null handle.  */
#define MPIF_HANDLES(type) \
    MPI_##type *mpif_##type##_array(const int *from, MPI_Count n, MPI_##type *few); \
    void mpif_##type##_back(int *to, MPI_Count n, const MPI_##type *handles); \
    void mpif_##type##_given(int *to, MPI_Count n, const MPI_##type *handles)

MPIF_HANDLES(Request);
MPIF_HANDLES(Datatype);

static inline void mpif_free(void *array, const void *few)
{
    if (array != few)
        free(array);
}

/* -- lengths of arrays that only MPI knows ----------------------------------------------------- */

/* Ranks that a collective call on `comm` names: none if there is no such communicator, which the
 * call itself reports.  MPI_IN_PLACE needs no types to send. */
int mpif_peers(MPI_Comm comm);
int mpif_send_peers(MPI_Comm comm, const void *sendbuf);

/* Dimensions of a Cartesian communicator, neighbours of this rank in its topology. */
int mpif_cart_dims(MPI_Comm comm);
int mpif_in_neighbours(MPI_Comm comm);
int mpif_out_neighbours(MPI_Comm comm);

/* -- strings ------------------------------------------------------------------------------------
 * Without their blanks at the end, and, if `stripped`, in front; NULL: no memory. */
struct mpif_text {
    char *copy;
    char few[256];
};

const char *mpif_text(struct mpif_text *text, const char *from, size_t length, bool stripped);
void mpif_text_free(struct mpif_text *text);

/* Room for a string of that many characters; NULL: no memory. */
char *mpif_room(int length);

/* A result, as much as fits, and blanks behind it. */
void mpif_pad(char *to, size_t length, const char *from);

#endif
