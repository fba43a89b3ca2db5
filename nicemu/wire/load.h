/* The module that carries frames. */
#ifndef NIC_WIRE_LOAD_H
#define NIC_WIRE_LOAD_H

#include <stddef.h>

#include "wire/module.h"

/* Its table, loaded once per process; NULL: there is none, `why` says so. */
const struct nic_wire_ops *nic_wire_load(char *why, size_t room);

#endif
