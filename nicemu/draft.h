/* A profile while it is read: what the file says about each key, before it becomes a number. */
#ifndef NIC_DRAFT_H
#define NIC_DRAFT_H

#include "nicemu/profile.h"

void nic_profile_put(struct nic_profile *profile, const struct nic_profile_key *key, uint64_t value);

#endif
