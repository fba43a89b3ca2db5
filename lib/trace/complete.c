/* Requests that end. */
#include "base/several.h"
#include "trace/call.h"

/* Without a region there is nothing to record. */
static bool keep(struct several *s, int count, const MPI_Request *requests, MPI_Status *statuses)
{
    return trace_store.region && several_keep(s, count, requests, statuses);
}

/* The call; idle: it has found nothing that is done. */
static bool begin_record(unsigned call, uint64_t begin, uint64_t end, bool idle)
{
    struct trace_record r = { .kind = TRACE_CALL, .what = (uint16_t)call, .begin = begin,
                              .end = end, .peer = -1 };

    if (!trace_wanted())
        return false;
    r.lane = trace_lane();
    trace_count(call, begin, end);
    if (idle)
        trace_add_idle(&r);
    else
        trace_add(&r);
    return true;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    MPI_Status own, *s = status == MPI_STATUS_IGNORE ? &own : status;
    MPI_Request before = request ? *request : MPI_REQUEST_NULL;
    uint64_t begin = trace_now();
    int rc = PMPI_Wait(request, s);
    uint64_t end = trace_now_received();

    if (begin_record(TRACE_MPI_Wait, begin, end, false)) {
        if (!rc)
            trace_request_done(before, s, begin, end);
        trace_over();
    }
    return rc;
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    MPI_Status own, *s = status == MPI_STATUS_IGNORE ? &own : status;
    MPI_Request before = request ? *request : MPI_REQUEST_NULL;
    uint64_t begin = trace_now();
    int rc = PMPI_Test(request, flag, s);
    uint64_t end = trace_now_received();

    if (begin_record(TRACE_MPI_Test, begin, end, !rc && !*flag)) {
        if (!rc && *flag)
            trace_request_done(before, s, begin, end);
        trace_over();
    }
    return rc;
}

static void all_done(struct several *s, int count, uint64_t begin, uint64_t end)
{
    for (int i = 0; i < count; i++)
        trace_request_done(s->before[i], &s->status[i], begin, end);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    struct several s;

    if (!keep(&s, count, requests, statuses))
        return PMPI_Waitall(count, requests, statuses);
    uint64_t begin = trace_now();
    int rc = PMPI_Waitall(count, requests, s.status);
    uint64_t end = trace_now_received();
    if (begin_record(TRACE_MPI_Waitall, begin, end, false)) {
        if (!rc)
            all_done(&s, count, begin, end);
        trace_over();
    }
    rc = several_code(&s, count, statuses, rc);
    several_forget(&s, statuses);
    return rc;
}

int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    struct several s;

    if (!flag || !keep(&s, count, requests, statuses))
        return PMPI_Testall(count, requests, flag, statuses);
    uint64_t begin = trace_now();
    int rc = PMPI_Testall(count, requests, flag, s.status);
    uint64_t end = trace_now_received();
    if (begin_record(TRACE_MPI_Testall, begin, end, !rc && !*flag)) {
        if (!rc && *flag)
            all_done(&s, count, begin, end);
        trace_over();
    }
    rc = several_code(&s, count, statuses, rc);
    several_forget(&s, statuses);
    return rc;
}

int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    struct several s;
    MPI_Status own, *one = status == MPI_STATUS_IGNORE ? &own : status;

    if (!index || !keep(&s, count, requests, MPI_STATUSES_IGNORE))
        return PMPI_Waitany(count, requests, index, status);
    uint64_t begin = trace_now();
    int rc = PMPI_Waitany(count, requests, index, one);
    uint64_t end = trace_now_received();
    if (begin_record(TRACE_MPI_Waitany, begin, end, false)) {
        if (!rc && *index >= 0)
            trace_request_done(s.before[*index], one, begin, end);
        trace_over();
    }
    several_forget(&s, MPI_STATUSES_IGNORE);
    return rc;
}

int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
    struct several s;
    MPI_Status own, *one = status == MPI_STATUS_IGNORE ? &own : status;

    if (!index || !flag || !keep(&s, count, requests, MPI_STATUSES_IGNORE))
        return PMPI_Testany(count, requests, index, flag, status);
    uint64_t begin = trace_now();
    int rc = PMPI_Testany(count, requests, index, flag, one);
    uint64_t end = trace_now_received();
    if (begin_record(TRACE_MPI_Testany, begin, end, !rc && !*flag)) {
        if (!rc && *flag && *index >= 0)
            trace_request_done(s.before[*index], one, begin, end);
        trace_over();
    }
    several_forget(&s, MPI_STATUSES_IGNORE);
    return rc;
}

static void some_done(struct several *s, int many, const int *indices, uint64_t begin,
                      uint64_t end)
{
    for (int i = 0; many != MPI_UNDEFINED && i < many; i++)
        trace_request_done(s->before[indices[i]], &s->status[i], begin, end);
}

#define SOME(name, idle) \
    int MPI_##name(int count, MPI_Request requests[], int *many, int indices[], \
                   MPI_Status statuses[]) \
    { \
        struct several s; \
        if (!many || !indices || !keep(&s, count, requests, statuses)) \
            return PMPI_##name(count, requests, many, indices, statuses); \
        uint64_t begin = trace_now(); \
        int rc = PMPI_##name(count, requests, many, indices, s.status); \
        uint64_t end = trace_now_received(); \
        if (begin_record(TRACE_MPI_##name, begin, end, !rc && (idle))) { \
            if (!rc) \
                some_done(&s, *many, indices, begin, end); \
            trace_over(); \
        } \
        rc = several_code(&s, rc == MPI_ERR_IN_STATUS ? *many : 0, statuses, rc); \
        several_forget(&s, statuses); \
        return rc; \
    }
SOME(Waitsome, false)
SOME(Testsome, *many == 0)

/* -- other ends */

int MPI_Request_free(MPI_Request *request)
{
    MPI_Request before = request ? *request : MPI_REQUEST_NULL;
    int rc = PMPI_Request_free(request);

    if (!rc && trace_wanted()) {
        trace_request_forget(before);
        trace_over();
    }
    return rc;
}

int MPI_Cancel(MPI_Request *request)
{
    uint64_t begin = trace_now();

    if (request && trace_wanted()) {
        trace_request_cancelled(*request);
        trace_over();
    }
    int rc = PMPI_Cancel(request);
    trace_plain(TRACE_MPI_Cancel, begin);
    return rc;
}
