/* nic_post: packets of the program that the NIC keeps until there is room. */
#ifndef NIC_REMOTE_POST_H
#define NIC_REMOTE_POST_H

#include "core/nic.h"

/* Sends what is kept, as far as there is room; true: something. */
bool nic_posts_advance(struct nic *nic);
void nic_posts_close(struct nic *nic);

#endif
