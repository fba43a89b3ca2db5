/* Frames: writing packets into them, and reading what somebody else has written. */
#include "wire/frame.h"

#include <string.h>

#include "job/ring.h"
#include "nicemu/remote.h"

/* Whoever reads the hardware's packets has room for no more. */
static uint32_t longest(uint8_t type)
{
    return type < NIC_HW_FIRST ? NIC_FRAME_PACKET_LONG : NIC_LENGTH_MAX;
}

bool nic_frame_next(const unsigned char *frame, uint32_t bytes, uint32_t *at,
                    struct nic_packet *packet)
{
    struct nic_frame_packet head;
    if (*at > bytes || bytes - *at < sizeof head)
        return false;
    memcpy(&head, frame + *at, sizeof head);
    uint32_t room = nic_frame_room(head.length);
    if (head.length > longest(head.type) || room > bytes - *at || head.flags & NIC_FLAG_KEYED)
        return false;
    *packet = (struct nic_packet){ .type = head.type, .flags = head.flags, .length = head.length,
                                   .match = head.match, .head = frame + *at + sizeof head,
                                   .head_bytes = head.length };
    if (packet->head_bytes > NIC_HEAD_BYTES)
        packet->head_bytes = NIC_HEAD_BYTES;
    *at += room;
    return true;
}

unsigned char *nic_frame_add(unsigned char *frame, uint32_t at, const struct nic_tx *m)
{
    uint32_t payload = m->head_bytes + m->data_bytes;
    struct nic_frame_packet head = { .type = m->type, .flags = m->flags,
                                     .length = payload, .match = m->match };
    unsigned char *to = frame + at;
    memset(to + nic_frame_room(payload) - 8, 0, 8);     /* nothing older leaves in the last bytes */
    memcpy(to, &head, sizeof head);
    to += sizeof head;
    if (m->head_bytes)
        memcpy(to, m->head, m->head_bytes);
    return to + m->head_bytes;
}
