/* Requests begin.  mpi_fw_start, with which the host begins them, is in fw.h. */
#ifndef FW_START_H
#define FW_START_H

#include "fw/state.h"

/* mpi_fw_start by the firmware itself. */
void mpi_fw_start_inside(struct fw *fw, struct fw_req *req);
/* The second half of mpi_fw_start on the model clock, where the NIC does it (FW_COMMAND_BEGIN). */
void mpi_fw_begin_modelled(struct fw *fw, struct fw_req *req);

#endif
