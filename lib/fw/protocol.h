/* How the bytes of a rendezvous travel once its envelope is matched: one const table per protocol,
 * in the file of its name.  rndv.c asks each table what it is good for; a protocol that finds that
 * it cannot work hands over to another one by its number. */
#ifndef FW_PROTOCOL_H
#define FW_PROTOCOL_H

#include "fw/fw.h"

/* The order is that of the numbers in a CTS: the first needs none, so 0 is no sense there. */
#define FW_PROTOCOLS(X) X(get) X(put) X(both_ends) X(staged) X(far)
#define FW_PROTOCOL_ENUM(name) FW_PROTOCOL_##name,
enum fw_protocol_id { FW_PROTOCOLS(FW_PROTOCOL_ENUM) FW_PROTOCOL_COUNT };

/* A rendezvous that is about to begin, as its receiver sees it. */
struct fw_transfer {
    const struct fw_req *recv;      /* peer, address and bytes (above 0) are known */
    unsigned paths;                 /* NIC_RDMA_READ | NIC_RDMA_WRITE, of the sender's buffer */
    bool from_gaps, to_gaps;        /* the sender's or the receiver's data have gaps */
};

struct fw_protocol {
    const char *name;
    enum fw_protocol_id id;
    /* The sender's FIN or last chunk ends the transfer; else the receiver's FIN does. */
    bool sender_ends;
    /* Both ends may work at once: real time decides who does what, so not on the model clock. */
    bool races;
    /* Receiver, live clock: it would work, if it were asked for by name. */
    bool (*able)(struct fw *fw, const struct fw_transfer *t);
    /* Receiver, live clock: it is the best one, provided that none that is preferred to it (rndv.c)
     * is. */
    bool (*best)(struct fw *fw, const struct fw_transfer *t);
    /* Receiver: the RTS is matched. */
    void (*matched)(struct fw *fw, struct fw_req *recv);
    /* Sender: the CTS has come; NULL: this protocol has none. */
    void (*cleared)(struct fw *fw, struct fw_req *send);
    /* One piece of the work of a request in the active queue, either side; true: it moved some. */
    bool (*advance)(struct fw *fw, struct fw_req *req);
};

#define FW_PROTOCOL_DECLARE(name) extern const struct fw_protocol mpi_fw_protocol_##name;
FW_PROTOCOLS(FW_PROTOCOL_DECLARE)

#endif
