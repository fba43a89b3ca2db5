/* By which keys of the profile and of the program a clock has charged what; see
 * nicemu/explain.h. */
#include "model/charges.h"

#include <assert.h>
#include <string.h>

#include "core/program_keys.h"
#include "model/state.h"
#include "time/costs.h"

/* told: what keys stand for so far. */
struct sums { struct nic_model *m; bool crossings; uint64_t told[NIC_COST_COUNT]; };

static bool crosses(enum nic_cost cost)
{
    return cost == NIC_COST_DOORBELL || cost == NIC_COST_CROSSING;
}

/* A host that runs the handlers does what else is a processor's, but for what a NIC that forwards
 * does for it. */
static unsigned unit_of(const struct nic_model *m, enum nic_cost cost)
{
    bool by_nic = m->forwards && (cost == NIC_COST_FORWARD_AGAIN
                                  || (cost >= NIC_COST_FORWARD_OUT && cost <= NIC_COST_FORWARD_TELL)
                                  || (cost >= NIC_COST_FLOW_CHECK
                                      && cost <= NIC_COST_FLOW_ANSWERED));
    unsigned unit = nic_cost_unit(cost);
    return unit == NIC_UNIT_PROCESSOR && m->on_host && !by_nic ? (unsigned)NIC_UNIT_HOST : unit;
}

static void add(void *context, enum nic_cost cost, const char *key, uint64_t price)
{
    struct sums *s = context;
    const struct nic_clock_took *t = &s->m->clock.took[cost];
    uint64_t time = nic_cost_is_rate(cost) ? t->time : price * t->units;
    if (!price || !t->units || crosses(cost) != s->crossings)
        return;
    s->told[cost] += time;
    nic_explain_charged(s->m->explain, key, unit_of(s->m, cost), t->units, time);
}

/* A program's own keys are told by their own names. */
static bool is_own(enum nic_cost cost)
{
    return cost >= NIC_COST_OWN_HOST && cost <= NIC_COST_OWN_LINK;
}

static_assert((int)NIC_EXPLAINED_OWN == (int)NIC_PROFILE_OWN_MOST
              && (int)NIC_EXPLAINED_NAME == (int)NIC_PROFILE_OWN_TEXT, "of each key of a program");

/* So that a key which has charged nothing can be told from one that there is not. */
static void name_own_keys(const struct nic *n)
{
    const struct nic_program_key *key;
    for (unsigned i = 0; (key = nic_program_key(n, i)); i++)
        if (!strcmp(key->unit, "cycles"))
            nic_explain_named(n->model->explain, key->name, 0, 0);
}

/* A crossing is that of a NIC, whoever runs the handlers. */
void nic_charges_explain(struct nic *n)
{
    struct nic_model *m = n->model;
    struct sums s = { .m = m };
    name_own_keys(n);
    nic_model_cost_parts(m->profile, m->on_host, add, &s);
    s.crossings = true;
    nic_model_crossing_parts(m->profile, add, &s);
    for (enum nic_cost cost = 0; cost < NIC_COST_COUNT; cost++)
        if (!is_own(cost))
            nic_explain_expect(m->explain, s.told[cost] == m->clock.took[cost].time);
}
