/* RTS, RDMA read, FIN: the receiver's NIC pulls. */
#include "fw/ring.h"

enum { AT_ONCE = 64 * 1024, PIECE = 256 * 1024 };

static bool pull(struct fw *fw, struct fw_req *recv)
{
    size_t left = recv->bytes - recv->offset, n = left < PIECE ? left : PIECE;
    if (nic_rdma_read(fw->nic, recv->peer, recv->address + recv->offset, (char *)recv->buffer + recv->offset, n)) {
        recv->error = FW_COPY_FAILED;
        recv->count = recv->offset;
        recv->offset = recv->bytes;
    } else {
        recv->offset += n;
    }
    if (recv->offset < recv->bytes) {
        mpi_fw_reactivate(fw, recv);
        return true;
    }
    mpi_fw_send_fin(fw, recv);
    mpi_fw_complete(fw, recv);
    return true;
}

/* Short ones at once: cheaper than another turn.  Longer ones piece by piece, so that the NIC stays responsive. */
static void matched(struct fw *fw, struct fw_req *recv)
{
    if (fw->ring)
        mpi_fw_ring_get(fw, recv);
    else if (recv->bytes <= AT_ONCE)
        pull(fw, recv);
    else
        mpi_fw_activate(fw, recv);
}

const struct fw_protocol mpi_fw_protocol_get = { .name = "get", .matched = matched, .advance = pull };
