/* What things cost on the model clock, in picoseconds per unit. */
#include <string.h>

#include "model.h"

/* Round numbers of no machine in particular. */
static const uint64_t ideal[NIC_COST_COUNT] = {
    [NIC_COST_CALL] = 20000, [NIC_COST_COMPLETION] = 10000, [NIC_COST_LOOK] = 10000, [NIC_COST_COMMAND] = 10000, [NIC_COST_DOORBELL] = 50000,
    [NIC_COST_DISPATCH] = 20000, [NIC_COST_MATCH] = 5000, [NIC_COST_MATCH_ENTRY] = 2000, [NIC_COST_ALPU_COMMAND] = 20000, [NIC_COST_ALPU_RESULT] = 20000,
    [NIC_COST_ALPU_CYCLE] = 2000, [NIC_COST_LIST_ENTRY] = 2000, [NIC_COST_SEND] = 20000, [NIC_COST_SEND_BYTE] = 100, [NIC_COST_RECEIVE_BYTE] = 100,
    [NIC_COST_RDMA] = 100000, [NIC_COST_RDMA_BYTE] = 100, [NIC_COST_RDMA_BLOCK] = 10000, [NIC_COST_TRANSLATE] = 10000, [NIC_COST_COUNTER] = 5000,
    [NIC_COST_NOTIFICATION] = 20000, [NIC_COST_STORE] = 20000, [NIC_COST_QUEUE] = 10000, [NIC_COST_ATOMIC] = 10000, [NIC_COST_HOP] = 200000,
};

static const struct { const char *name; const uint64_t *cost; } profiles[] = { { "ideal", ideal } };

static const uint64_t *find(const char *name)
{
    for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++)
        if (!strcmp(profiles[i].name, name))
            return profiles[i].cost;
    return NULL;
}

bool nic_model_known(const char *name) { return find(name) != NULL; }

bool nic_model_costs(const char *name, uint64_t *cost)
{
    const uint64_t *found = find(name);
    if (found)
        memcpy(cost, found, sizeof ideal);
    return found != NULL;
}
