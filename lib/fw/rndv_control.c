#include "fw/rndv_control.h"

#include <string.h>

#include "fw/active.h"
#include "fw/claim_word.h"
#include "fw/data.h"
#include "fw/modelled.h"
#include "fw/request.h"
#include "fw/sendq.h"
#include "fw/stray.h"

void mpi_fw_send_cts(struct fw *fw, struct fw_req *recv)
{
    struct fw_cts cts = { .request = fw_req_id(recv), .bytes = recv->bytes,
                          .address = fw_address(recv),
                          .protocol = recv->protocol->id };
    fw_control(fw);
    mpi_fw_post_control(fw, recv->peer, FW_PACKET_CTS, recv->remote, &cts, sizeof cts);
}

/* NULL: none of that number, or one that needs no CTS. */
static const struct fw_protocol *cleared_protocol(const struct fw *fw, const struct fw_cts *cts)
{
    const struct fw_protocol *p =
        cts->protocol < FW_PROTOCOL_COUNT ? fw->protocols[cts->protocol] : NULL;
    return p && p->cleared ? p : NULL;
}

/* A send that is served is a rendezvous. */
void mpi_fw_cts_arrived(struct fw *fw, const struct nic_packet *p)
{
    struct fw_req *send = mpi_fw_req_by_id(fw, p->match, FW_SEND);
    struct fw_cts cts;
    if (!send || !send->served || send->protocol || p->length != sizeof cts) {
        fw_stray(fw, send);
        return;
    }
    fw_control(fw);
    memcpy(&cts, p->head, sizeof cts);
    const struct fw_protocol *protocol = cleared_protocol(fw, &cts);
    if (!protocol || cts.bytes > send->bytes) {
        fw_stray(fw, send);
        return;
    }
    send->remote = cts.request;
    send->address = cts.address;
    send->bytes = cts.bytes;
    send->protocol = protocol;
    protocol->cleared(fw, send);
}

void mpi_fw_send_fin_to(struct fw *fw, uint32_t peer, uint64_t request, uint64_t error)
{
    fw_control(fw);
    mpi_fw_post_control(fw, peer, FW_PACKET_FIN, request, &error, sizeof error);
}

void mpi_fw_send_fin(struct fw *fw, struct fw_req *r)
{
    /* Truncation is the receiver's own affair. */
    mpi_fw_send_fin_to(fw, r->peer, r->remote, r->error == FW_TRUNCATED ? FW_OK : r->error);
}

/* A send in the active queue is about to find that nothing is left to copy: it finishes then. */
void mpi_fw_finish_send(struct fw *fw, struct fw_req *send)
{
    send->finished = send->active;
    if (send->active)
        return;
    if (send->claim_word)
        mpi_fw_claim_word_free(fw, send->claim_word);
    mpi_fw_complete(fw, send);
}

/* The receiver's FIN ends a send that it read from; the sender's FIN ends a receive that it wrote
 * to.  A send that streams through staging buffers, or may be waiting for one, ends by itself. */
static bool fin_is_due(const struct fw_req *r)
{
    if (r->object.kind == FW_SEND)
        return r->served && (!r->protocol || !r->protocol->sender_ends);
    return r->protocol && r->protocol->sender_ends;
}

static struct fw_req *request_of(const struct fw *fw, uint64_t id)
{
    struct fw_req *r = mpi_fw_req_by_id(fw, id, FW_SEND);
    return r ? r : mpi_fw_req_by_id(fw, id, FW_RECV);
}

void mpi_fw_fin_arrived(struct fw *fw, const struct nic_packet *p)
{
    struct fw_req *r = request_of(fw, p->match);
    uint64_t error;
    if (!r || p->length != sizeof error || !fin_is_due(r)) {
        fw_stray(fw, r);
        return;
    }
    if (p->type == FW_PACKET_FIN)
        fw_control(fw);
    memcpy(&error, p->head, sizeof error);
    if (error)
        r->error = FW_COPY_FAILED;
    if (r->object.kind == FW_SEND) {
        mpi_fw_finish_send(fw, r);
        return;
    }
    if (r->active)          /* a chunk was to be looked for; no peer of ours ends it then */
        mpi_fw_deactivate(fw, r);
    mpi_fw_complete(fw, r);
}
