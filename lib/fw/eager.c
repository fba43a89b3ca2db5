/* Eager messages: the data travels with the envelope, in one line or several. */
#include <stdlib.h>
#include <string.h>

#include "fw/ring.h"

static const struct nic_message eager_packet = { .type = FW_PACKET_EAGER };

bool mpi_fw_send_now(struct fw *fw, uint32_t peer, uint64_t match, const void *data, size_t bytes)
{
    struct nic_message m = eager_packet;
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
    struct nic_message m = eager_packet;
    m.match = send->match;
    m.data = send->buffer;
    m.data_bytes = (uint32_t)send->bytes;
    send->pending = NULL;
    if (send->sync) {
        send->claim = origin.claim = mpi_fw_claim_new(fw, send);
        send->withdrawing = false;
        m.type = FW_PACKET_SYNC;
        m.head = &origin;
        m.head_bytes = sizeof origin;
        FW_COUNT(fw, sync_sent, 1);
        send->offset = 0;       /* 1: the message has left */
    }
    FW_COUNT(fw, eager_sent, 1);
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

static void acknowledge(struct fw *fw, const struct fw_origin *o)
{
    mpi_fw_post_control(fw, o->source, FW_PACKET_ACK, o->request, NULL, 0);
}

/* What of a message of `bytes` goes into the receive: notes truncation and the envelope. */
static size_t accept(struct fw *fw, struct fw_req *recv, uint64_t match, size_t bytes)
{
    recv->full = bytes;
    if (__builtin_expect(bytes > recv->bytes, 0)) {
        recv->error = FW_TRUNCATED;
        FW_COUNT(fw, truncations, 1);
        bytes = recv->bytes;
    }
    recv->match = match;
    recv->count = bytes;
    return bytes;
}

/* Straight from the packet to the user's buffer; what lies behind the first line lands there by itself. */
static void deliver_packet(struct fw *fw, struct fw_req *recv, const struct nic_packet *p, size_t origin)
{
    size_t take = accept(fw, recv, p->match, p->length - origin), first = p->head_bytes - origin;
    nic_copy_short(recv->buffer, (const char *)p->head + origin, take < first ? take : first);
    if (p->length <= p->head_bytes)
        mpi_fw_complete(fw, recv);
    else
        nic_sink(fw->nic, (char *)recv->buffer + first, take > first ? take - first : 0, recv);
}

void mpi_fw_eager_arrived(struct fw *fw, const struct nic_packet *p)
{
    struct fw_origin o;
    size_t origin = 0;
    bool withdrawn = false;
    if (p->type == FW_PACKET_SYNC) {
        if (p->head_bytes < sizeof o || (memcpy(&o, p->head, sizeof o), o.source >= nic_ranks(fw->nic))) {
            fw_stray_packet(fw);
            return;
        }
        origin = sizeof o;
    }
    struct fw_req *recv = origin ? mpi_fw_match_posted_if(fw, p->match, o.source, o.claim, &withdrawn)
                                 : mpi_fw_match_posted(fw, p->match);
    if (!recv) {
        if (!withdrawn)
            mpi_fw_message_keep(fw, p, p->type);
        return;
    }
    deliver_packet(fw, recv, p, origin);
    if (origin)
        acknowledge(fw, &o);
}

/* -- unexpected messages */

static struct fw_message *message_new(struct fw *fw)
{
    struct fw_message *m = fw->free_messages;
    if (m) {
        fw->free_messages = m->next;
        return m;
    }
    uint32_t index;
    m = mpi_fw_slab_new(&fw->messages, &index);
    if (m)
        m->index = index;
    return m;
}

void mpi_fw_message_free(struct fw *fw, struct fw_message *m)
{
    if (m->object.kind == FW_FREE)
        return;
    if (__builtin_expect(m->unread != NULL, 0))
        mpi_fw_ring_read(fw, m);
    if (m->data != m->small)
        free(m->data);
    if (m->type != FW_PACKET_RTS)
        FW_COUNT(fw, unexpected_bytes, -(uint64_t)m->bytes);
    m->object.kind = FW_FREE;
    m->next = fw->free_messages;
    fw->free_messages = m;
}

/* The bytes behind the fixed head of the packet: kept in the message, or in memory of their own where the rest lands too. */
static bool keep_data(struct fw *fw, struct fw_message *m, const struct nic_packet *p, size_t skip)
{
    size_t first = p->head_bytes - skip;
    m->bytes = p->length - skip;
    m->landing = p->length > p->head_bytes;
    m->data = m->landing ? malloc(m->bytes) : m->small;
    if (!m->data)
        return false;
    FW_COUNT(fw, unexpected_bytes, m->bytes);
    FW_HIGH_WATER(fw, unexpected_bytes, fw->stats.value[FW_STAT_unexpected_bytes]);
    memcpy(m->data, (const char *)p->head + skip, first);
    if (m->landing)
        nic_sink(fw->nic, (char *)m->data + first, m->bytes - first, m);
    return true;
}

/* Out of memory for what a peer sent: the job cannot go on without losing a message. */
struct fw_message *mpi_fw_message_keep(struct fw *fw, const struct nic_packet *p, uint8_t type)
{
    struct fw_message *m = message_new(fw);
    size_t skip = 0;
    if (!m)
        abort();
    m->object.kind = FW_MESSAGE;
    m->type = type;
    m->match = p->match;
    m->extracted = m->withdrawn = false;
    m->claimed = NULL;
    m->landing = false;
    m->data = m->small;
    m->unread = NULL;
    if (type == FW_PACKET_RTS) {
        memcpy(&m->rts, p->head, sizeof m->rts);
        m->bytes = m->rts.bytes;
    } else {
        if (type == FW_PACKET_SYNC)
            memcpy(&m->origin, p->head, skip = sizeof m->origin);
        if (!keep_data(fw, m, p, skip))
            abort();
    }
    if (__builtin_expect(fw->modelled, 0))
        mpi_fw_ring_keep(fw, m);
    if (fw_append(fw, &fw->unexpected, m->match, 0, m->index))
        abort();
    fw_way_keep(fw, &m->way);
    FW_COUNT(fw, unexpected_messages, 1);
    FW_HIGH_WATER(fw, unexpected_queue, ++fw->front.arrived);
    return m;
}

static void copy_out(struct fw *fw, struct fw_message *m, struct fw_req *recv)
{
    size_t take = accept(fw, recv, m->match, m->bytes);
    if (take)
        memcpy(recv->buffer, m->data, take);
    if (fw->modelled)
        nic_copied(fw->nic, take);
    mpi_fw_message_free(fw, m);
    mpi_fw_complete(fw, recv);
}

void mpi_fw_deliver_message(struct fw *fw, struct fw_message *m, struct fw_req *recv)
{
    fw_way_join(fw, &m->way, NIC_PART_LATE);
    if (m->type == FW_PACKET_RTS) {
        struct fw_rts rts = m->rts;
        uint64_t match = m->match;
        mpi_fw_message_free(fw, m);
        mpi_fw_rts_matched(fw, &rts, match, recv);
        return;
    }
    if (m->type == FW_PACKET_SYNC)
        acknowledge(fw, &m->origin);
    if (m->landing)
        m->claimed = recv;      /* mpi_fw_landed goes on */
    else
        copy_out(fw, m, recv);
}

void mpi_fw_landed(struct fw *fw, struct fw_object *object)
{
    if (object->kind == FW_RECV) {
        struct fw_req *recv = (struct fw_req *)object;
        if (recv->protocol)         /* a chunk of a rendezvous */
            mpi_fw_inline_landed(fw, recv);
        else
            mpi_fw_complete(fw, recv);
        return;
    }
    struct fw_message *m = (struct fw_message *)object;
    m->landing = false;
    if (m->claimed)
        copy_out(fw, m, m->claimed);
    else if (m->withdrawn)
        mpi_fw_message_free(fw, m);
}
