#include "core/lost_watch.h"

#include "core/lost.h"

struct fw_req *mpi_lost_watch(struct mpi_comm *c, int source)
{
    struct fw_req *r = nic_has_far_ranks(mpi_nic) ? mpi_fw_req_new(mpi_fw) : NULL;
    if (!r)
        return NULL;
    mpi_req_begin(r, FW_HOST, c);
    r->error = FW_OK;
    r->cancelled = r->detached = r->inside = false;
    mpi_match_recv(c, source, MPI_ANY_TAG, &r->match, &r->mask);
    return r;
}

int mpi_lost_end(struct fw_req *watch, struct mpi_why *why)
{
    int class = MPI_SUCCESS;
    if (!watch)
        return class;
    if (fw_req_done(watch))
        class = mpi_lost_why(watch, why->text, sizeof why->text);
    why->comm = watch->host.comm;
    why->held = false;
    mpi_fw_req_free(mpi_fw, watch);
    return class;
}
