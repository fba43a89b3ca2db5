/* What a program charges itself: see nicemu.h. */
#include <errno.h>
#include <string.h>

#include "core/program_keys.h"
#include "model/host.h"
#include "model/state.h"

enum { NIC_CYCLES_BITS = 40 };

static const unsigned char own_cost[] = { NIC_COST_OWN_HOST, NIC_COST_OWN_BUS,
                                          NIC_COST_OWN_PROCESSOR,
                                          NIC_COST_OWN_ALPU, NIC_COST_OWN_TX, NIC_COST_OWN_RX,
                                          NIC_COST_OWN_LINK };

static uint64_t hertz(const struct nic_profile *p, enum nic_unit_kind unit)
{
    return unit == NIC_UNIT_HOST ? p->host.clock : unit == NIC_UNIT_ALPU ? p->alpu.clock
           : p->nic.clock;
}

/* To the nearest picosecond. */
static uint64_t picoseconds(uint64_t cycles, uint64_t hertz)
{
    unsigned __int128 ps = (unsigned __int128)cycles * 1000000000000u;
    return (uint64_t)((ps + hertz / 2) / hertz);
}

int nic_charge(struct nic *n, enum nic_unit_kind unit, uint64_t cycles)
{
    struct nic_model *m = n->model;
    if ((unsigned)unit >= NIC_UNIT_COUNT)
        return -EINVAL;
    if (cycles >> NIC_CYCLES_BITS)
        return -ERANGE;
    if (!m)
        return 0;
    if (m->in_handler == (unit == NIC_UNIT_HOST))
        return -EINVAL;
    uint64_t ps = picoseconds(cycles, hertz(m->profile, unit));
    if (m->in_handler) {
        nic_clock_charge(&m->clock, own_cost[unit], ps);
        return 0;
    }
    nic_model_charge_call(m);
    nic_clock_charge_host(&m->clock, own_cost[unit], ps);
    return 0;
}

int nic_charge_key(struct nic *n, enum nic_unit_kind unit, unsigned index, uint64_t times)
{
    const struct nic_program_key *key = nic_program_key(n, index);
    uint64_t cycles;
    if (!key || strcmp(key->unit, "cycles"))
        return -EINVAL;
    if (__builtin_mul_overflow(n->keys[index], times, &cycles))
        return -ERANGE;
    int rc = nic_charge(n, unit, cycles);
    if (!rc && n->model && n->model->explain)
        nic_explain_named(n->model->explain, key->name, times,
                          picoseconds(cycles, hertz(n->model->profile, unit)));
    return rc;
}
