/* The links that there are. */
#ifndef NIC_LINK_LINKS_H
#define NIC_LINK_LINKS_H

#include "core/link.h"

#define NIC_LINKS(X) X(shm) X(loop)
#define NIC_LINK_DECLARE(name) extern const struct nic_link_ops nic_link_##name;
NIC_LINKS(NIC_LINK_DECLARE)

#endif
