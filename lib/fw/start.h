/* Requests begin.  mpi_fw_start, with which the host begins them, is in fw.h. */
#ifndef FW_START_H
#define FW_START_H

#include "fw/state.h"

/* mpi_fw_start by the firmware itself. */
void mpi_fw_start_inside(struct fw *fw, struct fw_req *req);
/* The same with a send that asks first, however short it is: where many send to one, and would fill
 * its inbox.  Live clock. */
void mpi_fw_start_offer(struct fw *fw, struct fw_req *send, bool inside);
/* mpi_fw_start of a request of the host's that it left as a command, since the NIC's thread had the
 * baton (FW_COMMAND_START). */
void mpi_fw_start_submitted(struct fw *fw, struct fw_req *req);
/* The second half of mpi_fw_start on the model clock, where the NIC does it (FW_COMMAND_BEGIN). */
void mpi_fw_begin_modelled(struct fw *fw, struct fw_req *req);

#endif
