/* Ranks on other machines that are lost: what waits for them ends, with FW_LOST. */
#ifndef FW_LOST_H
#define FW_LOST_H

#include "fw/state.h"

/* A patrol of the NIC's (nicemu/machines.h); context: the firmware. */
bool mpi_fw_patrol(struct nic *nic, void *context);

#endif
