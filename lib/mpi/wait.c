/* Completion: MPI_Wait, MPI_Test and their families. */
#include <stdlib.h>

#include "coll/coll.h"
#include "mpi/err.h"
#include "mpi/init.h"
#include "mpi/note.h"
#include "mpi/req.h"
#include "mpi/status.h"
#include "mpi/twin.h"

static int bad_request(const char *call, MPI_Request h)
{
    return mpi_err(NULL, call, MPI_ERR_REQUEST, "%p is no request (completed or freed?)", (void *)h);
}

static int bad_array(const char *call, int count, const MPI_Request *requests)
{
    if (count < 0)
        return mpi_err(NULL, call, MPI_ERR_COUNT, "the count is %d", count);
    if (count && !requests)
        return mpi_err(NULL, call, MPI_ERR_REQUEST, "the array of requests is NULL");
    return MPI_SUCCESS;
}

/* The most frequent kind: not persistent, no error, nothing to unpack.  `count` requests from there on are still to be waited for.
 * Baton held.  False: go the long way. */
static inline __attribute__((always_inline)) bool wait_plain(const char *call, MPI_Request *request, int count, MPI_Status *status)
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
    if (unlikely(!mpi_req_is_plain(r)))
        return false;
    mpi_req_waited(r);
    if (status != MPI_STATUS_IGNORE)
        mpi_req_status(r, status);
    mpi_req_retired(r);
    mpi_fw_req_free(mpi_fw, r);
    *request = MPI_REQUEST_NULL;
    return true;
}

/* Any other kind; gives the baton back. */
static __attribute__((noinline)) int wait_slowly(MPI_Request *request, MPI_Status *status)
{
    struct mpi_pending p;
    struct mpi_why why;
    int class = MPI_SUCCESS;
    enum mpi_found found = mpi_req_find(*request, &p);
    if (likely(found == MPI_REQ_ACTIVE)) {
        mpi_req_wait_in(p.req, "MPI_Wait", request, 1);
        class = mpi_req_finish(&p, request, status, &why);
        nic_work(mpi_nic, NIC_WORK_WAIT);
    }
    nic_leave(mpi_nic);
    if (found == MPI_REQ_INVALID)
        return bad_request("MPI_Wait", *request);
    if (found == MPI_REQ_INACTIVE)
        mpi_status_set_empty(status);
    return unlikely(class) ? mpi_err(why.comm, "MPI_Wait", class, "%s", why.text) : MPI_SUCCESS;
}

int PMPI_Wait(MPI_Request *request, MPI_Status *status)
{
    MPI_ENTER("MPI_Wait");
    if (unlikely(!request))
        return mpi_err(NULL, "MPI_Wait", MPI_ERR_REQUEST, "the address of the request is NULL");
    nic_enter(mpi_nic);
    if (unlikely(!wait_plain("MPI_Wait", request, 1, status)))
        return wait_slowly(request, status);
    nic_leave(mpi_nic);
    return MPI_SUCCESS;
}
TWIN(Wait);

int PMPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    struct mpi_pending p;
    struct mpi_why why;
    int class = MPI_SUCCESS;
    MPI_ENTER("MPI_Test");
    if (unlikely(!request || !flag))
        return mpi_err(NULL, "MPI_Test", MPI_ERR_ARG, "an address for the request or the flag is NULL");
    nic_enter(mpi_nic);
    enum mpi_found found = mpi_req_find(*request, &p);
    *flag = found == MPI_REQ_INACTIVE;
    if (found == MPI_REQ_ACTIVE) {
        if (!fw_req_done(p.req))
            nic_step(mpi_nic);
        if ((*flag = fw_req_done(p.req)))
            class = mpi_req_finish(&p, request, status, &why);
    }
    nic_leave(mpi_nic);
    if (found == MPI_REQ_INVALID)
        return bad_request("MPI_Test", *request);
    if (found == MPI_REQ_INACTIVE)
        mpi_status_set_empty(status);
    if (!*flag)
        mpi_poll_pause();
    return unlikely(class) ? mpi_err(why.comm, "MPI_Test", class, "%s", why.text) : MPI_SUCCESS;
}
TWIN(Test);

int PMPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    struct mpi_pending p;
    MPI_ENTER("MPI_Request_get_status");
    if (!flag)
        return mpi_err(NULL, "MPI_Request_get_status", MPI_ERR_ARG, "the address for the flag is NULL");
    nic_enter(mpi_nic);
    enum mpi_found found = mpi_req_find(request, &p);
    *flag = found == MPI_REQ_INACTIVE;
    if (found == MPI_REQ_ACTIVE) {
        if (!fw_req_done(p.req))
            nic_step(mpi_nic);
        if ((*flag = fw_req_done(p.req)))
            mpi_req_status(p.req, status);
    }
    nic_leave(mpi_nic);
    if (found == MPI_REQ_INVALID)
        return bad_request("MPI_Request_get_status", request);
    if (found == MPI_REQ_INACTIVE)
        mpi_status_set_empty(status);
    if (!*flag)
        mpi_poll_pause();
    return MPI_SUCCESS;
}
TWIN(Request_get_status);

/* -- all */

/* What several completions at once ended with. */
struct outcome { int failed; struct mpi_why why; int class; };

static void finish_one(struct mpi_pending *p, MPI_Request *request, MPI_Status *status, struct outcome *o)
{
    struct mpi_why why;
    int class = mpi_req_finish(p, request, status, &why);
    nic_work(mpi_nic, NIC_WORK_WAIT);
    if (status)
        status->MPI_ERROR = class;
    if (!class)
        return;
    if (!o->failed++) {
        o->why = why;
        o->class = class;
    }
}

/* With statuses the call returns MPI_ERR_IN_STATUS; without, the program gets at least the class of the first failure. */
static int outcome_report(const char *call, const struct outcome *o, bool statuses)
{
    if (likely(!o->failed))
        return MPI_SUCCESS;
    return mpi_err(o->why.comm, call, statuses ? MPI_ERR_IN_STATUS : o->class, "%s", o->why.text);
}

int PMPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    struct outcome o;
    struct mpi_pending p;
    MPI_ENTER("MPI_Waitall");
    int rc = bad_array("MPI_Waitall", count, requests);
    if (rc)
        return rc;
    o.failed = 0;
    nic_enter(mpi_nic);
    for (int i = 0; i < count; i++) {
        MPI_Status *s = statuses ? &statuses[i] : MPI_STATUS_IGNORE;
        if (!s && likely(wait_plain("MPI_Waitall", &requests[i], count - i, MPI_STATUS_IGNORE)))
            continue;
        enum mpi_found found = mpi_req_find(requests[i], &p);
        if (unlikely(found == MPI_REQ_INVALID)) {
            nic_leave(mpi_nic);
            return bad_request("MPI_Waitall", requests[i]);
        }
        if (found == MPI_REQ_ACTIVE) {
            mpi_req_wait_in(p.req, "MPI_Waitall", &requests[i], count - i);
            finish_one(&p, &requests[i], s, &o);
        } else {
            mpi_status_set_empty(s);
        }
    }
    nic_leave(mpi_nic);
    return outcome_report("MPI_Waitall", &o, statuses);
}
TWIN(Waitall);

/* Looks at all; returns the number of active ones that are not done, or -1 and the index of an invalid one. */
static int count_open(int count, MPI_Request requests[], int *done, int *active, int *bad)
{
    struct mpi_pending p;
    int open = 0;
    *done = -1;
    *active = 0;
    for (int i = 0; i < count; i++)
        switch (mpi_req_find(requests[i], &p)) {
        case MPI_REQ_ACTIVE:
            ++*active;
            if (!fw_req_done(p.req))
                open++;
            else if (*done < 0)
                *done = i;
            break;
        case MPI_REQ_INVALID:
            *bad = i;
            return -1;
        default:
            break;
        }
    return open;
}

int PMPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    struct outcome o = { 0 };
    struct mpi_pending p;
    int done, active, bad;
    MPI_ENTER("MPI_Testall");
    int rc = bad_array("MPI_Testall", count, requests);
    if (rc)
        return rc;
    nic_enter(mpi_nic);
    int open = count_open(count, requests, &done, &active, &bad);
    if (open > 0 && nic_step(mpi_nic))
        open = count_open(count, requests, &done, &active, &bad);
    for (int i = 0; !open && i < count; i++) {
        MPI_Status *s = statuses ? &statuses[i] : MPI_STATUS_IGNORE;
        if (mpi_req_find(requests[i], &p) == MPI_REQ_ACTIVE)
            finish_one(&p, &requests[i], s, &o);
        else
            mpi_status_set_empty(s);
    }
    nic_leave(mpi_nic);
    if (open < 0)
        return bad_request("MPI_Testall", requests[bad]);
    *flag = !open;
    if (open)
        mpi_poll_pause();
    return outcome_report("MPI_Testall", &o, statuses);
}
TWIN(Testall);

/* -- any */

/* Baton held and given.  Ends request i. */
static int end_any(const char *call, MPI_Request requests[], int i, MPI_Status *status)
{
    struct mpi_pending p;
    struct mpi_why why;
    mpi_req_find(requests[i], &p);
    int class = mpi_req_finish(&p, &requests[i], status, &why);
    nic_leave(mpi_nic);
    return class ? mpi_err(why.comm, call, class, "%s", why.text) : MPI_SUCCESS;
}

/* Those of collectives on which the ranks disagree would never be done. */
static void stop_hopeless(int count, const MPI_Request requests[])
{
    struct mpi_pending p;
    for (int i = 0; i < count; i++)
        if (mpi_req_find(requests[i], &p) == MPI_REQ_ACTIVE && mpi_coll_is_open(p.req))
            mpi_coll_stop(p.req);
}

/* Waits until one is done or none is active.  Baton held. */
static int wait_for_one(int count, MPI_Request requests[], int *done, int *active, int *bad, const char *call)
{
    struct mpi_note_list note = { .call = call, .requests = requests, .count = count, .any = true };
    struct nic_wait w = { .note = mpi_note_list, .argument = &note };
    int open;
    while ((open = count_open(count, requests, done, active, bad)) > 0 && *done < 0) {
        nic_wait_turn(mpi_nic, &w);
        if (mpi_coll_suspects(&w))
            stop_hopeless(count, requests);
    }
    return open;
}

/* Looks, and once more if the NIC has had something to do.  Baton held. */
static int look_for_one(int count, MPI_Request requests[], int *done, int *active, int *bad)
{
    int open = count_open(count, requests, done, active, bad);
    return open > 0 && *done < 0 && nic_step(mpi_nic) ? count_open(count, requests, done, active, bad) : open;
}

int PMPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    int done, active, bad = 0;
    MPI_ENTER("MPI_Waitany");
    int rc = bad_array("MPI_Waitany", count, requests);
    if (rc)
        return rc;
    nic_enter(mpi_nic);
    int open = wait_for_one(count, requests, &done, &active, &bad, "MPI_Waitany");
    *index = done < 0 ? MPI_UNDEFINED : done;
    if (open >= 0 && done >= 0)
        return end_any("MPI_Waitany", requests, done, status);
    nic_leave(mpi_nic);
    if (open < 0)
        return bad_request("MPI_Waitany", requests[bad]);
    mpi_status_set_empty(status);
    return MPI_SUCCESS;
}
TWIN(Waitany);

int PMPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
    int done, active, bad = 0;
    MPI_ENTER("MPI_Testany");
    int rc = bad_array("MPI_Testany", count, requests);
    if (rc)
        return rc;
    nic_enter(mpi_nic);
    int open = look_for_one(count, requests, &done, &active, &bad);
    *index = done < 0 ? MPI_UNDEFINED : done;
    *flag = open >= 0 && (done >= 0 || !active);
    if (open >= 0 && done >= 0)
        return end_any("MPI_Testany", requests, done, status);
    nic_leave(mpi_nic);
    if (open < 0)
        return bad_request("MPI_Testany", requests[bad]);
    if (*flag)
        mpi_status_set_empty(status);
    else
        mpi_poll_pause();
    return MPI_SUCCESS;
}
TWIN(Testany);

/* -- some */

