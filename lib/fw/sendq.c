/* Packets that found a full inbox wait here, in order per peer, and are tried again each turn. */
#include "fw/sendq.h"

#include <stdlib.h>
#include <string.h>

#include "fw/modelled.h"
#include "fw/request.h"
#include "fw/tuning.h"
#include "fw/watch.h"

static int try_send(struct fw *fw, const struct nic_tx *m, uint32_t peer, bool service)
{
    return service ? nic_send_service(fw->nic, peer, m) : nic_send(fw->nic, peer, m);
}

/* Out of memory here can lose a message: there is no one to tell, and no way on. */
static struct fw_pending *pending_new(const struct nic_tx *m, size_t data_bytes)
{
    struct fw_pending *p = malloc(sizeof *p + m->head_bytes + data_bytes);
    if (!p)
        abort();
    *p = (struct fw_pending){ .message = *m };
    if (m->head_bytes)
        memcpy(p->kept, m->head, m->head_bytes);
    p->message.head = p->kept;
    if (data_bytes) {
        memcpy(p->kept + m->head_bytes, m->data, data_bytes);
        p->message.data = p->kept + m->head_bytes;
    }
    return p;
}

/* A peer of which nothing waited goes behind the others. */
static void link_backlog(struct fw *fw, struct fw_backlog *b)
{
    b->next = NULL;
    *fw->sendq_end = b;
    fw->sendq_end = &b->next;
}

static void unlink_backlog(struct fw *fw, struct fw_backlog **link)
{
    struct fw_backlog *b = *link;
    *link = b->next;
    if (!b->next)
        fw->sendq_end = link;
}

static void backlog_append(struct fw *fw, struct fw_backlog *b, struct fw_pending *p)
{
    if (!fw->sendq)
        nic_hold_polling(fw->nic, 1);
    if (!b->first) {
        b->last = &b->first;
        link_backlog(fw, b);
    }
    *b->last = p;
    b->last = &p->next;
}

/* Of a message that its receiver may have to hold: see held.h. */
static size_t long_bytes(const struct fw *fw, const struct nic_tx *m)
{
    return m->data_bytes > fw->eager_max ? m->data_bytes : 0;
}

static struct fw_pending *enqueue(struct fw *fw, uint32_t peer, const struct nic_tx *m,
                                  bool service, struct fw_req *carries)
{
    /* Longer data belong to a request, which lives on. */
    bool keep = !carries && !m->gathered && m->data_bytes <= NIC_HEAD_BYTES;
    struct fw_pending *p = pending_new(m, keep ? m->data_bytes : 0);
    p->number = FW_COUNT(fw, sends_delayed, 1);
    p->service = service;
    p->carries = carries;
    fw->sendq_bytes += long_bytes(fw, m);
    fw_critical_path_save(fw, &p->way);
    backlog_append(fw, &fw->backlog[peer], p);
    FW_HIGH_WATER(fw, send_queue, FW_COUNT(fw, send_queue, 1));
    fw_notice(fw, FW_NOTICE_DELAYED,
              &(struct fw_notice){ .match = m->match, .bytes = m->head_bytes + m->data_bytes,
                                   .queue = FW_FIGURE(fw, send_queue), .peer = (int)peer,
                                   .protocol = -1 });
    return p;
}

/* A synchronous eager send waits for its acknowledgment too, which cannot be true before; one that
 * is held for those of others. */
void mpi_fw_message_left(struct fw *fw, struct fw_req *send)
{
    if ((send->sync | send->held) && !send->served)
        send->offset = 1;
    else
        mpi_fw_complete(fw, send);
}

/* By the carrier, if there is one; false: there is no room. */
static bool send_carried(struct fw *fw, const struct nic_tx *m, uint32_t peer, bool service,
                         struct fw_req *carries)
{
    if (fw->carrier)
        return fw->carrier->send(fw, peer, m, carries);
    if (try_send(fw, m, peer, service))
        return false;
    if (carries)
        mpi_fw_message_left(fw, carries);
    return true;
}

/* Where messages wait already, or a carrier has them. */
static struct fw_pending *post_slowly(struct fw *fw, uint32_t peer, const struct nic_tx *m,
                                      bool service, struct fw_req *carries)
{
    if (fw_is_blocked(fw, peer) || !send_carried(fw, m, peer, service, carries))
        return enqueue(fw, peer, m, service, carries);
    return NULL;
}

struct fw_pending *mpi_fw_post(struct fw *fw, uint32_t peer, const struct nic_tx *m,
                               bool service, struct fw_req *carries)
{
    if (__builtin_expect((fw->sendq != NULL) | (fw->carrier != NULL), 0))
        return post_slowly(fw, peer, m, service, carries);
    if (try_send(fw, m, peer, service))
        return enqueue(fw, peer, m, service, carries);
    if (carries)
        mpi_fw_message_left(fw, carries);
    return NULL;
}

