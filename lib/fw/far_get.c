/* Far: RTS, reads by the wire itself from buffer to buffer, FIN.
 *
 * The sender offers its buffer to the wire as long as the send lasts, and the RTS names it by the
 * wire's address and key, in place of the claim, which between machines there is none.  The
 * receiver reads piece by piece, a few at a time: so that packets come in between, and the sender's
 * NIC never hands more than a piece to the kernel at once.  The pieces' order does not matter, for
 * nobody looks before all are there.
 *
 * A receive with reads under way is not ended by the loss of its peer before these have ended, as
 * bytes may still arrive in the buffer until then; the wire sees to it that they end, or that this
 * process does (wire/patrol.c). */
#include "fw/far_get.h"

#include <errno.h>

#include "fw/active.h"
#include "fw/data.h"
#include "fw/req_list.h"
#include "fw/request.h"
#include "fw/rndv_control.h"
#include "fw/tuning.h"

static uint32_t *under_way(struct fw_req *recv) { return &recv->peer_chunks; }

bool mpi_fw_far_reads(const struct fw_req *recv)
{
    return recv->protocol == &mpi_fw_protocol_far && recv->peer_chunks;
}

/* -- sender */

void mpi_fw_far_offer(struct fw *fw, struct fw_req *send, struct fw_rts *rts)
{
    struct nic_far_memory name;
    send->offer = 0;
    if (nic_is_here(fw->nic, send->peer) || fw_layout(send) || send->bytes < FW_FAR_READ_MIN)
        return;
    send->offer = nic_far_offer(fw->nic, send->buffer, send->bytes, &name);
    if (!send->offer)
        return;
    rts->address = name.address;
    rts->claim = name.key;
}

/* -- receiver */

void mpi_fw_far_note(struct fw *fw, struct fw_req *recv, const struct fw_rts *rts)
{
    bool far = !nic_is_here(fw->nic, rts->source);
    recv->offer = far ? rts->claim : 0;
    if (far)
        recv->claim_word = 0;
}

static bool able(struct fw *fw, const struct fw_transfer *t)
{
    return t->recv->offer && !t->to_gaps && nic_far_reads(fw->nic);
}

static void finish(struct fw *fw, struct fw_req *recv)
{
    mpi_fw_send_fin(fw, recv);
    mpi_fw_complete(fw, recv);
}

static int read_next(struct fw *fw, struct fw_req *recv)
{
    const struct nic_far_memory from = { .address = recv->address, .key = recv->offer };
    size_t left = recv->bytes - recv->offset, n = left < FW_FAR_PIECE ? left : FW_FAR_PIECE;
    int rc = nic_far_read(fw->nic, recv->peer, &from, recv->offset,
                          (char *)recv->buffer + recv->offset, n, fw_req_id(recv));
    if (!rc) {
        recv->offset += n;
        ++*under_way(recv);
        fw->far_reads++;
    }
    return rc;
}

/* It will go on when any read has ended; with none under way, in the next turn. */
static void wait(struct fw *fw, struct fw_req *recv)
{
    if (fw->far_reads)
        fw_req_list_append(&fw->waiting_reads, recv);
    else
        mpi_fw_reactivate(fw, recv);
}

/* The wire has no memory for it, and nothing is under way that could give some back: from its
 * beginning in packets. */
static void copy_instead(struct fw *fw, struct fw_req *recv)
{
    recv->offset = 0;
    recv->protocol = fw->protocols[FW_PROTOCOL_staged];
    recv->protocol->matched(fw, recv);
}

/* Neither one that passes nor the loss of the peer, whose receives the patrol ends. */
static bool is_failure(int rc)
{
    return rc && rc != -EAGAIN && rc != -ENOMEM && rc != -EHOSTUNREACH;
}

static bool advance(struct fw *fw, struct fw_req *recv)
{
    uint32_t before = *under_way(recv);
    int rc = 0;
    while (!rc && recv->offset < recv->bytes && *under_way(recv) < FW_FAR_PIECES)
        rc = read_next(fw, recv);
    bool others = *under_way(recv);
    if (rc == -EAGAIN && !others) {
        wait(fw, recv);
    } else if (rc == -ENOMEM && !others) {
        copy_instead(fw, recv);
        return true;
    } else if (is_failure(rc)) {
        recv->error = FW_COPY_FAILED;
        recv->offset = recv->bytes;
        if (!others)
            finish(fw, recv);
    }
    return *under_way(recv) != before;
}

static void matched(struct fw *fw, struct fw_req *recv)
{
    *under_way(recv) = 0;
    mpi_fw_activate(fw, recv);
}

/* That of a lost peer is left to the patrol. */
static void read_ended(struct nic *nic, void *context, uint64_t id, int rc)
{
    struct fw *fw = context;
    struct fw_req *recv = mpi_fw_req_by_id(fw, id, FW_RECV), *other;
    (void)nic;
    fw->far_reads--;
    if (recv) {
        bool all = !--*under_way(recv) && recv->offset == recv->bytes;
        if (!rc && all)
            finish(fw, recv);
        else if (!rc && recv->offset < recv->bytes)
            mpi_fw_activate(fw, recv);
    }
    if ((other = fw_req_list_take(&fw->waiting_reads)))
        mpi_fw_activate(fw, other);
}

void mpi_fw_far_attach(struct fw *fw) { nic_on_far_read(fw->nic, read_ended, fw); }

const struct fw_protocol mpi_fw_protocol_far = {
    .name = "far", .id = FW_PROTOCOL_far, .able = able, .best = able,
    .matched = matched, .advance = advance,
};
