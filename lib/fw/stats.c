#include "inside.h"

#define INFO(name, unit, kind, text) { #name, unit, NIC_STAT_##kind, text },
static const struct nic_stat_info infos[FW_STAT_END] = { FW_STATS(INFO) };

static_assert((int)FW_STAT_posted_depth_16384 - (int)FW_STAT_posted_depth_0 == FW_DEPTH_CLASSES - 1, "the classes of a histogram stand together");

/* Messages that went the short ways never met the firmware: the NIC has counted them.  A short receive is one that finds no unexpected message, and is alone
 * in the posted queue when its message comes. */
static uint64_t read_stat(void *context, unsigned index)
{
    const struct fw *fw = context;
    uint64_t counted = fw->stats.value[index];
    switch (index) {
    case FW_STAT_eager_sent:
        return counted + nic_stat_read(fw->nic, (unsigned)fw->stats.sends_short);
    case FW_STAT_posted_depth_1:
    case FW_STAT_unexpected_depth_0:
        return counted + nic_stat_read(fw->nic, (unsigned)fw->stats.receives_short);
    case FW_STAT_posted_queue:
        return fw->front.waiting;
    case FW_STAT_unexpected_queue:
        return fw->front.arrived;
    case FW_STAT_lines_kept:
        return fw->lines_kept;
    case FW_STAT_lines_refused:
        return fw->refusals;
    default:
        return counted;
    }
}

int mpi_fw_stats_register(struct fw *fw, struct nic *nic)
{
    fw->stats.sends_short = nic_stat_find(nic, "sends_short");
    fw->stats.receives_short = nic_stat_find(nic, "receives_short");
    fw->stats.table = (struct nic_stat_table){ .info = infos, .count = FW_STAT_END, .read = read_stat, .context = fw };
    return nic_stat_register(nic, &fw->stats.table);
}
