/* What carries frames to other machines: the table of a loadable module, which needs no symbol of
 * whoever loads it.  A frame is a message of bytes; those to one peer arrive whole, once and in
 * order, unless the wire says that it loses.  One thread at a time calls, but for may_sleep, which
 * any may call at any time. */
#ifndef NIC_WIRE_MODULE_H
#define NIC_WIRE_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nic_wire;

/* The table's name in the module, and what it must say. */
#define NIC_WIRE_MODULE "nic_wire_module"
enum { NIC_WIRE_VERSION = 6 };

/* A frame on its way out, in memory of the module's.  Its user's from `frame` to `send`. */
struct nic_wire_frame {
    unsigned char *data;        /* aligned to 8 */
    uint32_t bytes;             /* of at most frame_bytes */
    bool told;                  /* an event is to tell how it went, whatever `send` returns */
    struct nic_wire_frame *next;        /* the user's, as is owner */
    void *owner;
};

enum nic_wire_event_kind {
    NIC_WIRE_CAME,              /* data, bytes: a frame, until `buffer` is given back */
    NIC_WIRE_SENT,              /* a frame has left; it is free */
    NIC_WIRE_LOST,              /* a frame will not arrive; free, or its user's again as `frame` */
    NIC_WIRE_READ,              /* a read has ended: all is there, or `why` it is not */
};

struct nic_wire_event {
    enum nic_wire_event_kind kind;
    uint32_t bytes;
    const unsigned char *data;
    void *buffer;               /* CAME, the last frame of a buffer: to be given back; else NULL */
    void *owner;                /* SENT, LOST: the frame's; READ: the read's */
    struct nic_wire_frame *frame;       /* LOST: to be sent again, or dropped; or NULL */
    const char *why;            /* LOST, READ: in words, until the next poll; or NULL */
};

/* Memory that peers may read: how they name it.  key: not 0. */
struct nic_wire_region {
    void *own;                  /* the module's */
    uint64_t address;
    uint32_t key;
};

struct nic_wire_read {
    uint64_t peer, from;        /* from: behind a region's address */
    uint32_t key;
    void *to;
    size_t bytes;
    void *owner;                /* of the event */
};

struct nic_wire_config {
    uint32_t frame_bytes;       /* of the longest frame that is wanted */
    const char *provider;       /* NULL: the first that works */
    uint32_t stream_bytes;      /* in place of frame_bytes where the wire is a stream, which takes
                                 * long frames as well as short ones; 0: no */
};

/* What an open wire is like. */
struct nic_wire_limits {
    uint32_t frame_bytes;       /* of its longest frame: as wanted, or less on a wire that loses */
    bool loses;                 /* frames get lost, doubled, and overtake each other, silently */
};

/* Results: 0 or a negative errno. */
struct nic_wire_ops {
    uint32_t version;           /* NIC_WIRE_VERSION */
    /* why: gets a reason in words if it fails. */
    int (*open)(const struct nic_wire_config *config, struct nic_wire **wire, char *why,
                size_t room);
    const char *(*provider)(const struct nic_wire *wire);
    struct nic_wire_limits (*limits)(const struct nic_wire *wire);
    int (*address)(struct nic_wire *wire, void *address, size_t room, size_t *bytes);
    int (*insert)(struct nic_wire *wire, const void *address, uint64_t *peer);
    /* NULL: none is free at the moment, or ever. */
    struct nic_wire_frame *(*frame)(struct nic_wire *wire);
    /* 1: it has left already and is free (not one that is to be told of); 0: an event will tell;
     * -EAGAIN: the wire is full, and the frame still its user's. */
    int (*send)(struct nic_wire *wire, uint64_t peer, struct nic_wire_frame *frame);
    /* In place of send: the frame is free. */
    void (*drop)(struct nic_wire *wire, struct nic_wire_frame *frame);
    unsigned (*poll)(struct nic_wire *wire, struct nic_wire_event *events, unsigned most);
    void (*give_back)(struct nic_wire *wire, void *buffer);
    /* Reads by the wire itself, straight into place, behind no frame and before none; NULL: it has
     * none.  offer: peers may read that memory until let_go. */
    int (*offer)(struct nic_wire *wire, const void *memory, size_t bytes,
                 struct nic_wire_region *region);
    void (*let_go)(struct nic_wire *wire, const struct nic_wire_region *region);
    /* 0: an event will tell, whatever happens to the peer, and until then the place is the wire's;
     * -EAGAIN: not now, an event comes first; -ENOMEM: there is no memory for it, or that place
     * cannot be registered, of which the peer knows nothing. */
    int (*read)(struct nic_wire *wire, const struct nic_wire_read *read);
    /* A descriptor that becomes readable when there is something to poll for, once may_sleep has
     * said yes; -1: there is none. */
    int (*fd)(const struct nic_wire *wire);
    bool (*may_sleep)(struct nic_wire *wire);
    void (*close)(struct nic_wire *wire);
};

#endif
