/* Buffers in the sender's scratchpad, through which a staged rendezvous goes chunk by chunk. */
#ifndef FW_STAGE_BUFFERS_H
#define FW_STAGE_BUFFERS_H

#include "fw/state.h"

/* Staged chunks of this machine go through buffers, if there is room for any: not where only the
 * inbox is wanted, nor on the model clock unless they are asked for. */
bool mpi_fw_buffers_wanted(const struct fw *fw);

/* There are some; the first time they are looked for. */
bool mpi_fw_buffers_have(struct fw *fw);

/* One of fw->stages free ones, by its place in the scratchpad: out until that comes back.  Its
 * lines: as they are now; to be set to what its reader is asked for. */
uint64_t mpi_fw_buffer_take(struct fw *fw, uint8_t **lines);

/* `buffer`: of a CREDIT, in units of FW_STAGE_UNIT; false: it is none that is out. */
bool mpi_fw_buffer_back(struct fw *fw, uint64_t buffer);

#endif
