/* nicemu/stats.h: what happened on a NIC, in figures.
 *
 * Every NIC counts what it does: packets and bytes by path, turns, refusals, sleeps.  The figures
 * stand in one list, first those of the hardware, then those of the control program, if it has
 * registered any.  Indexes are stable while the NIC is open; names are stable for good.  The kinds
 * are those of MPI_T performance variables.
 *
 * Threads: nic_stat_register and nic_stat_read need the baton; all else may be called by any
 * thread.  Counting costs an increment of the baton holder's own memory; nothing is shared with
 * other ranks. */
#ifndef NICEMU_STATS_H
#define NICEMU_STATS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct nic;

enum nic_stat_kind {
    NIC_STAT_COUNTER,           /* only grows, from 0 at nic_open */
    NIC_STAT_LEVEL,             /* how much there is now */
    NIC_STAT_HIGH_WATER,        /* the highest that a level has been */
};

struct nic_stat_info {
    const char *name;           /* unique in a NIC, lower case with underscores */
    const char *unit;           /* "packets", "bytes", ... */
    enum nic_stat_kind kind;
    const char *text;           /* what it says, in a line */
};

/* How many figures there are: of the hardware, and with a NIC
 * also of its control program.  nic may be NULL. */
unsigned nic_stat_count(const struct nic *nic);

/* Describes figure `index`; the strings are constant.  -EINVAL
 * for an index out of range.  nic may be NULL. */
int nic_stat_info(const struct nic *nic, unsigned index, struct nic_stat_info *info);

/* The index of the figure of that name, or -ENOENT.  nic may be NULL. */
int nic_stat_find(const struct nic *nic, const char *name);

/* The figure's value, 0 for an index out of range.  Baton held. */
uint64_t nic_stat_read(const struct nic *nic, unsigned index);

/* A control program's own figures.  All of it must stay as it is until nic_close. */
struct nic_stat_table {
    const struct nic_stat_info *info;
    unsigned count;
    /* called with the baton held; must not block */
    uint64_t (*read)(void *context, unsigned index);
    void *context;
};
enum { NIC_STAT_TABLES_MAX = 4 };

/* Adds a table behind those that are there; from the program's attach handler, or later with the
 * baton held. -ENOSPC after NIC_STAT_TABLES_MAX of them, -EEXIST if a name is taken. */
int nic_stat_register(struct nic *nic, const struct nic_stat_table *table);

/* The class of a number in a histogram of powers of two: 0 for 0, 1 for 1, 2 for 2 and 3, 3 for 4
 * to 7 ...; at most `last`. */
static inline unsigned nic_stat_log2_class(uint64_t number, unsigned last)
{
    unsigned bits = number ? 64u - (unsigned)__builtin_clzll(number) : 0;
    return bits < last ? bits : last;
}

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
