/* The posted queue: receives that wait for their message. */
#ifndef FW_POSTED_H
#define FW_POSTED_H

#include "fw/state.h"

/* An arriving envelope takes the first receive that it matches; NULL: none, it is unexpected. */
struct fw_req *mpi_fw_match_posted(struct fw *fw, uint64_t match);
/* The same for a message that its sender may have withdrawn: then `withdrawn` is set, the result is
 * NULL, and nothing is to be done with the message. */
struct fw_req *mpi_fw_match_posted_if(struct fw *fw, uint64_t match, uint32_t source,
                                      uint32_t claim, bool *withdrawn);
/* On the live clock: some receive would take it. */
bool mpi_fw_posted_awaits(const struct fw *fw, uint64_t match);
/* False: the receive is not in the queue. */
bool mpi_fw_posted_remove(struct fw *fw, const struct fw_req *recv);

#endif
