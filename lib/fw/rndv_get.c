/* RTS, RDMA read, FIN: the receiver's NIC pulls. */
#include "fw/active.h"
#include "fw/request.h"
#include "fw/rndv_control.h"
#include "fw/tuning.h"

static bool able(struct fw *fw, const struct fw_transfer *t)
{
    (void)fw;
    return t->paths & NIC_RDMA_READ && !t->to_gaps;
}

static bool pull(struct fw *fw, struct fw_req *recv)
{
    size_t left = recv->bytes - recv->offset, n = left < FW_PIECE ? left : FW_PIECE;
    char *to = (char *)recv->buffer + recv->offset;
    uint64_t start = mpi_fw_copies_begin(&fw->copies);
    if (nic_rdma_read(fw->nic, recv->peer, recv->address + recv->offset, to, n)) {
        recv->error = FW_COPY_FAILED;
        recv->count = recv->offset;
        recv->offset = recv->bytes;
    } else {
        recv->offset += n;
        mpi_fw_copies_end(&fw->copies, FW_COPY_READ, start, n);
    }
    if (recv->offset < recv->bytes) {
        mpi_fw_reactivate(fw, recv);
        return true;
    }
    mpi_fw_send_fin(fw, recv);
    mpi_fw_complete(fw, recv);
    return true;
}

/* Short ones at once: cheaper than another turn.  Longer ones piece by piece, so that the NIC stays
 * responsive. */
static void matched(struct fw *fw, struct fw_req *recv)
{
    if (fw->carrier)
        fw->carrier->get(fw, recv);
    else if (recv->bytes <= FW_PULL_AT_ONCE)
        pull(fw, recv);
    else
        mpi_fw_activate(fw, recv);
}

/* What beats it for some messages stands before it in the order of preference. */
const struct fw_protocol mpi_fw_protocol_get = {
    .name = "get", .id = FW_PROTOCOL_get, .able = able, .best = able,
    .matched = matched, .advance = pull,
};