/* Baton held and given.  Ends all that are done. */
static int end_some(const char *call, int count, MPI_Request requests[], int active, int *outcount, int indices[], MPI_Status statuses[])
{
    struct outcome o = { 0 };
    struct mpi_pending p;
    int n = 0;
    for (int i = 0; i < count; i++)
        if (mpi_req_find(requests[i], &p) == MPI_REQ_ACTIVE && fw_req_done(p.req)) {
            finish_one(&p, &requests[i], statuses ? &statuses[n] : MPI_STATUS_IGNORE, &o);
            indices[n++] = i;
        }
    nic_leave(mpi_nic);
    *outcount = active ? n : MPI_UNDEFINED;
    return outcome_report(call, &o, statuses);
}

int PMPI_Waitsome(int count, MPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[])
{
    int done, active, bad;
    MPI_ENTER("MPI_Waitsome");
    int rc = bad_array("MPI_Waitsome", count, requests);
    if (rc)
        return rc;
    nic_enter(mpi_nic);
    if (wait_for_one(count, requests, &done, &active, &bad, "MPI_Waitsome") >= 0)
        return end_some("MPI_Waitsome", count, requests, active, outcount, indices, statuses);
    nic_leave(mpi_nic);
    return bad_request("MPI_Waitsome", requests[bad]);
}
TWIN(Waitsome);

int PMPI_Testsome(int count, MPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[])
{
    int done, active, bad;
    MPI_ENTER("MPI_Testsome");
    int rc = bad_array("MPI_Testsome", count, requests);
    if (rc)
        return rc;
    nic_enter(mpi_nic);
    int open = look_for_one(count, requests, &done, &active, &bad);
    if (open >= 0)
        return end_some("MPI_Testsome", count, requests, active, outcount, indices, statuses);
    nic_leave(mpi_nic);
    return bad_request("MPI_Testsome", requests[bad]);
}
TWIN(Testsome);

/* -- cancel, free */

int PMPI_Cancel(MPI_Request *request)
{
    struct mpi_pending p;
    MPI_ENTER("MPI_Cancel");
    if (!request || *request == MPI_REQUEST_NULL)
        return mpi_err(NULL, "MPI_Cancel", MPI_ERR_REQUEST, "there is no request");
    nic_enter(mpi_nic);
    enum mpi_found found = mpi_req_find(*request, &p);
    if (found == MPI_REQ_ACTIVE && !fw_req_done(p.req))
        mpi_fw_cancel(mpi_fw, p.req);
    nic_leave(mpi_nic);
    return found == MPI_REQ_ACTIVE ? MPI_SUCCESS : bad_request("MPI_Cancel", *request);
}
TWIN(Cancel);

/* The firmware frees it when it is done.  One with a packed copy, which the firmware does not know, is seen to its end here. */
static void forget(struct fw_req *r)
{
    struct mpi_pending p = { .req = r };
    struct mpi_why why;
    MPI_Request handle = mpi_req_handle(r);
    if (handle == MPI_REQ_SENT)
        return;
    if (!r->stage) {
        mpi_fw_detach(mpi_fw, r);
        return;
    }
    mpi_req_wait_in(r, "MPI_Request_free", &handle, 1);
    mpi_req_finish(&p, NULL, MPI_STATUS_IGNORE, &why);
}

int PMPI_Request_free(MPI_Request *request)
{
    struct mpi_pending p;
    MPI_ENTER("MPI_Request_free");
    if (!request)
        return mpi_err(NULL, "MPI_Request_free", MPI_ERR_REQUEST, "the address of the request is NULL");
    MPI_Request h = *request;
    nic_enter(mpi_nic);
    enum mpi_found found = h == MPI_REQUEST_NULL ? MPI_REQ_INVALID : mpi_req_find(h, &p);
    if (found == MPI_REQ_ACTIVE)
        forget(p.req);
    if (found != MPI_REQ_INVALID && p.persistent) {
        mpi_handle_free((uintptr_t)p.persistent->handle);
        mpi_comm_drop(p.persistent->comm);
        free(p.persistent);
    }
    nic_leave(mpi_nic);
    if (found == MPI_REQ_INVALID)
        return bad_request("MPI_Request_free", h);
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}
TWIN(Request_free);
