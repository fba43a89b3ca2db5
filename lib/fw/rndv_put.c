/* RTS, CTS, RDMA write, FIN: the sender's NIC pushes. */
#include "fw/ring.h"

enum { PIECE = 256 * 1024 };

static void matched(struct fw *fw, struct fw_req *recv) { mpi_fw_send_cts(fw, recv); }

/* A sender that may not write streams through its scratchpad: the receive is ready for either. */
static void cleared(struct fw *fw, struct fw_req *send)
{
    if (!(nic_rdma_reach(fw->nic, send->peer, send->address, send->bytes) & NIC_RDMA_WRITE)) {
        send->protocol = &mpi_fw_protocol_staged;
        send->protocol->cleared(fw, send);
        return;
    }
    if (fw->ring)
        mpi_fw_ring_put(fw, send);
    else
        mpi_fw_activate(fw, send);
}

static bool push(struct fw *fw, struct fw_req *send)
{
    size_t left = send->bytes - send->offset, n = left < PIECE ? left : PIECE;
    if (nic_rdma_write(fw->nic, send->peer, (const char *)send->buffer + send->offset, send->address + send->offset, n)) {
        send->error = FW_COPY_FAILED;
        send->offset = send->bytes;
    } else {
        send->offset += n;
    }
    if (send->offset < send->bytes) {
        mpi_fw_reactivate(fw, send);
        return true;
    }
    mpi_fw_send_fin(fw, send);
    mpi_fw_finish_send(fw, send);
    return true;
}

const struct fw_protocol mpi_fw_protocol_put = { .name = "put", .matched = matched, .cleared = cleared, .advance = push };
