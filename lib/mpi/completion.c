/* What the calls that complete requests share. */
#include "mpi/completion.h"

#include "core/err.h"

int mpi_bad_request(const char *call, MPI_Request h)
{
    return mpi_err(NULL, call, MPI_ERR_REQUEST, "%p is no request (completed or freed?)",
                   (void *)h);
}

int mpi_bad_entry(const char *call, const MPI_Request *requests, int index)
{
    return mpi_err(NULL, call, MPI_ERR_REQUEST,
                   "entry %d of the array, %p, is no request (completed or freed?)", index,
                   (void *)requests[index]);
}

int mpi_bad_requests(const char *call, int count)
{
    if (count < 0)
        return mpi_err(NULL, call, MPI_ERR_COUNT, "the count is %d", count);
    return mpi_err(NULL, call, MPI_ERR_REQUEST, "the array of requests is NULL");
}

void mpi_outcome_finish(struct mpi_outcome *o, struct mpi_pending *p, MPI_Request *request,
                        MPI_Status *status)
{
    struct mpi_why why;
    int class = mpi_req_finish(p, request, status, &why);
    nic_work(mpi_nic, NIC_WORK_WAIT);
    if (status && (class || o->failed))
        status->MPI_ERROR = class;
    if (!class)
        return;
    for (MPI_Status *s = o->statuses; !o->failed && s && s < status; s++)
        s->MPI_ERROR = MPI_SUCCESS;
    if (o->failed++) {
        mpi_why_drop(&why);
        return;
    }
    o->why = why;
    o->class = class;
}

int mpi_outcome_raise(const char *call, const struct mpi_outcome *o, bool statuses)
{
    return mpi_why_raise(&o->why, call, statuses ? MPI_ERR_IN_STATUS : o->class);
}

/* NULL: it is not active; *bad: it is none. */
static inline const struct fw_req *active_one(MPI_Request request, bool *bad)
{
    struct mpi_pending p;
    if (request == MPI_REQUEST_NULL)
        return NULL;
    const struct fw_req *r = mpi_req_active(request);
    if (likely(r))
        return r;
    enum mpi_found found = mpi_req_find(request, &p);
    *bad = found == MPI_REQ_INVALID;
    return found == MPI_REQ_ACTIVE ? p.req : NULL;
}

static inline __attribute__((always_inline))
struct mpi_census look(int count, const MPI_Request requests[], bool to_done)
{
    struct mpi_census n = { .done = -1, .bad = -1 };
    bool bad = false;
    for (int i = 0; i < count && !(to_done && n.done >= 0); i++) {
        const struct fw_req *r = active_one(requests[i], &bad);
        if (unlikely(bad)) {
            n.bad = i;
            break;
        }
        if (!r)
            continue;
        n.active++;
        if (!fw_req_done(r))
            n.open++;
        else if (n.done < 0)
            n.done = i;
    }
    return n;
}

struct mpi_census mpi_census(int count, const MPI_Request requests[])
{
    return look(count, requests, false);
}

struct mpi_census mpi_census_to_done(int count, const MPI_Request requests[])
{
    return look(count, requests, true);
}
