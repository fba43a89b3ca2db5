/* Completing all of several requests. */
#include "core/status.h"
#include "mpi/args.h"
#include "mpi/completion.h"
#include "mpi/weak_alias.h"

int PMPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    const char *call = "MPI_Waitall";
    struct mpi_outcome o;
    struct mpi_pending p;
    MPI_ENTER(call);
    int rc = mpi_check_requests(call, count, requests);
    if (rc)
        return rc;
    o.failed = 0;
    o.statuses = statuses;
    nic_enter(mpi_nic);
    for (int i = 0; i < count; i++) {
        MPI_Status *s = statuses ? &statuses[i] : MPI_STATUS_IGNORE;
        /* with statuses, too: what a wait costs on the model clock must not hang on them */
        if (likely(!s || !o.failed) && likely(wait_simple(call, &requests[i], count - i, s)))
            continue;
        enum mpi_found found = mpi_req_find(requests[i], &p);
        if (unlikely(found == MPI_REQ_INVALID)) {
            nic_leave(mpi_nic);
            return mpi_bad_entry(call, requests, i);
        }
        if (found == MPI_REQ_ACTIVE) {
            mpi_req_wait_in(p.req, call, &requests[i], count - i);
            mpi_outcome_finish(&o, &p, &requests[i], s);
        } else {
            mpi_status_set_empty(s);
        }
    }
    nic_leave(mpi_nic);
    return mpi_outcome_report(call, &o, statuses);
}
MPI_WEAK_ALIAS(Waitall);

/* Ends all of them, which are done, or inactive. */
static void end_all(int count, MPI_Request requests[], MPI_Status statuses[], struct mpi_outcome *o)
{
    struct mpi_pending p;
    for (int i = 0; i < count; i++) {
        MPI_Status *s = statuses ? &statuses[i] : MPI_STATUS_IGNORE;
        if (mpi_req_find(requests[i], &p) == MPI_REQ_ACTIVE)
            mpi_outcome_finish(o, &p, &requests[i], s);
        else
            mpi_status_set_empty(s);
    }
}

int PMPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    const char *call = "MPI_Testall";
    struct mpi_outcome o = { .statuses = statuses };
    MPI_ENTER(call);
    int rc = mpi_check_requests(call, count, requests);
    if (!rc && !flag)
        rc = mpi_no_place(call);
    if (rc)
        return rc;
    nic_enter(mpi_nic);
    struct mpi_census n = mpi_census(count, requests);
    if (n.bad < 0 && n.open && nic_step(mpi_nic))
        n = mpi_census(count, requests);
    if (n.bad < 0 && !n.open)
        end_all(count, requests, statuses, &o);
    nic_leave(mpi_nic);
    if (n.bad >= 0)
        return mpi_bad_entry(call, requests, n.bad);
    *flag = !n.open;
    if (n.open)
        mpi_poll_pause();
    return mpi_outcome_report(call, &o, statuses);
}
MPI_WEAK_ALIAS(Testall);
