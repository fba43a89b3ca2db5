/* What carries packets and RDMA between NICs: one ops table per kind of link. */
#ifndef NIC_CORE_LINK_H
#define NIC_CORE_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "nicemu.h"

enum { NIC_LINK_PIECES = 256 };

/* Payload of a packet: data, head and event key. */
enum { NIC_LENGTH_MAX = NIC_MESSAGE_BYTES_MAX + 64 };

/* What a link is: its packets travel through inbox rings, which the short ways then use themselves;
 * its peers live in this process, so that its reads and writes are copies by the processor. */
enum { NIC_LINK_INBOX = 1, NIC_LINK_ONE_PROCESS = 2 };

/* Whether what comes from now on rings the doorbell; NIC_HAS_COME: something is there already. */
enum nic_arming { NIC_WILL_RING, NIC_HAS_COME, NIC_NEVER_RINGS };

/* All are called with the baton held, none blocks.  Results: 0 or a negative errno. */
struct nic_link_ops {
    const char *name;
    unsigned flags;             /* NIC_LINK_* */
    int (*open)(struct nic *nic);
    /* -EAGAIN when the peer has no room. `service`: see nic_send_service. */
    int (*send)(struct nic *nic, unsigned peer, const struct nic_tx *message, bool service);
    /* Delivers at most one packet (or a part of one) to the firmware; true: something moved. */
    bool (*poll)(struct nic *nic);
    /* True if poll would move something. */
    bool (*ready)(const struct nic *nic);
    /* True if it would, or soon will; before a sleep, without the baton. */
    bool (*coming)(const struct nic *nic);
    /* Before a sleep, without the baton; NULL: whoever sends rings the doorbell. */
    enum nic_arming (*arm)(struct nic *nic);
    /* Which of NIC_RDMA_* this process can do on the peer's memory; asked once per peer. */
    unsigned (*probe)(struct nic *nic, unsigned peer);
    int (*read)(struct nic *nic, unsigned peer, uint64_t from, void *to, size_t bytes);
    int (*write)(struct nic *nic, unsigned peer, const void *from, uint64_t to, size_t bytes);
    /* The same for lists of pieces with the same sum of bytes,
     * at most NIC_LINK_PIECES on each side. */
    int (*read_list)(struct nic *nic, unsigned peer, const struct iovec *from, unsigned froms,
                     const struct iovec *to, unsigned tos, size_t bytes);
    int (*write_list)(struct nic *nic, unsigned peer, const struct iovec *from, unsigned froms,
                      const struct iovec *to, unsigned tos, size_t bytes);
    /* True if the process behind an open rank has died; NULL: no rank dies alone. */
    bool (*gone)(struct nic *nic, unsigned peer);
    void (*close)(struct nic *nic);
};

#endif
