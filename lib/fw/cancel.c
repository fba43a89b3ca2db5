/* Cancelling a request that nobody has matched (mpi_fw_cancel in fw.h). */
#include "fw/posted.h"
#include "fw/request.h"
#include "fw/withdraw.h"

static bool cancel_receive(struct fw *fw, struct fw_req *recv)
{
    if (!mpi_fw_posted_remove(fw, recv))
        return false;
    recv->cancelled = true;
    FW_COUNT(fw, cancels, 1);
    mpi_fw_complete(fw, recv);
    return true;
}

static bool cancel(struct fw *fw, struct fw_req *r)
{
    if (fw_req_done(r))
        return false;
    if (r->object.kind == FW_SEND)
        return mpi_fw_cancel_send(fw, r);
    return r->object.kind == FW_RECV && cancel_receive(fw, r);
}

struct cancelling { struct fw *fw; struct fw_req *req; bool cancelled; };

static void call_cancel(void *argument)
{
    struct cancelling *c = argument;
    c->cancelled = cancel(c->fw, c->req);
}

bool mpi_fw_cancel(struct fw *fw, struct fw_req *r)
{
    struct cancelling c = { .fw = fw, .req = r };
    nic_call(fw->nic, call_cancel, &c);
    return c.cancelled;
}
