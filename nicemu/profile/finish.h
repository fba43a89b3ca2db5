/* A profile that has been read, as numbers. */
#ifndef NIC_PROFILE_FINISH_H
#define NIC_PROFILE_FINISH_H

#include "profile/items.h"

/* 0, or -EINVAL: something is wrong, now or in what was read before (parse->error). */
int nic_parse_finish(struct nic_parse *parse, struct nic_profile *profile);

#endif
