/* The module's state: one endpoint of libfabric's, its buffers, and frames.  An endpoint for
 * messages takes many frames into one buffer; one for datagrams (FI_EP_DGRAM) takes one into each,
 * no longer than a packet of Ethernet, and may lose it. */
#ifndef NIC_OFI_STATE_H
#define NIC_OFI_STATE_H

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <stdbool.h>

#include "wire/module.h"

enum {
    /* Memory to receive in: each takes many frames. */
    OFI_BUFFERS = 4, OFI_BUFFER_BYTES = 256 * 1024,
    /* The same for datagrams, of which each has a buffer; more wait in the kernel. */
    OFI_DATAGRAM_BUFFERS = 64,
    /* Datagrams below are of no use. */
    OFI_DATAGRAM_LEAST = 512,
    /* Frames come in blocks of so many, and there are at most so many blocks. */
    OFI_FRAMES = 16, OFI_BLOCKS = 32,
    /* Reads under way. */
    OFI_READS = 16,
};

enum ofi_kind { OFI_FRAME, OFI_BUFFER, OFI_READ };

/* What an operation of the provider's is known by: its context.  The provider may write to the
 * first member while the operation is under way. */
struct ofi_op { struct fi_context2 context; enum ofi_kind kind; };

struct ofi_frame {
    struct ofi_op op;
    struct nic_wire_frame frame;
    void *descriptor;
    struct ofi_frame *next;             /* free list */
};

struct ofi_read {
    struct ofi_op op;
    void *owner;
    struct fid_mr *region;              /* of the place; NULL: the provider wants none */
    struct ofi_read *next;              /* free list */
};

struct ofi_block {
    struct ofi_frame frame[OFI_FRAMES];
    struct fid_mr *region;              /* NULL: the provider wants none */
    unsigned char *data;
};

struct ofi_buffer {
    struct ofi_op op;
    unsigned char *data;
    bool posted;                        /* false: the provider had no room for it */
};

/* What tells of something to do while nobody polls: see sleep.c. */
enum ofi_sleep { OFI_SLEEP_INNER, OFI_SLEEP_QUEUE, OFI_SLEEP_NONE };
struct ofi_sleeper {
    enum ofi_sleep how;
    int fd;                             /* to sleep in; -1: none */
    int left;                           /* INNER: an eventfd, which says that some is left */
    _Atomic bool some_left;             /* it is set */
};

struct nic_wire {
    struct fi_info *info;
    struct fid_fabric *fabric;
    struct fid_domain *domain;
    struct fid_cq *queue;               /* of all completions */
    struct fid_av *addresses;
    struct fid_ep *endpoint;
    struct ofi_sleeper sleeper;
    uint32_t wanted_bytes, stream_bytes;        /* of the longest frame, as configured */
    uint32_t frame_bytes;               /* and as it may be */
    bool datagrams;                     /* the endpoint is one for these */
    uint32_t last_key;                  /* that a region was asked for */
    struct ofi_frame *free;
    struct ofi_block *block[OFI_BLOCKS];
    unsigned blocks;
    struct ofi_read read[OFI_READS], *free_reads;
    struct ofi_buffer *buffer;
    unsigned buffers;
    size_t buffer_bytes;                /* of each */
    unsigned char *memory;              /* of the buffers */
    struct fid_mr *region;
    char why[160];
};

#endif
