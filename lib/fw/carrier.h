/* What carries messages in place of the NIC's packets, where the NIC that is modelled has none: a
 * table that slot_ring.c fills when a profile says `protocol.eager = ring`.  fw->carrier is NULL on
 * the live clock and with packets; so no call asks for more than that. */
#ifndef FW_CARRIER_H
#define FW_CARRIER_H

#include "fw/fw.h"

struct fw_carrier {
    /* Sends a message, or false: there is no room.  `carries` completes when its data have left
     * or landed. */
    bool (*send)(struct fw *fw, uint32_t peer, const struct nic_tx *message,
                 struct fw_req *carries);
    /* Moves the bytes of a rendezvous from the send's buffer to the receive's, or fetches them
     * there, and ends it on both sides. */
    void (*put)(struct fw *fw, struct fw_req *send);
    void (*get)(struct fw *fw, struct fw_req *recv);
    /* The eager message that is being handled is matched: it is copied to the receive. */
    void (*matched)(struct fw *fw, const struct fw_req *recv);
    /* It is not: the message stays where the carrier has it; later: it has been read there. */
    void (*keep)(struct fw *fw, struct fw_unexpected *message);
    void (*read)(struct fw *fw, struct fw_unexpected *message);
    /* The last data that `req` waits for have landed (FW_COMMAND_LANDED). */
    void (*landed)(struct fw *fw, struct fw_req *req);
    void (*delete)(struct fw *fw);
};

#endif
