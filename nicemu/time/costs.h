/* What a profile has for each cost. */
#ifndef NIC_TIME_COSTS_H
#define NIC_TIME_COSTS_H

#include <stdint.h>

#include "nicemu/profile.h"

void nic_model_costs(const struct nic_profile *profile, uint64_t *cost);
void nic_model_host_costs(const struct nic_profile *profile, uint64_t *cost);
void nic_model_processor_costs(const struct nic_profile *profile,
                               const struct nic_profile_processor *processor, uint64_t *cost);

#endif
