/* The unexpected queue: messages that wait for a receive.  Probes of it are in fw.h. */
#ifndef FW_UNEXPECTED_H
#define FW_UNEXPECTED_H

#include "fw/state.h"

/* Takes out the first message that matches and that nobody has withdrawn; NULL: there is none. */
struct fw_unexpected *mpi_fw_unexpected_match(struct fw *fw, uint64_t match, uint64_t mask);
/* Takes out that message. */
void mpi_fw_unexpected_remove(struct fw *fw, const struct fw_unexpected *message);
/* The message of that send; NULL: there is none, or it is matched. */
struct fw_unexpected *mpi_fw_unexpected_from(struct fw *fw, uint64_t match, uint32_t source,
                                          uint64_t request);

#endif
