/* Packets of one-sided operations, which a room above handles. */
#ifndef FW_ONE_SIDED_H
#define FW_ONE_SIDED_H

#include "fw/state.h"

void mpi_fw_window_arrived(struct fw *fw, const struct nic_packet *packet);

#endif
