/* The packets of schedules' steps, there and back; see step_packet.h. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "fw/sendq.h"
#include "fw/step_packet.h"

enum { HEAD_BYTES = offsetof(struct fw_step_packet, data) };

struct fw_kept *mpi_fw_step_kept(uint64_t match, const struct fw_step_packet *packet)
{
    struct fw_kept *k = malloc(sizeof *k);
    if (!k)
        abort();            /* as in sendq.c: there is no way on without it */
    *k = (struct fw_kept){ .match = match, .packet = *packet };
    return k;
}

void mpi_fw_steps_free(struct fw_kept *list)
{
    for (struct fw_kept *next; list; list = next) {
        next = list->next;
        free(list);
    }
}

bool mpi_fw_step_read(const struct fw *fw, const struct nic_packet *p,
                      struct fw_step_packet *packet)
{
    if (p->length < HEAD_BYTES || p->length > sizeof *packet || p->head_bytes != p->length)
        return false;
    memcpy(packet, p->head, p->length);
    return packet->source < nic_ranks(fw->nic) && packet->bytes == p->length - HEAD_BYTES;
}

void mpi_fw_step_post(struct fw *fw, uint32_t peer, enum fw_packet type, uint64_t match,
                      const struct fw_step_packet *packet)
{
    struct fw_step_packet own = *packet;
    own.source = fw->rank;
    struct nic_tx m = { .type = (uint8_t)type, .match = match, .data = &own,
                        .data_bytes = HEAD_BYTES + (uint32_t)own.bytes };
    mpi_fw_post(fw, peer, &m, true, NULL);
}
