/* Shows the firmware's figures in the NIC's list. */
#ifndef FW_STATS_H
#define FW_STATS_H

#include "fw/state.h"

/* 0 or what nic_stat_register returns. */
int mpi_fw_stats_register(struct fw *fw, struct nic *nic);

#endif
