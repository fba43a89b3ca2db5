/* A wire that delivers whole frames, once and in order, over one that need not: the table of a
 * module (wire/module.h) that stands in front of another's.  Frames get a checksum and a number,
 * are kept until the peer has them, and are sent again (reliable/window.h).  NICEMU_FAULT makes the
 * wire below worse than it is (reliable/fault.h).
 *
 * An address is that of the wire below, and in front of it the rank and a token: what somebody else
 * has sent to the same place, an earlier job's rank perhaps, has none that is right.  Peers are
 * named by their ranks. */
#ifndef NIC_WIRE_RELIABLE_H
#define NIC_WIRE_RELIABLE_H

#include "reliable/fault.h"
#include "wire/module.h"

enum {
    NIC_RELIABLE_ADDRESS = 8,           /* bytes that addresses are longer than those below */
    NIC_RELIABLE_HEAD = 24,             /* bytes that frames below are longer */
};

struct nic_reliable_config {
    const struct nic_wire_ops *below;
    struct nic_wire *wire;              /* of that, open; taken over if all goes well */
    uint32_t frame_bytes;               /* of the longest frame; NIC_RELIABLE_HEAD more below */
    uint32_t token, rank, ranks;        /* token: what others' late frames do not have */
    const struct nic_fault *fault;      /* parsed; NULL: the wire is bad enough */
    uint64_t give_up;                   /* ns without an answer: a peer is out of reach; 0: 10 s */
    /* A peer's address, of which a frame has come and to which none was ever sent.  As
     * nic_directory's. */
    int (*address_of)(void *context, unsigned rank, void *address, size_t room, size_t *bytes);
    void *context;
};

/* wire: for nic_wire_reliable, whose own `open` fails.  0 or a negative errno. */
int nic_reliable_open(const struct nic_reliable_config *config, struct nic_wire **wire);
/* What the faults were; frames that were sent again. */
const struct nic_fault *nic_reliable_faults(const struct nic_wire *wire, uint64_t *again);

extern const struct nic_wire_ops nic_wire_reliable;

#endif
