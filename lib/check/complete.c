/* Requests that end. */
#include "base/several.h"
#include "check/loops.h"
#include "check/objects.h"
#include "check/requests.h"
#include "check/by_hand.h"
#include "check/caller.h"

/* after: MPI_REQUEST_NULL, if there is no such request any more. */
static void done(MPI_Request before, MPI_Request after, const MPI_Status *status, int error)
{
    if (before == MPI_REQUEST_NULL)
        return;
    check_request_done(before, status, error);
    if (after == MPI_REQUEST_NULL)
        check_freed(CHECK_REQUEST, (uintptr_t)before);
}

int check_Wait(MPI_Request *request, MPI_Status *status)
{
    MPI_Status own, *s = status == MPI_STATUS_IGNORE ? &own : status;
    MPI_Request before = request ? *request : MPI_REQUEST_NULL;
    int rc = PMPI_Wait(request, s);

    if (before != MPI_REQUEST_NULL)
        done(before, *request, s, rc);
    return rc;
}

int check_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    MPI_Status own, *s = status == MPI_STATUS_IGNORE ? &own : status;
    MPI_Request before = request ? *request : MPI_REQUEST_NULL;
    int rc = PMPI_Test(request, flag, s);

    if (before != MPI_REQUEST_NULL && flag && (rc || *flag))
        done(before, *request, s, rc);
    if (!rc && flag && !*flag)
        check_loops_requests(1, request, false);
    return rc;
}

/* With an error some may be under way yet: of a call that is refused, because one of them is no
 * request, those whose handles it has left as they were. */
static void all_done(const struct several *s, int count, const MPI_Request *after, int rc)
{
    bool refused = rc && rc != MPI_ERR_IN_STATUS;

    for (int i = 0; i < count; i++) {
        int error = rc == MPI_ERR_IN_STATUS ? s->status[i].MPI_ERROR : rc;
        if (refused && after[i] == s->before[i])
            check_request_refused(s->before[i], &s->status[i]);
        else if (error != MPI_ERR_PENDING)
            done(s->before[i], after[i], &s->status[i], error);
    }
}

int check_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    struct several s;

    if (!several_keep(&s, count, requests, statuses))
        return PMPI_Waitall(count, requests, statuses);
    int rc = PMPI_Waitall(count, requests, s.status);
    all_done(&s, count, requests, rc);
    rc = several_code(&s, count, statuses, rc);
    several_forget(&s, statuses);
    return rc;
}

int check_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    struct several s;

    if (!several_keep(&s, count, requests, statuses))
        return PMPI_Testall(count, requests, flag, statuses);
    int rc = PMPI_Testall(count, requests, flag, s.status);
    if (flag && (rc || *flag))
        all_done(&s, count, requests, rc);
    rc = several_code(&s, count, statuses, rc);
    several_forget(&s, statuses);
    if (!rc && flag && !*flag)
        check_loops_requests(count, requests, false);
    return rc;
}

/* One of them, if it is one. */
static void one_done(const struct several *s, int index, const MPI_Request *after,
                     const MPI_Status *status, int rc)
{
    if (index != MPI_UNDEFINED && index >= 0)
        done(s->before[index], after[index], status, rc);
}

int check_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    struct several s;
    MPI_Status own, *one = status == MPI_STATUS_IGNORE ? &own : status;

    if (!index || !several_keep(&s, count, requests, MPI_STATUSES_IGNORE))
        return PMPI_Waitany(count, requests, index, status);
    *index = MPI_UNDEFINED;
    int rc = PMPI_Waitany(count, requests, index, one);
    one_done(&s, *index, requests, one, rc);
    several_forget(&s, MPI_STATUSES_IGNORE);
    return rc;
}

int check_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
    struct several s;
    MPI_Status own, *one = status == MPI_STATUS_IGNORE ? &own : status;

    if (!index || !several_keep(&s, count, requests, MPI_STATUSES_IGNORE))
        return PMPI_Testany(count, requests, index, flag, status);
    *index = MPI_UNDEFINED;
    int rc = PMPI_Testany(count, requests, index, flag, one);
    if (flag && (rc || *flag))
        one_done(&s, *index, requests, one, rc);
    several_forget(&s, MPI_STATUSES_IGNORE);
    if (!rc && flag && !*flag)
        check_loops_requests(count, requests, true);
    return rc;
}

static void some_done(const struct several *s, int many, const int *indices,
                      const MPI_Request *after, int rc)
{
    for (int i = 0; many != MPI_UNDEFINED && i < many; i++) {
        int error = rc == MPI_ERR_IN_STATUS ? s->status[i].MPI_ERROR : rc;
        done(s->before[indices[i]], after[indices[i]], &s->status[i], error);
    }
}

