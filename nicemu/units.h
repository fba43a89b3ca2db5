/* The hardware's own units, opened and closed together. */
#ifndef NIC_UNITS_H
#define NIC_UNITS_H

#include "core/nic.h"

/* 0 or -ENOMEM.  nic->units is set in any case. */
int nic_units_open(struct nic *nic);

#endif
