#include "fw/stage_buffers.h"

#include "fw/tuning.h"

static size_t share_of(const struct fw *fw) { return nic_spad_size(fw->nic) / FW_STAGE_SHARE; }

bool mpi_fw_buffers_wanted(const struct fw *fw)
{
    if (fw->stage == FW_STAGE_BY_INBOX || (fw->stage == FW_STAGE_AS_FITS && fw->modelled))
        return false;
    return share_of(fw) >= FW_STAGE_BUFFERS_MIN * FW_STAGE_BYTES_MIN;
}

static void found(struct fw *fw, uint64_t area, unsigned n, uint32_t bytes)
{
    fw->stage_area = area;
    fw->stage_bytes = bytes;
    fw->stages_all = n;
    for (fw->stages = 0; fw->stages < n; fw->stages++)
        fw->stage_free[fw->stages] = (uint8_t)(n - 1 - fw->stages);
}

/* The most and largest that fit into their share of the scratchpad: rather fewer than smaller ones.
 * Fewer than two of the smallest are worse than none. */
static bool find(struct fw *fw)
{
    bool large = share_of(fw) >= FW_STAGE_BUFFERS_MIN * FW_STAGE_BYTES;
    uint32_t bytes = large ? FW_STAGE_BYTES : FW_STAGE_BYTES_MIN;
    size_t most = share_of(fw) / bytes;
    unsigned n = most < FW_STAGE_BUFFERS ? (unsigned)most : FW_STAGE_BUFFERS;
    for (; n >= FW_STAGE_BUFFERS_MIN; n /= 2) {
        uint64_t area =
            nic_spad_alloc(fw->nic, NIC_SPAD_BUFFERS, (size_t)n * bytes, FW_STAGE_UNIT);
        if (area != NIC_SPAD_NONE) {
            found(fw, area, n, bytes);
            return true;
        }
    }
    return false;
}

bool mpi_fw_buffers_have(struct fw *fw)
{
    return mpi_fw_buffers_wanted(fw) && (fw->stage_area != NIC_SPAD_NONE || find(fw));
}

uint64_t mpi_fw_buffer_take(struct fw *fw, uint8_t **lines)
{
    unsigned i = fw->stage_free[--fw->stages];
    fw->stages_out |= 1u << i;
    *lines = &fw->stage_lines[i];
    return fw->stage_area + (uint64_t)i * fw->stage_bytes;
}

bool mpi_fw_buffer_back(struct fw *fw, uint64_t buffer)
{
    uint64_t first = fw->stage_area / FW_STAGE_UNIT, units = fw->stage_bytes / FW_STAGE_UNIT;
    if (fw->stage_area == NIC_SPAD_NONE || buffer < first || (buffer - first) % units
        || (buffer - first) / units >= fw->stages_all)
        return false;
    unsigned i = (unsigned)((buffer - first) / units);
    if (!(fw->stages_out >> i & 1))
        return false;
    fw->stages_out &= ~(1u << i);
    fw->stage_free[fw->stages++] = (uint8_t)i;
    return true;
}
