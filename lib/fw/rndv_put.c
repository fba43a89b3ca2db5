/* RTS, CTS, RDMA write, FIN: the sender's NIC pushes. */
#include "fw/active.h"
#include "fw/data.h"
#include "fw/rndv_control.h"
#include "fw/tuning.h"

/* A sender that may not write streams through its scratchpad: so it works in any case. */
static bool able(struct fw *fw, const struct fw_transfer *t)
{
    (void)fw;
    return !t->from_gaps && !t->to_gaps;
}

/* A peer can write there without the kernel. */
static bool in_heap(struct fw *fw, const struct fw_req *recv)
{
    uint64_t offset = nic_heap_offset(fw->nic, recv->buffer);
    return nic_heap_at(fw->nic, fw->rank, offset, recv->bytes);
}

static bool best(struct fw *fw, const struct fw_transfer *t)
{
    return able(fw, t) && ((t->paths && !fw->pull_only) || in_heap(fw, t->recv));
}

static void matched(struct fw *fw, struct fw_req *recv) { mpi_fw_send_cts(fw, recv); }

/* The receive is ready for chunks as well. */
static void cleared(struct fw *fw, struct fw_req *send)
{
    unsigned paths = nic_rdma_reach(fw->nic, send->peer, send->address, send->bytes);
    if (!(paths & NIC_RDMA_WRITE) || fw_layout(send)) {     /* the second: no receiver asks so */
        send->protocol = fw->protocols[FW_PROTOCOL_staged];
        send->protocol->cleared(fw, send);
        return;
    }
    if (fw->carrier)
        fw->carrier->put(fw, send);
    else
        mpi_fw_activate(fw, send);
}

static bool push(struct fw *fw, struct fw_req *send)
{
    size_t left = send->bytes - send->offset, n = left < FW_PIECE ? left : FW_PIECE;
    const char *from = (const char *)send->buffer + send->offset;
    if (nic_rdma_write(fw->nic, send->peer, from, send->address + send->offset, n)) {
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

const struct fw_protocol mpi_fw_protocol_put = {
    .name = "put", .id = FW_PROTOCOL_put, .sender_ends = true, .able = able, .best = best,
    .matched = matched, .cleared = cleared, .advance = push,
};
