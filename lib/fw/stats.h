/* Shows the firmware's figures in the NIC's list. */
#ifndef FW_STATS_H
#define FW_STATS_H

#include "fw/state.h"

/* From 0; NULL: no more.  Any time, any thread. */
const struct nic_stat_info *mpi_fw_stat_info(unsigned index);

/* 0 or what nic_stat_register returns. */
int mpi_fw_stats_register(struct fw *fw, struct nic *nic);

#endif
