/* A prefix reduction past `few`, along the chain of ranks. */
#ifndef FW_SHM_CHAIN_H
#define FW_SHM_CHAIN_H

#include "fw/shm_slot.h"

void mpi_fw_shm_begin_chain(struct fw *fw, struct fw_shm_op *op);
/* False: the ranks below are not so far. */
bool mpi_fw_shm_go_on_with_chain(struct fw *fw, struct fw_shm_op *op);
/* It would get further.  Any thread, also without the baton. */
bool mpi_fw_shm_chain_is_ready(const struct fw_shm_op *op);

#endif
