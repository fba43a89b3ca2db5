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
        return atomic_load_explicit(&n->head, memory_order_relaxed)
               - atomic_load_explicit(&n->lines_left_out, memory_order_relaxed);
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

/* Names that are there, by hash: to compare each with each was a third of a rank's start. */
enum { NAME_BITS = 12 };
struct names { uint64_t there[(1 << NAME_BITS) / 64]; };

static unsigned name_hash(const char *name)
{
    uint32_t hash = 5381;
    while (*name)
        hash = hash * 33 + (unsigned char)*name++;
    return hash * UINT32_C(2654435761) >> (32 - NAME_BITS);
}

static void collect_names(const struct nic *n, struct names *names)
{
    struct nic_stat_info info;
    *names = (struct names){ 0 };
    for (unsigned i = 0; !nic_stat_info(n, i, &info); i++) {
        unsigned hash = name_hash(info.name);
        names->there[hash / 64] |= UINT64_C(1) << hash % 64;
    }
}

static bool is_taken(const struct nic *n, const struct names *names, const char *name)
{
    unsigned hash = name_hash(name);
    return names->there[hash / 64] >> hash % 64 & 1 && nic_stat_find(n, name) >= 0;
}

int nic_stat_register(struct nic *n, const struct nic_stat_table *table)
{
    struct names names;
    if (n->stats.tables == NIC_STAT_TABLES_MAX)
        return -ENOSPC;
    collect_names(n, &names);
    for (unsigned i = 0; i < table->count; i++)
        if (is_taken(n, &names, table->info[i].name))
            return -EEXIST;
    n->stats.table[n->stats.tables++] = table;
    return 0;
}
