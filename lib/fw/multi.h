/* A step that hands its data to many ranks at once: their NICs send them on (nicemu/multi.h), as a
 * step packet or as an eager message, whether their hosts have called or not. */
#ifndef FW_MULTI_H
#define FW_MULTI_H

#include "fw/fw.h"

/* Whom it goes to; in the schedule's memory, as `to` of FW_STEP_MULTI. */
struct fw_multi {
    uint32_t latency, count;    /* of the tree: see nic_multi_send */
    bool packet;                /* of a step, not a message */
    unsigned rank[];            /* of the job */
};

/* What nic_multi_send takes at most, for that many ranks and bytes. */
bool mpi_fw_multi_fits(size_t bytes, unsigned ranks);

/* What a step sends: match: with the sender's rank; round: of a step packet. */
struct fw_multi_data { uint64_t match; const void *from; size_t bytes; uint16_t round; };
/* False: the NIC refuses. */
bool mpi_fw_send_multi(struct fw *fw, const struct fw_multi *to, const struct fw_multi_data *data);

#endif
