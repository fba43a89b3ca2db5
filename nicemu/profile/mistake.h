/* What is said about a mistake in a profile: one line with its place, the key, what is wrong and
 * what is allowed. */
#ifndef NIC_PROFILE_MISTAKE_H
#define NIC_PROFILE_MISTAKE_H

#include "profile/items.h"

/* Where a value came from: a line of a file, or an assignment; neither: the defaults. */
struct nic_place { const char *file; unsigned line; const char *assignment; };

/* Each returns -EINVAL and counts. */
__attribute__((format(printf, 2, 3)))
int nic_mistake(struct nic_parse *parse, const char *format, ...);
__attribute__((format(printf, 3, 4)))
int nic_mistake_at(struct nic_parse *parse, const struct nic_place *at, const char *format, ...);
int nic_mistake_in_value(struct nic_parse *parse, const struct nic_place *at,
                         const struct nic_profile_key *key, const char *value, const char *wrong);
/* There is no such section, or no such key in it. */
int nic_mistake_in_name(struct nic_parse *parse, const struct nic_place *at, const char *section,
                        const char *name);

#endif
