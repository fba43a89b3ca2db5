/* The list of figures: the hardware's, then those of each registered table. */
#include <errno.h>
#include <string.h>

#include "core/baton.h"

#define INFO(name, unit, kind, text) { #name, unit, NIC_STAT_##kind, text },
static const struct nic_stat_info hardware[NIC_STAT_END] = { NIC_STATS(INFO) };

/* The table that holds figure *index, which becomes its place
 * there.  NULL: the hardware, or out of range. */
static const struct nic_stat_table *table_of(const struct nic *n, unsigned *index)
{
    if (!n || *index < NIC_STAT_END)
        return NULL;
    *index -= NIC_STAT_END;
    for (unsigned t = 0; t < n->stats.tables; t++) {
        if (*index < n->stats.table[t]->count)
            return n->stats.table[t];
        *index -= n->stats.table[t]->count;
    }
    *index = NIC_STAT_END;
    return NULL;
}

unsigned nic_stat_count(const struct nic *n)
{
    unsigned count = NIC_STAT_END;
    for (unsigned t = 0; n && t < n->stats.tables; t++)
        count += n->stats.table[t]->count;
    return count;
}

int nic_stat_info(const struct nic *n, unsigned index, struct nic_stat_info *info)
{
    const struct nic_stat_table *t = table_of(n, &index);
    if (!t && index >= NIC_STAT_END)
        return -EINVAL;
    *info = t ? t->info[index] : hardware[index];
    return 0;
}

int nic_stat_find(const struct nic *n, const char *name)
{
    struct nic_stat_info info;
    for (unsigned i = 0; !nic_stat_info(n, i, &info); i++)
        if (!strcmp(info.name, name))
            return (int)i;
    return -ENOENT;
}

static_assert(NIC_STAT_scratchpad_user - NIC_STAT_scratchpad_buffers + 1
              == (int)NIC_SPAD_USE_COUNT, "a figure for each use, in the same order");

static uint64_t scratchpad_refusals(const struct nic *n)
{
    struct nic_spad_usage usage;
    uint64_t sum = 0;
    for (unsigned use = 0; use < NIC_SPAD_USE_COUNT; use++) {
        nic_spad_used(n, (enum nic_spad_use)use, &usage);
        sum += usage.refusals;
    }
    return sum;
}

/* What the allocators of scratchpad and heap count themselves. */
static uint64_t read_memory(const struct nic *n, enum nic_stat which)
{
    struct nic_spad_usage usage;
    struct nic_heap_usage heap;
    if (which == NIC_STAT_scratchpad_refusals)
        return scratchpad_refusals(n);
    if (which == NIC_STAT_heap || which == NIC_STAT_heap_refusals) {
        nic_heap_used((struct nic *)n, &heap);
        return which == NIC_STAT_heap ? heap.high : heap.refusals;
    }
    nic_spad_used(n, (enum nic_spad_use)(which - NIC_STAT_scratchpad_buffers), &usage);
    return usage.high;
}

/* Packets that went the short way are counted once, as such, and single lines not at all. */
static uint64_t read_hardware(const struct nic *n, enum nic_stat which)
{
    const uint64_t *value = n->stats.value;
    if (which >= NIC_STAT_scratchpad_buffers && which <= NIC_STAT_heap_refusals)
        return read_memory(n, which);
    switch (which) {
    case NIC_STAT_packets_sent:
        return value[NIC_STAT_packets_sent] + value[NIC_STAT_sends_short];
    case NIC_STAT_lines_sent:
        return value[NIC_STAT_lines_sent] + read_hardware(n, NIC_STAT_packets_sent);
    case NIC_STAT_lines_received:
        /* the ring begins at 0 */
        return atomic_load_explicit(&n->head, memory_order_relaxed);
    case NIC_STAT_packets_received:
        return value[NIC_STAT_packets_received] + value[NIC_STAT_receives_short];
    case NIC_STAT_commands_queued:
        return atomic_load_explicit(&n->cmdq.head, memory_order_relaxed);
    case NIC_STAT_transfers:
        return n->counts.transfers;
    case NIC_STAT_transfer_failures:
        return n->counts.transfer_errors;
    case NIC_STAT_bytes_direct:
        return value[NIC_STAT_bytes_direct] + n->counts.path_bytes[NIC_PATH_DIRECT];
    case NIC_STAT_bytes_in_packets:
        return n->counts.path_bytes[NIC_PATH_STAGED];
    case NIC_STAT_atomic_repeats:
        return n->counts.atomic_repeats;
    case NIC_STAT_trigger_failures:
        return n->counts.trigger_failures;
    case NIC_STAT_hardware_sent:
        return n->counts.hw_sent;
    case NIC_STAT_hardware_received:
        return n->counts.hw_received;
    case NIC_STAT_hardware_delayed:
        return n->counts.hw_waited;
    case NIC_STAT_hardware_dropped:
        return n->counts.hw_dropped;
    default:
        return __atomic_load_n(&value[which], __ATOMIC_RELAXED);
    }
}

uint64_t nic_stat_read(const struct nic *n, unsigned index)
{
    nic_baton_check(n);
    const struct nic_stat_table *t = table_of(n, &index);
    if (t)
        return t->read(t->context, index);
    return index < NIC_STAT_END ? read_hardware(n, (enum nic_stat)index) : 0;
}

int nic_stat_register(struct nic *n, const struct nic_stat_table *table)
{
    if (n->stats.tables == NIC_STAT_TABLES_MAX)
        return -ENOSPC;
    for (unsigned i = 0; i < table->count; i++)
        if (nic_stat_find(n, table->info[i].name) >= 0)
            return -EEXIST;
    n->stats.table[n->stats.tables++] = table;
    return 0;
}
