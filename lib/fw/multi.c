/* Data for many ranks at once; see multi.h. */
#include "fw/multi.h"

#include <stddef.h>
#include <string.h>

#include "fw/steps_back.h"
#include "nicemu/multi.h"

enum { RANK_BYTES = sizeof(uint16_t), WORD = 8 };

bool mpi_fw_multi_fits(size_t bytes, unsigned ranks)
{
    return ranks <= NIC_MULTI_RANKS
           && bytes + sizeof(struct fw_step_packet) + ranks * RANK_BYTES + WORD
              <= NIC_MESSAGE_BYTES_MAX;
}

/* The packet that each of them gets, as if it had been sent to it alone. */
static struct nic_tx packet_of(const struct fw *fw, bool of_step, const struct fw_multi_data *d,
                               struct fw_step_packet *own)
{
    const uint32_t bytes = (uint32_t)d->bytes;
    if (!of_step)
        return (struct nic_tx){ .type = FW_PACKET_EAGER, .match = d->match, .data = d->from,
                                .data_bytes = bytes };
    *own = (struct fw_step_packet){ .source = fw->rank, .round = d->round,
                                    .bytes = (uint8_t)bytes };
    if (bytes)
        memcpy(own->data, d->from, bytes);
    return (struct nic_tx){ .type = FW_PACKET_STEP, .match = d->match, .data = own,
                            .data_bytes = offsetof(struct fw_step_packet, data) + bytes };
}

/* Who has packets of steps waiting here gets this one by itself, behind them.  Returns how many are
 * left, in `ranks`. */
static unsigned send_behind(struct fw *fw, const struct fw_multi *to, uint64_t match,
                            const struct fw_step_packet *packet, unsigned *ranks)
{
    unsigned count = 0;
    for (unsigned i = 0; i < to->count; i++)
        if (mpi_fw_step_waits(fw, to->rank[i]))
            mpi_fw_send_step(fw, to->rank[i], match, packet);
        else
            ranks[count++] = to->rank[i];
    return count;
}

bool mpi_fw_send_multi(struct fw *fw, const struct fw_multi *to, const struct fw_multi_data *data)
{
    struct fw_step_packet own;
    const struct nic_tx packet = packet_of(fw, to->packet, data, &own);
    const unsigned *ranks = to->rank;
    unsigned count = to->count, left[NIC_MULTI_RANKS];
    if (to->packet && fw->back && count <= NIC_MULTI_RANKS) {
        count = send_behind(fw, to, data->match, &own, left);
        ranks = left;
    }
    if (count && nic_multi_send(fw->nic, ranks, count, to->latency, &packet))
        return false;
    FW_COUNT(fw, multi_sent, 1);
    return true;
}
