/* Reading a profile. */
#ifndef NIC_PROFILE_PARSE_H
#define NIC_PROFILE_PARSE_H

#include "profile/items.h"

/* All keys at their defaults.  Ends with nic_parse_drop. */
void nic_parse_init(struct nic_parse *parse, char *error, size_t room);
void nic_parse_drop(struct nic_parse *parse);
/* These return 0, or -errno with a line in the parse's error; with `all` -EINVAL is kept for
 * nic_parse_finish, which then says so. */
int nic_parse_load(struct nic_parse *parse, const char *name);
int nic_parse_set(struct nic_parse *parse, const char *assignment);

#endif
