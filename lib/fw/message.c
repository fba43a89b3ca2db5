#include "fw/message.h"

#include <stdlib.h>
#include <string.h>

#include "fw/ahead.h"
#include "fw/held.h"
#include "fw/modelled.h"
#include "fw/queue.h"
#include "fw/watch.h"

static struct fw_unexpected *message_new(struct fw *fw)
{
    struct fw_unexpected *m = fw->free_messages;
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

void mpi_fw_message_free(struct fw *fw, struct fw_unexpected *m)
{
    if (m->object.kind == FW_FREE)
        return;
    if (__builtin_expect(m->unread != NULL, 0) && fw->carrier)
        fw->carrier->read(fw, m);
    if (m->data != m->small)
        free(m->data);
    if (m->type != FW_PACKET_RTS)
        FW_COUNT(fw, unexpected_bytes, -(uint64_t)m->bytes);
    mpi_fw_held_remove(fw, m);
    m->object.kind = FW_FREE;
    m->next = fw->free_messages;
    fw->free_messages = m;
}

void mpi_fw_message_drop(struct fw *fw, struct fw_unexpected *m)
{
    FW_COUNT(fw, messages_withdrawn, 1);
    fw_critical_path_drop(fw, &m->way);
    m->extracted = true;
    m->withdrawn = m->landing;
    if (!m->landing)
        mpi_fw_message_free(fw, m);
}

static void count_data(struct fw *fw, size_t bytes)
{
    FW_COUNT(fw, unexpected_bytes, bytes);
    FW_HIGH_WATER(fw, unexpected_bytes, FW_FIGURE(fw, unexpected_bytes));
}

/* The bytes behind the fixed head of the packet: kept in the message, or in memory of their own
 * where the rest lands too. */
static bool keep_data(struct fw *fw, struct fw_unexpected *m, const struct nic_packet *p,
                      size_t skip)
{
    size_t first = p->head_bytes - skip;
    m->bytes = p->length - skip;
    m->landing = p->length > p->head_bytes;
    m->data = m->landing ? malloc(m->bytes) : m->small;
    if (!m->data)
        return false;
    count_data(fw, m->bytes);
    mpi_fw_held_add(fw, m);
    memcpy(m->data, (const char *)p->head + skip, first);
    if (m->landing)
        nic_receive_body(fw->nic, (char *)m->data + first, m->bytes - first, m);
    return true;
}

/* What the packet says.  False: no memory. */
static bool fill(struct fw *fw, struct fw_unexpected *m, const struct nic_packet *p)
{
    size_t skip = 0;
    if (m->type == FW_PACKET_RTS) {
        memcpy(&m->rts, p->head, sizeof m->rts);
        m->bytes = m->rts.bytes;
        return true;
    }
    if (m->type == FW_PACKET_SYNC)
        memcpy(&m->origin, p->head, skip = sizeof m->origin);
    return keep_data(fw, m, p, skip);
}

/* Out of memory for what a peer sent: the job cannot go on without losing a message. */
static struct fw_unexpected *begin(struct fw *fw, uint64_t match, uint8_t type)
{
    struct fw_unexpected *m = message_new(fw);
    if (!m)
        abort();
    m->object.kind = FW_UNEXPECTED;
    m->type = type;
    m->match = match;
    m->extracted = m->withdrawn = m->landing = m->holds = m->asks = false;
    m->claimed = NULL;
    m->data = m->small;
    m->unread = NULL;
    m->counted_by = 0;
    return m;
}

static void append(struct fw *fw, struct fw_unexpected *m)
{
    if (fw_queue_append(&fw->unexpected, fw->modelled, m->match, 0, m->index))
        abort();
    fw_critical_path_save(fw, &m->way);
    FW_COUNT(fw, unexpected_messages, 1);
    FW_HIGH_WATER(fw, unexpected_queue, ++fw->fast_path.unexpected);
    fw_notice(fw, FW_NOTICE_KEPT,
              &(struct fw_notice){ .match = m->match, .bytes = m->bytes, .peer = -1,
                                   .queue = fw->fast_path.unexpected, .protocol = -1 });
}

void mpi_fw_message_keep(struct fw *fw, const struct nic_packet *p, uint8_t type)
{
    struct fw_unexpected *m = begin(fw, p->match, type);
    m->asks = p->type == FW_PACKET_ASKS;
    m->counted_by = fw_is_counted(p->type) ? 1 + nic_packet_source(fw->nic) : 0;
    if (!fill(fw, m, p))
        abort();
    if (type != FW_PACKET_RTS)
        fw_buffered(fw, m->bytes);
    if (__builtin_expect(fw->carrier != NULL, 0))
        fw->carrier->keep(fw, m);
    append(fw, m);
}

void mpi_fw_message_read(struct fw *fw, uint64_t match, void *data, size_t bytes)
{
    struct fw_unexpected *m = begin(fw, match, FW_PACKET_EAGER);
    m->data = data;
    m->bytes = bytes;
    count_data(fw, bytes);
    append(fw, m);
}
