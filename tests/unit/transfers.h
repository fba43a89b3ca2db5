/* Transfers between NICs of one process: ranks in turn, memory, counters, and an end at which
 * nothing is left over. */
#ifndef TRANSFERS_H
#define TRANSFERS_H

#include <errno.h>
#include "remote/counters.h"
#include "loop.h"
#include "remote/packets.h"

enum { TURNS_MAX = 1000000 };

static struct loop l;
static uint64_t seed;

/* -- ranks in turn */

static inline bool turn(unsigned rank)
{
    nic_enter(l.nic[rank]);
    bool moved = nic_step(l.nic[rank]);
    nic_leave(l.nic[rank]);
    return moved;
}

static inline void settle(void)
{
    for (unsigned idle = 0, turns = 0; idle < 3; turns++) {
        bool moved = false;
        for (unsigned r = 0; r < l.ranks; r++)
            moved |= turn(r);
        idle = moved ? 0 : idle + 1;
        must(turns < TURNS_MAX);
    }
}

static inline int begin(unsigned rank, bool put, const struct nic_transfer *t,
                        struct nic_outcome *o)
{
    nic_enter(l.nic[rank]);
    int rc = put ? nic_put(l.nic[rank], t, o) : nic_get(l.nic[rank], t, o);
    nic_leave(l.nic[rank]);
    return rc;
}

static inline int finish(const struct nic_outcome *o)
{
    for (unsigned long turns = 0; nic_outcome_status(o) == -EINPROGRESS; turns++) {
        for (unsigned r = 0; r < l.ranks; r++)
            turn(r);
        must(turns < TURNS_MAX);
    }
    return nic_outcome_status(o);
}

static inline int transfer(unsigned rank, bool put, const struct nic_transfer *t)
{
    struct nic_outcome o = { .status = 1 };
    must(begin(rank, put, t, &o) == 0);
    return finish(&o);
}

static inline uint32_t open_memory(unsigned rank, void *base, size_t bytes, unsigned rights)
{
    uint32_t key = 0;
    nic_enter(l.nic[rank]);
    must(nic_register(l.nic[rank], base, bytes, rights, &key) == 0);
    nic_leave(l.nic[rank]);
    must(key >= NIC_KEY_FIRST);
    return key;
}

static inline int close_memory(unsigned rank, uint32_t key)
{
    nic_enter(l.nic[rank]);
    int rc = nic_deregister(l.nic[rank], key);
    nic_leave(l.nic[rank]);
    return rc;
}

static inline void allow(unsigned rank, enum nic_path path)
{
    nic_enter(l.nic[rank]);
    nic_remote_allow(l.nic[rank], 1u << path);
    nic_leave(l.nic[rank]);
}

static inline uint64_t scratchpad(unsigned rank, size_t bytes, unsigned char **at)
{
    nic_enter(l.nic[rank]);
    uint64_t offset = nic_spad_alloc(l.nic[rank], NIC_SPAD_USER, bytes, 64);
    must(offset != NIC_SPAD_NONE);
    must((*at = nic_spad_at(l.nic[rank], rank, offset, bytes)));
    nic_leave(l.nic[rank]);
    return offset;
}

static inline uint64_t new_counter(unsigned rank)
{
    const struct nic_counter_config config = { .bits = 64, .size = 1000 };
    uint64_t counter = 0;
    nic_enter(l.nic[rank]);
    must(nic_counter_create(l.nic[rank], &config, &counter) == 0);
    nic_leave(l.nic[rank]);
    return counter;
}

static inline int64_t count_of(unsigned rank, uint64_t counter)
{
    int64_t value = 0;
    nic_enter(l.nic[rank]);
    must(nic_counter_read(l.nic[rank], counter, &value) == 0);
    nic_leave(l.nic[rank]);
    return value;
}

static inline void begin_job(unsigned ranks)
{
    unsetenv("NICEMU_RDMA");
    loop_open(&l, ranks);
}

/* At the end nothing is under way, waits or has been dropped. */
static inline void end_job(void)
{
    settle();
    for (unsigned r = 0; r < l.ranks; r++) {
        must(!nic_outstanding(l.nic[r]) && !l.nic[r]->active && !l.nic[r]->hw_busy
             && !l.nic[r]->remote->backlogs && !l.nic[r]->remote->pending_count);
        must(!l.nic[r]->remote->ops);
    }
    loop_close(&l);
}

static inline int transfers_run(Suite *suite)
{
    seed = loop_seed(88172645463325252u);
    return loop_run(suite);
}

#endif
