/* For tools that stand around MPI's calls for several requests: what these take away is kept. */
#ifndef BASE_SEVERAL_H
#define BASE_SEVERAL_H

#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct several { MPI_Request few[16], *before; MPI_Status fews[16], *status; };

/* The handles as they are before the call, and room for statuses where the program ignores them.
 * False: there is no memory, or no array, and MPI says what is wrong. */
static inline bool several_keep(struct several *s, int count, const MPI_Request *requests,
                                MPI_Status *statuses)
{
    size_t n = count > 0 ? (size_t)count : 0;
    bool big = n > sizeof s->few / sizeof *s->few;

    if (n && !requests)
        return false;
    s->before = big ? malloc(n * sizeof(MPI_Request)) : s->few;
    s->status = statuses != MPI_STATUSES_IGNORE ? statuses
                : big ? malloc(n * sizeof *s->status) : s->fews;
    if (s->before && n)
        memcpy(s->before, requests, n * sizeof(MPI_Request));
    return s->before && s->status;
}

static inline void several_forget(struct several *s, const MPI_Status *statuses)
{
    if (s->before != s->few)
        free(s->before);
    if (s->status != s->fews && s->status != statuses)
        free(s->status);
}

/* Who ignores statuses is told the error itself. */
static inline int several_code(const struct several *s, int count, const MPI_Status *statuses,
                               int rc)
{
    if (rc != MPI_ERR_IN_STATUS || statuses != MPI_STATUSES_IGNORE)
        return rc;
    for (int i = 0; i < count; i++)
        if (s->status[i].MPI_ERROR && s->status[i].MPI_ERROR != MPI_ERR_PENDING)
            return s->status[i].MPI_ERROR;
    return rc;
}

#endif
