/* What ranks tell of themselves in the directory: an address of the module's, and behind it the
 * name of the host, for messages, where there is room. */
#ifndef NIC_WIRE_ADDRESS_H
#define NIC_WIRE_ADDRESS_H

#include <stddef.h>

/* Adds this host's name behind an address of so many bytes; returns how many it has then. */
size_t nic_address_add_host(unsigned char *address, size_t bytes, size_t room);
/* NULL: the address has none. */
const char *nic_address_host(const unsigned char *address, size_t bytes);

#endif
