/* Packets that found a full inbox wait here, in order per peer, and are tried again each turn. */
#include <stdlib.h>
#include <string.h>

#include "ring.h"

static int try_send(struct fw *fw, const struct nic_message *m, uint32_t peer, bool service)
{
    return service ? nic_send_service(fw->nic, peer, m) : nic_send(fw->nic, peer, m);
}

/* Out of memory here can lose a message: there is no one to tell, and no way on. */
static struct fw_pending *pending_new(void)
{
    struct fw_pending *p = malloc(sizeof *p);
    if (!p)
        abort();
    return p;
}

static void enqueue(struct fw *fw, uint32_t peer, const struct nic_message *m, bool service, struct fw_req *carries)
{
    struct fw_pending *p = pending_new();
    *p = (struct fw_pending){ .peer = peer, .service = service, .message = *m, .carries = carries };
    if (m->head_bytes)
        memcpy(p->head, m->head, m->head_bytes);
    p->message.head = p->head;
    fw_way_keep(fw, &p->way);
    if (!carries && m->data_bytes && m->data_bytes <= sizeof p->data) {       /* of longer data the request that it belongs to lives on */
        memcpy(p->data, m->data, m->data_bytes);
        p->message.data = p->data;
    }
    if (!fw->sendq)
        nic_active(fw->nic, 1);
    *fw->sendq_end = p;
    fw->sendq_end = &p->next;
    fw->blocked[peer]++;
    FW_COUNT(fw, sends_delayed, 1);
    FW_HIGH_WATER(fw, send_queue, ++fw->stats.value[FW_STAT_send_queue]);
}

/* The buffer is the host's again; a synchronous eager send waits for its acknowledgment too, which cannot be true before. */
void mpi_fw_message_left(struct fw *fw, struct fw_req *send)
{
    if (send->sync && !send->served)
        send->offset = 1;
    else
        mpi_fw_complete(fw, send);
}

/* False: there is no room. */
static bool send_carefully(struct fw *fw, const struct nic_message *m, uint32_t peer, bool service, struct fw_req *carries)
{
    if (fw->ring)
        return mpi_fw_ring_send(fw, peer, m, carries);
    if (try_send(fw, m, peer, service))
        return false;
    if (carries)
        mpi_fw_message_left(fw, carries);
    return true;
}

static void post_carefully(struct fw *fw, uint32_t peer, const struct nic_message *m, bool service, struct fw_req *carries)
{
    if (fw->blocked[peer] || !send_carefully(fw, m, peer, service, carries))
        enqueue(fw, peer, m, service, carries);
}

void mpi_fw_post(struct fw *fw, uint32_t peer, const struct nic_message *m, bool service, struct fw_req *carries)
{
    if (__builtin_expect((fw->sendq != NULL) | (fw->ring != NULL), 0))
        post_carefully(fw, peer, m, service, carries);
    else if (try_send(fw, m, peer, service))
        enqueue(fw, peer, m, service, carries);
    else if (carries)
        mpi_fw_message_left(fw, carries);
}

void mpi_fw_post_control(struct fw *fw, uint32_t peer, enum fw_packet type, uint64_t match, const void *head, size_t head_bytes)
{
    struct nic_message m = { .type = (uint8_t)type, .match = match, .head = head, .head_bytes = (uint16_t)head_bytes };
    mpi_fw_post(fw, peer, &m, true, NULL);
}

static bool retry(struct fw *fw, const struct fw_pending *p)
{
    if (fw->modelled)
        nic_way_join(fw->nic, p->way, NIC_PART_WAIT);
    bool sent = send_carefully(fw, &p->message, p->peer, p->service, p->carries);
    FW_COUNT(fw, send_retries, !sent);
    return sent;
}

/* One pass: for each peer the first packets that fit.  `stuck` marks a peer whose inbox was full in this pass: those behind must not overtake. */
bool mpi_fw_advance_sendq(struct fw *fw)
{
    bool moved = false;
    uint32_t stuck = UINT32_MAX, own = 0;
    struct fw_pending **link = &fw->sendq;
    fw_way_keep(fw, &own);
    while (*link) {
        struct fw_pending *p = *link;
        if (p->peer == stuck || !retry(fw, p)) {
            if (stuck != UINT32_MAX && stuck != p->peer)
                break;      /* a second full inbox: leave the rest for the next turn */
            stuck = p->peer;
            link = &p->next;
            continue;
        }
        *link = p->next;
        fw->blocked[p->peer]--;
        FW_COUNT(fw, send_queue, -UINT64_C(1));
        fw_way_drop(fw, &p->way);
        free(p);
        moved = true;
    }
    if (!fw->sendq)
        nic_active(fw->nic, -1);
    if (!*link)
        fw->sendq_end = link;
    fw_way_join(fw, &own, NIC_PART_WAIT);
    return moved;
}
