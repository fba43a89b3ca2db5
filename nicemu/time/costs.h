/* What a profile has for each cost. */
#ifndef NIC_TIME_COSTS_H
#define NIC_TIME_COSTS_H

#include <stdbool.h>
#include <stdint.h>

#include "time/clock.h"
#include "nicemu/profile.h"

/* Of all costs, where the NIC runs the handlers, and where the host does. */
void nic_model_costs(const struct nic_profile *profile, uint64_t *cost);
void nic_model_host_costs(const struct nic_profile *profile, uint64_t *cost);

/* A cost is the sum of its parts: so much for each unit, by what the key of a profile says. */
typedef void nic_cost_part_fn(void *context, enum nic_cost cost, const char *key, uint64_t price);
/* host: it runs the handlers. */
void nic_model_cost_parts(const struct nic_profile *profile, bool host, nic_cost_part_fn *told,
                          void *context);
/* Of DOORBELL and CROSSING, which a NIC that forwards has besides. */
void nic_model_crossing_parts(const struct nic_profile *profile, nic_cost_part_fn *told,
                              void *context);

#endif
