/* The active queue: requests whose bytes the NIC moves piece by piece. */
#ifndef FW_ACTIVE_H
#define FW_ACTIVE_H

#include "fw/state.h"

/* Behind all others; nothing if it is in the queue already. */
void mpi_fw_activate(struct fw *fw, struct fw_req *req);
/* It is in the queue, and there is nothing to do any more. */
void mpi_fw_deactivate(struct fw *fw, struct fw_req *req);
/* From advance(), as the last that it does with the request: there is more to do. */
void mpi_fw_reactivate(struct fw *fw, struct fw_req *req);
/* One piece of one request of a queue that is not empty; true: something moved. */
bool mpi_fw_advance_active(struct fw *fw);

#endif
