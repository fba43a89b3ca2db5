/* Completing one of several requests, or all that are done. */
#include "core/err.h"
#include "core/status.h"
#include "core/wait_reason.h"
#include "mpi/args.h"
#include "mpi/completion.h"
#include "mpi/weak_alias.h"

/* Requests of collectives on which the ranks disagree would never be done. */
static void stop_hopeless(int count, const MPI_Request requests[])
{
    struct mpi_pending p;
    for (int i = 0; i < count; i++)
        if (mpi_req_find(requests[i], &p) == MPI_REQ_ACTIVE)
            mpi_req_stop_if_hopeless(p.req);
}

typedef struct mpi_census census(int count, const MPI_Request requests[]);

/* Waits until one is done, none is active, or one is no request.  Baton held. */
static struct mpi_census wait_for_one(census *look, int count, const MPI_Request requests[],
                                      const char *call)
{
    struct mpi_reason_list reason = {
        .call = call, .requests = requests, .count = count, .any = true,
    };
    struct nic_wait w = { .note = mpi_reason_list, .argument = &reason };
    struct mpi_census n;
    while ((n = look(count, requests)).bad < 0 && n.open && n.done < 0) {
        nic_wait_turn(mpi_nic, &w);
        if (mpi_wait_suspects(&w))
            stop_hopeless(count, requests);
    }
    return n;
}

/* Looks, and once more if the NIC has had something to do.  Baton held. */
static struct mpi_census look_for_one(census *look, int count, const MPI_Request requests[])
{
    struct mpi_census n = look(count, requests);
    bool again = n.bad < 0 && n.open && n.done < 0 && nic_step(mpi_nic);
    return again ? look(count, requests) : n;
}

/* -- any */

/* Baton held and given.  Ends request i. */
static int end_any(const char *call, MPI_Request requests[], int i, MPI_Status *status)
{
    struct mpi_pending p;
    struct mpi_why why;
    mpi_req_find(requests[i], &p);
    int class = mpi_req_finish(&p, &requests[i], status, &why);
    nic_leave(mpi_nic);
    return class ? mpi_why_raise(&why, call, class) : MPI_SUCCESS;
}

int PMPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    const char *call = "MPI_Waitany";
    MPI_ENTER(call);
    int rc = mpi_check_requests(call, count, requests);
    if (!rc && !index)
        rc = mpi_no_place(call);
    if (rc)
        return rc;
    nic_enter(mpi_nic);
    struct mpi_census n = wait_for_one(mpi_census_to_done, count, requests, call);
    *index = n.done < 0 ? MPI_UNDEFINED : n.done;
    if (n.bad < 0 && n.done >= 0)
        return end_any(call, requests, n.done, status);
    nic_leave(mpi_nic);
    if (n.bad >= 0)
        return mpi_bad_entry(call, requests, n.bad);
    mpi_status_set_empty(status);
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Waitany);

int PMPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
    const char *call = "MPI_Testany";
    MPI_ENTER(call);
    int rc = mpi_check_requests(call, count, requests);
    if (!rc && (!index || !flag))
        rc = mpi_no_place(call);
    if (rc)
        return rc;
    nic_enter(mpi_nic);
    struct mpi_census n = look_for_one(mpi_census_to_done, count, requests);
    *index = n.done < 0 ? MPI_UNDEFINED : n.done;
    *flag = n.bad < 0 && (n.done >= 0 || !n.active);
    if (n.bad < 0 && n.done >= 0)
        return end_any(call, requests, n.done, status);
    nic_leave(mpi_nic);
    if (n.bad >= 0)
        return mpi_bad_entry(call, requests, n.bad);
    if (*flag)
        mpi_status_set_empty(status);
    else
        mpi_poll_pause();
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Testany);

/* -- some */

/* Baton held and given.  Ends all that are done; active: whether any request was. */
static int end_some(const char *call, int count, MPI_Request requests[], bool active, int *outcount,
                    int indices[], MPI_Status statuses[])
{
    struct mpi_outcome o = { .statuses = statuses };
    struct mpi_pending p;
    int n = 0;
    for (int i = 0; i < count; i++)
        if (requests[i] != MPI_REQUEST_NULL && mpi_req_find(requests[i], &p) == MPI_REQ_ACTIVE
            && fw_req_done(p.req)) {
            MPI_Status *s = statuses ? &statuses[n] : MPI_STATUS_IGNORE;
            mpi_outcome_finish(&o, &p, &requests[i], s);
            indices[n++] = i;
        }
    nic_leave(mpi_nic);
    *outcount = active ? n : MPI_UNDEFINED;
    return mpi_outcome_report(call, &o, statuses);
}

int PMPI_Waitsome(int count, MPI_Request requests[], int *outcount, int indices[],
                  MPI_Status statuses[])
{
    const char *call = "MPI_Waitsome";
    MPI_ENTER(call);
    int rc = mpi_check_requests(call, count, requests);
    if (!rc && (!outcount || (count && !indices)))
        rc = mpi_no_place(call);
    if (rc)
        return rc;
    nic_enter(mpi_nic);
    struct mpi_census n = wait_for_one(mpi_census, count, requests, call);
    if (n.bad < 0)
        return end_some(call, count, requests, n.active, outcount, indices, statuses);
    nic_leave(mpi_nic);
    return mpi_bad_entry(call, requests, n.bad);
}
MPI_WEAK_ALIAS(Waitsome);

int PMPI_Testsome(int count, MPI_Request requests[], int *outcount, int indices[],
                  MPI_Status statuses[])
{
    const char *call = "MPI_Testsome";
    MPI_ENTER(call);
    int rc = mpi_check_requests(call, count, requests);
    if (!rc && (!outcount || (count && !indices)))
        rc = mpi_no_place(call);
    if (rc)
        return rc;
    nic_enter(mpi_nic);
    struct mpi_census n = look_for_one(mpi_census, count, requests);
    if (n.bad < 0 && (n.done >= 0 || !n.active))
        return end_some(call, count, requests, n.active, outcount, indices, statuses);
    nic_leave(mpi_nic);
    if (n.bad >= 0)
        return mpi_bad_entry(call, requests, n.bad);
    *outcount = 0;
    mpi_poll_pause();
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Testsome);
