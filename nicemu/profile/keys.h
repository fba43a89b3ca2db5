/* Values of a profile by key. */
#ifndef NIC_PROFILE_KEYS_H
#define NIC_PROFILE_KEYS_H

#include "nicemu/profile.h"

void nic_profile_put(struct nic_profile *profile, const struct nic_profile_key *key,
                     uint64_t value);

#endif
