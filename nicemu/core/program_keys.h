/* Keys of a control program's own, which profiles may set. */
#ifndef NIC_CORE_PROGRAM_KEYS_H
#define NIC_CORE_PROGRAM_KEYS_H

#include "core/nic.h"
#include "nicemu/profile.h"

/* Takes the values of the program's keys from the profile (NULL: live, all fall back).  -EINVAL: it
 * sets one that the program does not declare, or to what it does not allow, or the program declares
 * more than profiles can set (nic_open_error); -ENOMEM. */
int nic_program_keys_open(struct nic *nic, const struct nic_profile *profile);
/* A key of the program; NULL: it has no such. */
const struct nic_program_key *nic_program_key(const struct nic *nic, unsigned index);
void nic_program_keys_close(struct nic *nic);

#endif