int check_Waitsome(int count, MPI_Request requests[], int *many, int indices[],
                 MPI_Status statuses[])
{
    struct several s;

    if (!many || !indices || !several_keep(&s, count, requests, statuses))
        return PMPI_Waitsome(count, requests, many, indices, statuses);
    *many = MPI_UNDEFINED;
    int rc = PMPI_Waitsome(count, requests, many, indices, s.status);
    some_done(&s, *many, indices, requests, rc);
    rc = several_code(&s, *many == MPI_UNDEFINED ? 0 : *many, statuses, rc);
    several_forget(&s, statuses);
    return rc;
}

int check_Testsome(int count, MPI_Request requests[], int *many, int indices[],
                 MPI_Status statuses[])
{
    struct several s;

    if (!many || !indices || !several_keep(&s, count, requests, statuses))
        return PMPI_Testsome(count, requests, many, indices, statuses);
    *many = MPI_UNDEFINED;
    int rc = PMPI_Testsome(count, requests, many, indices, s.status);
    some_done(&s, *many, indices, requests, rc);
    rc = several_code(&s, *many == MPI_UNDEFINED ? 0 : *many, statuses, rc);
    several_forget(&s, statuses);
    if (!rc && !*many)
        check_loops_requests(count, requests, true);
    return rc;
}

/* -- other ends and beginnings */

int check_Request_free(MPI_Request *request)
{
    MPI_Request before = request ? *request : MPI_REQUEST_NULL;

    if (check_request_keep(before)) {
        *request = MPI_REQUEST_NULL;
        return MPI_SUCCESS;
    }
    int rc = PMPI_Request_free(request);

    if (!rc)
        check_request_lost(before);
    return rc;
}

/* Tells that a request is done, which lives on. */
int check_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    MPI_Status own, *s = status == MPI_STATUS_IGNORE ? &own : status;
    int rc = PMPI_Request_get_status(request, flag, s);

    if (!rc && flag && *flag)
        check_request_seen(request, s);
    else if (!rc && flag)
        check_loops_requests(1, &request, false);
    return rc;
}

/* Those that are done, one by one: the call has found at least one, if it says so. */
static void seen(int count, const MPI_Request *requests)
{
    MPI_Status status;
    int flag;

    for (int i = 0; i < count; i++)
        if (!PMPI_Request_get_status(requests[i], &flag, &status) && flag)
            check_request_seen(requests[i], &status);
}

int check_Request_get_status_all(int count, const MPI_Request requests[], int *flag,
                                 MPI_Status statuses[])
{
    int rc = PMPI_Request_get_status_all(count, requests, flag, statuses);

    if (!rc && *flag)
        seen(count, requests);
    else if (!rc)
        check_loops_requests(count, requests, false);
    return rc;
}

int check_Request_get_status_any(int count, const MPI_Request requests[], int *index, int *flag,
                                 MPI_Status *status)
{
    int rc = PMPI_Request_get_status_any(count, requests, index, flag, status);

    if (!rc && *flag)
        seen(count, requests);
    else if (!rc)
        check_loops_requests(count, requests, true);
    return rc;
}

int check_Request_get_status_some(int count, const MPI_Request requests[], int *many,
                                  int indices[], MPI_Status statuses[])
{
    int rc = PMPI_Request_get_status_some(count, requests, many, indices, statuses);

    if (!rc && *many > 0)
        seen(count, requests);
    else if (!rc && !*many)
        check_loops_requests(count, requests, true);
    return rc;
}

/* Should only this part come, something has moved. */
int check_Parrived(MPI_Request request, int partition, int *flag)
{
    int rc = PMPI_Parrived(request, partition, flag);

    if (!rc && !*flag)
        check_loops_requests(1, &request, false);
    return rc;
}

int check_Cancel(MPI_Request *request)
{
    if (request)
        check_request_cancelled(*request);
    return PMPI_Cancel(request);
}

int check_Start(MPI_Request *request)
{
    if (request)
        check_request_starts(*request);
    int rc = PMPI_Start(request);
    if (!rc)
        check_request_start(*request);
    return rc;
}

/* One by one, as one that cannot be started does not undo those before it. */
int check_Startall(int count, MPI_Request requests[])
{
    int rc = MPI_SUCCESS;

    if (count <= 0 || !requests)
        return PMPI_Startall(count, requests);
    for (int i = 0; i < count; i++)
        check_request_starts(requests[i]);
    for (int i = 0; !rc && i < count; i++) {
        rc = PMPI_Startall(1, &requests[i]);
        if (!rc)
            check_request_start(requests[i]);
    }
    return rc;
}
