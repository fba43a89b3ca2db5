/* Requests inside the firmware; what the host does with them is in fw.h. */
#ifndef FW_REQUEST_H
#define FW_REQUEST_H

#include "fw/state.h"

/* Names a request to peers, and never another one later. */
static inline uint64_t fw_req_id(const struct fw_req *r)
{
    return (uint64_t)r->generation << 32 | r->index;
}
/* The request of that kind which is not done; NULL: a stray's. */
struct fw_req *mpi_fw_req_by_id(const struct fw *fw, uint64_t id, enum fw_kind kind);

/* What each start begins with. */
static inline void fw_req_prepare(struct fw_req *r)
{
    r->error = FW_OK;
    r->cancelled = r->detached = r->inside = false;
    r->count = 0;
    r->protocol = NULL;
}

/* It has ended, once for each: the host sees `done`, on the model clock when its time has come. */
void mpi_fw_complete(struct fw *fw, struct fw_req *req);
/* Its second half (FW_COMMAND_DONE) is mpi_fw_done. */

/* It must go on while the host is away: the NIC's thread looks after it until it is done. */
void mpi_fw_serve(struct fw *fw, struct fw_req *req);

#endif
