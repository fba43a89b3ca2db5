/* Eager messages: the data travel with the envelope, in one line or several. */
#include "fw/eager.h"

#include <string.h>

#include "fw/accept.h"
#include "fw/ahead.h"
#include "fw/claims.h"
#include "fw/data.h"
#include "fw/message.h"
#include "fw/modelled.h"
#include "fw/posted.h"
#include "fw/request.h"
#include "fw/sendq.h"
#include "fw/stray.h"

static const struct nic_tx eager_packet = { .type = FW_PACKET_EAGER };

bool mpi_fw_send_now(struct fw *fw, uint32_t peer, uint64_t match, const void *data, size_t bytes)
{
    struct nic_tx m = eager_packet;
    if (__builtin_expect(fw->modelled, 0) || __builtin_expect(fw_is_blocked(fw, peer), 0))
        return false;
    m.match = match;
    m.data = data;
    m.data_bytes = (uint32_t)bytes;
    bool sent = !nic_send(fw->nic, peer, &m);
    FW_COUNT(fw, eager_sent, sent);
    return sent;
}

void mpi_fw_start_eager(struct fw *fw, struct fw_req *send)
{
    struct fw_origin origin = { .source = fw->rank, .request = fw_req_id(send) };
    struct nic_tx m = eager_packet;
    m.match = send->match;
    fw_data_of(&m, send, 0);
    m.data_bytes = (uint32_t)send->bytes;
    send->pending = NULL;
    send->held = false;
    send->offset = 0;       /* 1: the message has left */
    if (send->sync) {
        send->claim = origin.claim = mpi_fw_claim_new(fw, send);
        send->withdrawing = false;
        m.type = FW_PACKET_SYNC;
        m.head = &origin;
        m.head_bytes = sizeof origin;
        FW_COUNT(fw, sync_sent, 1);
    } else {
        m.type = (uint8_t)mpi_fw_ahead_count(fw, send);
    }
    FW_COUNT(fw, eager_sent, 1);
    fw_buffered(fw, send->bytes);
    mpi_fw_envelope_waits(send, mpi_fw_post(fw, send->peer, &m, false, send));
}

void mpi_fw_ack_arrived(struct fw *fw, const struct nic_packet *p)
{
    struct fw_req *send = mpi_fw_req_by_id(fw, p->match, FW_SEND);
    if (!send || !send->sync || send->served || !send->offset) {
        fw_stray(fw, send);
        return;
    }
    mpi_fw_claim_end(fw, send);
    mpi_fw_complete(fw, send);
}

void mpi_fw_acknowledge(struct fw *fw, const struct fw_origin *o)
{
    mpi_fw_post_control(fw, o->source, FW_PACKET_ACK, o->request, NULL, 0);
}

/* The receive has accepted it: its count is what it gets. */
static __attribute__((noinline)) void deliver_to_gaps(struct fw *fw, struct fw_req *recv,
                                                      const struct nic_packet *p, size_t skip)
{
    size_t take = recv->count, first = p->head_bytes - skip;
    fw_data_expect(recv, take);
    fw_data_in(recv, 0, (const char *)p->head + skip, take < first ? take : first);
    if (p->length <= p->head_bytes)
        mpi_fw_complete(fw, recv);
    else
        mpi_fw_sink(fw, recv, first, take > first ? take - first : 0);
}

/* Straight from the packet to the user's buffer; what lies behind the first line lands there by
 * itself. */
static inline __attribute__((always_inline)) void deliver(struct fw *fw, struct fw_req *recv,
                                                         const struct nic_packet *p, size_t skip)
{
    size_t take = fw_accept(fw, recv, p->match, p->length - skip), first = p->head_bytes - skip;
    fw_buffered(fw, take);
    if (fw_layout(recv)) {
        deliver_to_gaps(fw, recv, p, skip);
        return;
    }
    nic_copy_short(recv->buffer, (const char *)p->head + skip, take < first ? take : first);
    if (p->length <= p->head_bytes)
        mpi_fw_complete(fw, recv);
    else
        nic_receive_body(fw->nic, (char *)recv->buffer + first, take > first ? take - first : 0,
                         recv);
}

/* Of a SYNC packet, which says whom to tell of the match.  False: it makes no sense. */
static inline bool read_origin(const struct fw *fw, const struct nic_packet *p, struct fw_origin *o)
{
    if (p->head_bytes < sizeof *o)
        return false;
    memcpy(o, p->head, sizeof *o);
    return o->source < nic_ranks(fw->nic);
}

static void sync_arrived(struct fw *fw, const struct nic_packet *p)
{
    struct fw_origin o;
    bool withdrawn = false;
    if (!read_origin(fw, p, &o)) {
        fw_stray_packet(fw);
        return;
    }
    struct fw_req *recv = mpi_fw_match_posted_if(fw, p->match, o.source, o.claim, &withdrawn);
    if (recv) {
        deliver(fw, recv, p, sizeof o);
        mpi_fw_acknowledge(fw, &o);
    } else if (!withdrawn) {
        mpi_fw_message_keep(fw, p, FW_PACKET_SYNC);
    }
}

/* One that both sides count. */
static void counted_arrived(struct fw *fw, const struct nic_packet *p)
{
    if (!mpi_fw_ahead_arrived(fw, p))
        return;
    struct fw_req *recv = mpi_fw_match_posted(fw, p->match);
    if (!recv) {
        mpi_fw_message_keep(fw, p, FW_PACKET_EAGER);
        return;
    }
    deliver(fw, recv, p, 0);
    mpi_fw_ahead_matched(fw, nic_packet_source(fw->nic), p->type == FW_PACKET_ASKS);
}

void mpi_fw_eager_arrived(struct fw *fw, const struct nic_packet *p)
{
    if (__builtin_expect(p->type != FW_PACKET_EAGER, 0)) {
        if (p->type == FW_PACKET_SYNC)
            sync_arrived(fw, p);
        else
            counted_arrived(fw, p);
        return;
    }
    struct fw_req *recv = mpi_fw_match_posted(fw, p->match);
    if (recv)
        deliver(fw, recv, p, 0);
    else
        mpi_fw_message_keep(fw, p, FW_PACKET_EAGER);
}
