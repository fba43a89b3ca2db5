/* One packet to many ranks: each NIC serves its part of the list and delivers its own copy. */
#include "offload/multi_send.h"

#include <errno.h>
#include <string.h>

#include "core/baton.h"
#include "link/receive.h"
#include "nicemu/model.h"
#include "nicemu/multi.h"
#include "remote/packets.h"

/* wire: then the ranks to be served, filled up to whole words, and the payload, `length` bytes of
 * it.  match: the program's. */
struct multi_head {
    uint16_t source, count;
    uint8_t type, flags, latency, pad;
    uint32_t length, more_pad;
};
static_assert(sizeof(struct multi_head) == 16, "wire layout");
static_assert(NIC_MAX_RANKS <= 65536, "ranks have 16 bits");

/* A copy to be sent on, and those whom it is to reach. */
struct multi {
    struct multi_head head;
    uint64_t match;
    const uint16_t *rank;
    const unsigned char *payload;
};

static size_t list_bytes(unsigned count) { return (count * sizeof(uint16_t) + 7) & ~(size_t)7; }

/* -- the tree */

/* Number 0 is this NIC, i + 1 the list's place i; they are numbered in the order in which they
 * hear.  through[i]: which of those that this NIC serves itself passes it on to number i. */
static void grow(unsigned count, unsigned latency, uint16_t *through)
{
    uint32_t heard[NIC_MULTI_RANKS + 1] = { 0 };
    unsigned known = 1;
    for (unsigned i = 1; !latency && i <= count; i++)
        through[i] = (uint16_t)i;
    for (uint32_t now = 0; latency && known <= count; now++)
        for (unsigned i = 0, had = known; i < had && known <= count && heard[i] <= now; i++) {
            through[known] = (uint16_t)(i ? through[i] : known);
            heard[known++] = now + latency;
        }
}

/* The payload stands in `out` already, behind room for the list. */
static void serve(struct nic *n, const struct multi *m, const uint16_t *through, unsigned first)
{
    struct multi_head head = m->head;
    unsigned char *payload = n->remote->out + list_bytes(m->head.count);
    uint16_t list[NIC_MULTI_RANKS];
    head.count = 0;
    for (unsigned i = first + 1; i <= m->head.count; i++)
        if (through[i] == first)
            list[head.count++] = m->rank[i - 1];
    unsigned char *data = payload - list_bytes(head.count);
    memset(data, 0, list_bytes(head.count));
    memcpy(data, list, head.count * sizeof *list);
    NIC_CHARGE_SOME(n, BUFFER, head.length > 0);
    NIC_CHARGE_SOME(n, BUFFER_BYTE, head.length);
    nic_hw_send(n, m->rank[first - 1], head.count ? NIC_HW_MULTI : NIC_HW_MULTI_LAST, m->match,
                &head, sizeof head, data, list_bytes(head.count) + head.length);
}

static void send_on(struct nic *n, const struct multi *m)
{
    uint16_t through[NIC_MULTI_RANKS + 1];
    if (!m->head.count)
        return;
    grow(m->head.count, m->head.latency, through);
    memmove(n->remote->out + list_bytes(m->head.count), m->payload, m->head.length);
    for (unsigned i = 1; i <= m->head.count; i++)
        if (through[i] == i)
            serve(n, m, through, i);
}

/* -- the sender */

struct order { struct nic *nic; const struct multi *multi; };

static void carry_out(void *argument)
{
    const struct order *o = argument;
    send_on(o->nic, o->multi);
}

static int check(const struct nic *n, const unsigned *ranks, unsigned count, unsigned latency,
                 const struct nic_tx *m)
{
    const uint64_t bytes = (uint64_t)m->head_bytes + m->data_bytes;
    if (m->type >= NIC_HW_FIRST || m->flags & 0x80 || m->gathered || m->head_bytes % 8
        || m->head_bytes > NIC_HW_HEAD_MAX || latency > NIC_MULTI_LATENCY)
        return -EINVAL;
    if (count > NIC_MULTI_RANKS || bytes + list_bytes(count) > NIC_MESSAGE_BYTES_MAX)
        return -EMSGSIZE;
    for (unsigned i = 0; i < count; i++)
        if (ranks[i] >= n->ranks || ranks[i] == n->rank)
            return -EINVAL;
    return 0;
}

int nic_multi_send(struct nic *n, const unsigned *ranks, unsigned count, unsigned latency,
                   const struct nic_tx *m)
{
    unsigned char payload[NIC_MESSAGE_BYTES_MAX];
    uint16_t list[NIC_MULTI_RANKS];
    nic_baton_check(n);
    int rc = check(n, ranks, count, latency, m);
    if (rc)
        return rc;
    for (unsigned i = 0; i < count; i++)
        list[i] = (uint16_t)ranks[i];
    if (!latency && n->model && n->model_ops->send_to_many(n, list, count, m))
        return 0;
    if (m->head_bytes)
        memcpy(payload, m->head, m->head_bytes);
    if (m->data_bytes)
        memcpy(payload + m->head_bytes, m->data, m->data_bytes);
    struct multi multi = { .match = m->match, .rank = list, .payload = payload,
                           .head = { .source = (uint16_t)n->rank, .count = (uint16_t)count,
                                     .type = m->type, .flags = m->flags,
                                     .latency = (uint8_t)latency,
                                     .length = m->head_bytes + m->data_bytes } };
    nic_call(n, carry_out, &(struct order){ n, &multi });
    return 0;
}

/* -- those whom it reaches.  Nothing in the packet is believed. */

static bool read_multi(const struct nic *n, const struct nic_packet *p, struct multi *m,
                       uint16_t *list)
{
    const unsigned char *from = (const unsigned char *)p->head + sizeof m->head;
    if (p->length < sizeof m->head)
        return false;
    memcpy(&m->head, p->head, sizeof m->head);
    if (m->head.count > NIC_MULTI_RANKS || m->head.source >= n->ranks
        || m->head.type >= NIC_HW_FIRST || m->head.flags & 0x80
        || p->length != sizeof m->head + list_bytes(m->head.count) + (uint64_t)m->head.length)
        return false;
    memcpy(list, from, m->head.count * sizeof *list);
    for (unsigned i = 0; i < m->head.count; i++)
        if (list[i] >= n->ranks || list[i] == n->rank)
            return false;
    m->match = p->match;
    m->rank = list;
    m->payload = from + list_bytes(m->head.count);
    return true;
}

void nic_multi_arrived(struct nic *n, const struct nic_packet *p)
{
    uint16_t list[NIC_MULTI_RANKS];
    struct multi m;
    if (!nic_hw_whole(n, p, nic_multi_arrived))
        return;
    if (!read_multi(n, p, &m, list)) {
        nic_hw_drop(n);
        return;
    }
    send_on(n, &m);
    const uint32_t length = m.head.length;
    nic_packet_deliver(n, m.head.source, &(struct nic_packet){
        .type = m.head.type, .flags = m.head.flags, .length = length, .match = m.match,
        .head = m.payload, .time = p->time,
        .head_bytes = length < NIC_HEADER_DATA ? length : NIC_HEADER_DATA });
}
