/* The list of figures, and those that are derived from others when somebody reads them. */
#include "fw/stats.h"

#include "fw/queue.h"

#define INFO(name, unit, kind, text) { #name, unit, NIC_STAT_##kind, text },
static const struct nic_stat_info infos[FW_STAT_END] = { FW_STATS(INFO) };

enum {
    POSTED_FIRST = FW_STAT_posted_depth_0, POSTED_LAST = FW_STAT_posted_depth_16384,
    UNEXPECTED_SECOND = FW_STAT_unexpected_depth_1, UNEXPECTED_LAST = FW_STAT_unexpected_depth_16384
};
static_assert(POSTED_LAST - POSTED_FIRST == FW_DEPTH_CLASSES - 1, "a histogram stands together");

/* Messages that went the short ways never met the firmware: the NIC has counted them.  A short
 * receive finds no unexpected message, and is alone in the posted queue when its message comes. */
static uint64_t sends_short(const struct fw *fw)
{
    return nic_stat_read(fw->nic, (unsigned)fw->stats.sends_short);
}

static uint64_t receives_short(const struct fw *fw)
{
    return nic_stat_read(fw->nic, (unsigned)fw->stats.receives_short);
}

static uint64_t sum_of(const struct fw *fw, unsigned first, unsigned last)
{
    uint64_t sum = 0;
    for (unsigned i = first; i <= last; i++)
        sum += fw->stats.value[i];
    return sum;
}

static uint64_t arrivals(const struct fw *fw)
{
    return sum_of(fw, POSTED_FIRST, POSTED_LAST) + receives_short(fw);
}

static uint64_t withdrawn(const struct fw *fw) { return FW_FIGURE(fw, messages_withdrawn); }

/* Each search for a message that found none has left a receive in the posted queue: an arrival took
 * it, or it was cancelled, or is there still.  But of the arrivals those that were kept found none,
 * and of those that were kept the ones that were withdrawn never did. */
static uint64_t matches(const struct fw *fw)
{
    return arrivals(fw) - fw_unexpected_count(fw) - withdrawn(fw);
}

static uint64_t misses(const struct fw *fw)
{
    return arrivals(fw) + fw_posted_count(fw) + FW_FIGURE(fw, cancels);
}

/* Not counted as it happens, since it is the rule: all receives, less those that met something. */
static uint64_t receives_alone(const struct fw *fw)
{
    uint64_t all = misses(fw) - fw_unexpected_count(fw) - withdrawn(fw);
    uint64_t others = sum_of(fw, UNEXPECTED_SECOND, UNEXPECTED_LAST);
    return all > others ? all - others : 0;
}

static uint64_t read_stat(void *context, unsigned index)
{
    const struct fw *fw = context;
    uint64_t counted = fw->stats.value[index];
    switch (index) {
    case FW_STAT_eager_sent: return counted + sends_short(fw);
    case FW_STAT_posted_depth_1: return counted + receives_short(fw);
    case FW_STAT_unexpected_depth_0: return receives_alone(fw);
    case FW_STAT_matches: return matches(fw);
    case FW_STAT_misses: return misses(fw);
    case FW_STAT_posted_queue: return fw_posted_count(fw);
    case FW_STAT_unexpected_queue: return fw_unexpected_count(fw);
    case FW_STAT_steps_kept: return fw->steps_kept;
    default: return counted;
    }
}

const struct nic_stat_info *mpi_fw_stat_info(unsigned index)
{
    return index < FW_STAT_END ? &infos[index] : NULL;
}

int mpi_fw_stats_register(struct fw *fw, struct nic *nic)
{
    struct fw_stats *s = &fw->stats;
    s->sends_short = nic_stat_find(nic, "sends_short");
    s->receives_short = nic_stat_find(nic, "receives_short");
    s->table = (struct nic_stat_table){ .info = infos, .count = FW_STAT_END, .read = read_stat,
                                        .context = fw };
    return nic_stat_register(nic, &s->table);
}
