/* Looking at requests that stay: MPI_Request_get_status and its family. */
#include "core/err.h"
#include "core/status.h"
#include "mpi/args.h"
#include "mpi/completion.h"
#include "mpi/weak_alias.h"

/* Looks, and once more after a turn of the NIC, even if that moved nothing: on the model clock it
 * takes time, in which completions come.  all: one that is done is not enough.  Baton held. */
static struct mpi_census census(int count, const MPI_Request requests[], bool all)
{
    struct mpi_census n = mpi_census(count, requests);
    bool enough = n.bad >= 0 || !n.open || (!all && n.done >= 0);
    if (enough)
        return n;
    nic_step(mpi_nic);
    return mpi_census(count, requests);
}

/* The status of one that is done, or inactive.  Baton held. */
static void look(struct mpi_outcome *o, MPI_Request request, MPI_Status *status)
{
    struct mpi_pending p;
    struct mpi_why why;
    if (mpi_req_find(request, &p) != MPI_REQ_ACTIVE) {
        mpi_status_set_empty(status);
        return;
    }
    int class = mpi_req_look(p.req, status, &why);
    if (!class || o->failed++)
        return;
    o->why = why;
    o->class = class;
}

int PMPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    const char *call = "MPI_Request_get_status";
    struct mpi_outcome o = { 0 };
    MPI_ENTER(call);
    if (!flag)
        return mpi_no_place(call);
    nic_enter(mpi_nic);
    struct mpi_census n = census(1, &request, true);
    *flag = n.bad < 0 && !n.open;
    if (*flag)
        look(&o, request, status);
    nic_leave(mpi_nic);
    if (n.bad >= 0)
        return mpi_bad_request(call, request);
    if (!*flag)
        mpi_poll_pause();
    return mpi_outcome_report(call, &o, false);
}
MPI_WEAK_ALIAS(Request_get_status);

int PMPI_Request_get_status_all(int count, const MPI_Request requests[], int *flag,
                                MPI_Status statuses[])
{
    const char *call = "MPI_Request_get_status_all";
    struct mpi_outcome o = { 0 };
    MPI_ENTER(call);
    int rc = mpi_check_requests(call, count, requests);
    if (!rc && !flag)
        rc = mpi_no_place(call);
    if (rc)
        return rc;
    nic_enter(mpi_nic);
    struct mpi_census n = census(count, requests, true);
    *flag = n.bad < 0 && !n.open;
    for (int i = 0; *flag && i < count; i++)
        look(&o, requests[i], statuses ? &statuses[i] : MPI_STATUS_IGNORE);
    nic_leave(mpi_nic);
    if (n.bad >= 0)
        return mpi_bad_entry(call, requests, n.bad);
    if (!*flag)
        mpi_poll_pause();
    return mpi_outcome_report(call, &o, false);
}
MPI_WEAK_ALIAS(Request_get_status_all);

int PMPI_Request_get_status_any(int count, const MPI_Request requests[], int *index, int *flag,
                                MPI_Status *status)
{
    const char *call = "MPI_Request_get_status_any";
    struct mpi_outcome o = { 0 };
    MPI_ENTER(call);
    int rc = mpi_check_requests(call, count, requests);
    if (!rc && (!index || !flag))
        rc = mpi_no_place(call);
    if (rc)
        return rc;
    nic_enter(mpi_nic);
    struct mpi_census n = census(count, requests, false);
    *flag = n.bad < 0 && (n.done >= 0 || !n.active);
    *index = n.bad >= 0 || n.done < 0 ? MPI_UNDEFINED : n.done;
    if (*index != MPI_UNDEFINED)
        look(&o, requests[*index], status);
    nic_leave(mpi_nic);
    if (n.bad >= 0)
        return mpi_bad_entry(call, requests, n.bad);
    if (!*flag)
        mpi_poll_pause();
    else if (*index == MPI_UNDEFINED)
        mpi_status_set_empty(status);
    return mpi_outcome_report(call, &o, false);
}
MPI_WEAK_ALIAS(Request_get_status_any);

/* Those that are done; their number.  Baton held. */
static int look_at_some(struct mpi_outcome *o, int count, const MPI_Request requests[],
                        int indices[], MPI_Status statuses[])
{
    struct mpi_pending p;
    int found = 0;
    for (int i = 0; i < count; i++)
        if (mpi_req_find(requests[i], &p) == MPI_REQ_ACTIVE && fw_req_done(p.req)) {
            look(o, requests[i], statuses ? &statuses[found] : MPI_STATUS_IGNORE);
            indices[found++] = i;
        }
    return found;
}

int PMPI_Request_get_status_some(int incount, const MPI_Request requests[], int *outcount,
                                 int indices[], MPI_Status statuses[])
{
    const char *call = "MPI_Request_get_status_some";
    struct mpi_outcome o = { 0 };
    MPI_ENTER(call);
    int rc = mpi_check_requests(call, incount, requests);
    if (!rc && (!outcount || (incount && !indices)))
        rc = mpi_no_place(call);
    if (rc)
        return rc;
    nic_enter(mpi_nic);
    struct mpi_census n = census(incount, requests, true);      /* those behind others too */
    int found = n.bad < 0 ? look_at_some(&o, incount, requests, indices, statuses) : 0;
    nic_leave(mpi_nic);
    if (n.bad >= 0)
        return mpi_bad_entry(call, requests, n.bad);
    *outcount = n.active ? found : MPI_UNDEFINED;
    if (n.active && !found)
        mpi_poll_pause();
    return mpi_outcome_report(call, &o, false);
}
MPI_WEAK_ALIAS(Request_get_status_some);
