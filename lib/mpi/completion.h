/* What the calls that complete requests share: MPI_Wait, MPI_Test and their families.  Baton held
 * unless it says otherwise. */
#ifndef MPI_COMPLETION_H
#define MPI_COMPLETION_H

#include "core/request.h"
#include "core/request_notice.h"
#include "core/request_wait.h"

/* Raise the error; the last only if there is one.  Without the baton. */
int mpi_bad_request(const char *call, MPI_Request h);
int mpi_bad_entry(const char *call, const MPI_Request *requests, int index);
int mpi_bad_requests(const char *call, int count) __attribute__((cold));
static inline int mpi_check_requests(const char *call, int count, const MPI_Request *requests)
{
    bool good = count == 0 || (count > 0 && requests);
    return likely(good) ? MPI_SUCCESS : mpi_bad_requests(call, count);
}

/* The most frequent kind of wait: not persistent, no error, nothing to unpack.  `count` requests
 * from there on are still to be waited for.  False: go the long way. */
static inline __attribute__((always_inline))
bool wait_simple(const char *call, MPI_Request *request, int count, MPI_Status *status)
{
    if (*request == MPI_REQ_SENT) {     /* never freed */
        if (status != MPI_STATUS_IGNORE)
            mpi_req_status(mpi_req_active(MPI_REQ_SENT), status);
        *request = MPI_REQUEST_NULL;
        return true;
    }
    struct fw_req *r = mpi_req_active(*request);
    if (unlikely(!r))
        return false;
    if (!fw_req_done(r))
        mpi_req_wait_in(r, call, request, count);
    if (unlikely(!mpi_req_is_simple(r)))
        return false;
    mpi_req_waited(r);
    if (status != MPI_STATUS_IGNORE)
        mpi_req_status(r, status);
    mpi_req_retired(r);
    mpi_fw_req_free(mpi_fw, r);
    *request = MPI_REQUEST_NULL;
    return true;
}

/* What several completions at once ended with: the first failure, and how many there were.
 * statuses: of all of them in turn, or NULL.  Only a call that fails sets their MPI_ERROR: from the
 * first failure on, and then of those before. */
struct mpi_outcome { int failed; struct mpi_why why; int class; MPI_Status *statuses; };

void mpi_outcome_finish(struct mpi_outcome *o, struct mpi_pending *p, MPI_Request *request,
                        MPI_Status *status);

/* With statuses the call returns MPI_ERR_IN_STATUS; without, the program gets at least the class
 * of the first failure.  Without the baton. */
int mpi_outcome_raise(const char *call, const struct mpi_outcome *o, bool statuses)
    __attribute__((cold));
static inline int mpi_outcome_report(const char *call, const struct mpi_outcome *o, bool statuses)
{
    return likely(!o->failed) ? MPI_SUCCESS : mpi_outcome_raise(call, o, statuses);
}

/* What a look at an array of requests found. */
struct mpi_census {
    int active, open;       /* of the active ones, those that are not done */
    int done;               /* index of the first active one that is done, -1: none is */
    int bad;                /* index of the first that is no request, -1: all are */
};

struct mpi_census mpi_census(int count, const MPI_Request requests[]);
/* As far as the first that is done. */
struct mpi_census mpi_census_to_done(int count, const MPI_Request requests[]);

#endif
