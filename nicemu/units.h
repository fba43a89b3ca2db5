/* The hardware's own units, opened and closed together. */
#ifndef NIC_UNITS_H
#define NIC_UNITS_H

#include "core/nic.h"

/* 0 or -ENOMEM; sets nic->units. */
int nic_units_open(struct nic *nic);
/* What peers wait for goes out, and no peer copies any more from what is registered here: as long
 * as the link is open. Again, or where nic_units_open failed: nothing. */
void nic_units_quit(struct nic *nic);
void nic_units_close(struct nic *nic);

#endif