struct fw_pending *mpi_fw_post_control(struct fw *fw, uint32_t peer, enum fw_packet type,
                                       uint64_t match, const void *head, size_t head_bytes)
{
    struct nic_tx m = { .type = (uint8_t)type, .match = match, .head = head,
                        .head_bytes = (uint16_t)head_bytes };
    return mpi_fw_post(fw, peer, &m, true, NULL);
}

/* NULL: it has left, and the send may be done. */
void mpi_fw_envelope_waits(struct fw_req *send, struct fw_pending *p)
{
    if (!p)
        return;
    p->envelope_of = send;
    send->pending = p;
}

/* -- another try */

static bool retry(struct fw *fw, uint32_t peer, struct fw_pending *p)
{
    if (p->dead)
        return true;
    if (fw->modelled)
        nic_critical_path_join(fw->nic, p->way, NIC_PART_WAIT);
    struct fw_req *send = p->envelope_of;
    bool sent = send_carried(fw, &p->message, peer, p->service, p->carries);
    if (sent && send)
        send->pending = NULL;
    FW_COUNT(fw, send_retries, !sent);
    return sent;
}

/* The first packet of a backlog leaves, if there is room. */
static bool advance_first(struct fw *fw, struct fw_backlog *b)
{
    struct fw_pending *p = b->first;
    if (!retry(fw, (uint32_t)(b - fw->backlog), p))
        return false;
    if (!(b->first = p->next))
        b->last = &b->first;
    FW_COUNT(fw, send_queue, -UINT64_C(1));
    fw->sendq_bytes -= long_bytes(fw, &p->message);
    fw_critical_path_drop(fw, &p->way);
    free(p);
    return true;
}

/* Peers in turn.  One whose inbox is full goes behind the others, so that those who never look do
 * not stand in the way. */
static bool advance_live(struct fw *fw)
{
    bool moved = false;
    for (unsigned full = 0; fw->sendq && full < FW_FULL_PER_TURN;) {
        struct fw_backlog *b = fw->sendq;
        while (b->first && advance_first(fw, b))
            moved = true;
        unlink_backlog(fw, &fw->sendq);
        if (b->first) {
            link_backlog(fw, b);
            full++;
        }
    }
    return moved;
}

/* The peer whose packet has waited longest, other than `full`. */
static struct fw_backlog **oldest(struct fw *fw, const struct fw_backlog *full)
{
    struct fw_backlog **best = NULL;
    for (struct fw_backlog **link = &fw->sendq; *link; link = &(*link)->next)
        if (*link != full && (!best || (*link)->first->number < (*best)->first->number))
            best = link;
    return best;
}

/* In the order in which they came to wait, across peers: the times of the packets hang on it. */
static bool advance_modelled(struct fw *fw)
{
    bool moved = false;
    const struct fw_backlog *full = NULL;
    struct fw_backlog **link;
    uint32_t own = 0;
    fw_critical_path_save(fw, &own);
    while ((link = oldest(fw, full))) {
        if (advance_first(fw, *link)) {
            moved = true;
            if (!(*link)->first)
                unlink_backlog(fw, link);
        } else if (full) {
            break;
        } else {
            full = *link;
        }
    }
    fw_critical_path_join(fw, &own, NIC_PART_WAIT);
    return moved;
}

bool mpi_fw_advance_sendq(struct fw *fw)
{
    bool moved = __builtin_expect(fw->modelled, 0) ? advance_modelled(fw) : advance_live(fw);
    if (!fw->sendq)
        nic_hold_polling(fw->nic, -1);
    return moved;
}

/* What waits for peers that are lost never leaves; requests end with it. */
static void drop_backlog(struct fw *fw, struct fw_backlog *b)
{
    for (struct fw_pending *p; (p = b->first); free(p)) {
        b->first = p->next;
        FW_COUNT(fw, send_queue, -UINT64_C(1));
        fw->sendq_bytes -= long_bytes(fw, &p->message);
        if (p->envelope_of)
            p->envelope_of->pending = NULL;
        if (!p->carries)
            continue;
        p->carries->error = FW_LOST;
        mpi_fw_complete(fw, p->carries);
    }
    b->last = &b->first;
}

bool mpi_fw_drop_backlogs(struct fw *fw)
{
    bool moved = false, some = fw->sendq;
    for (struct fw_backlog **link = &fw->sendq; *link;) {
        if (nic_lost(fw->nic, (unsigned)(*link - fw->backlog))) {
            drop_backlog(fw, *link);
            unlink_backlog(fw, link);
            moved = true;
        } else {
            link = &(*link)->next;
        }
    }
    if (some && !fw->sendq)
        nic_hold_polling(fw->nic, -1);
    return moved;
}

void mpi_fw_sendq_delete(struct fw *fw)
{
    for (struct fw_backlog *b = fw->sendq; b; b = b->next)
        while (b->first) {
            struct fw_pending *p = b->first;
            b->first = p->next;
            free(p);
        }
    free(fw->backlog);
}
