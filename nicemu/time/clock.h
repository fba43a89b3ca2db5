/* The two clocks.  On the live clock nic->clock is NULL and every hook is one predictable branch.
 * On the model clock each hook charges a resource: start = max(time of the event, free_at), free_at
 * = start + cost. */
#ifndef NIC_TIME_CLOCK_H
#define NIC_TIME_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

enum nic_resource { NIC_RES_HOST, NIC_RES_BUS, NIC_RES_PROCESSOR, NIC_RES_ALPU, NIC_RES_TX,
                    NIC_RES_RX, NIC_RES_LINK, NIC_RESOURCES };

/* What can be charged; units in the comment. */
#define NIC_COSTS(X) \
    X(CALL, HOST)               /* a call of the host that does something */ \
    X(COMPLETION, HOST)         /* a completion taken notice of */ \
    X(LOOK, HOST)               /* a look at what has happened */ \
    X(SEND_BEFORE, HOST)        /* a send, up to the command */ \
    X(SEND_AFTER, HOST)         /* a blocking send, from its completion to the return */ \
    X(RECV_BEFORE, HOST)        /* a receive, up to the command */ \
    X(RECV_AFTER, HOST)         /* a blocking receive, from its completion to the return */ \
    X(WAIT, HOST)               /* a request waited for */ \
    X(PROBE, HOST)              /* a look for a message */ \
    X(COLLECTIVE, HOST)         /* a collective called */ \
    X(TIME, HOST)               /* a look at the time */ \
    X(COMMAND, HOST)            /* a command written by the host */ \
    X(DOORBELL, BUS)            /* a ring across the bus */ \
    X(DISPATCH, PROCESSOR)      /* a packet taken in: a handler started */ \
    X(EXECUTE, PROCESSOR)       /* a command of the host taken in */ \
    X(ADVANCE, PROCESSOR)       /* a turn for the requests under way */ \
    X(COMPLETE, PROCESSOR)      /* a completion written */ \
    X(CROSSING, BUS)            /* from there to the host that sees it */ \
    X(MATCH, ALPU)              /* a search started */ \
    X(MATCH_ENTRY, ALPU)        /* an entry traversed */ \
    X(ALPU_COMMAND, BUS)        /* a command written to an ALPU */ \
    X(ALPU_RESULT, BUS)         /* a result read from it */ \
    X(ALPU_CYCLE, ALPU)         /* a cycle of it that the processor waits */ \
    X(LIST_ENTRY, PROCESSOR)    /* an entry of a list compared by the processor, in its cache */ \
    X(LIST_MISS, PROCESSOR)     /* the same, not in its cache */ \
    X(LIST_APPEND, PROCESSOR)   /* an entry appended */ \
    X(LIST_UNLINK, PROCESSOR)   /* an entry taken out */ \
    X(CONTROL, PROCESSOR)       /* a control message of a rendezvous built or read */ \
    X(STEP, PROCESSOR)          /* a step of a schedule */ \
    X(COPY, PROCESSOR)          /* a copy by the processor */ \
    X(COPY_BYTE, PROCESSOR)     /* a byte of it */ \
    X(COPY_ODD, PROCESSOR)      /* a copy whose length is not whole words */ \
    X(UPDATE, PROCESSOR)        /* a look whether an ALPU wants entries */ \
    X(SEND, TX)                 /* a packet sent */ \
    X(SEND_BYTE, TX)            /* a byte of it */ \
    X(SEND_LINE, TX)            /* a line of it begun */ \
    X(RECEIVE_LINE, RX)         /* a line landed */ \
    X(RECEIVE, RX)              /* a packet with payload landed */ \
    X(RECEIVE_BYTE, RX)         /* a byte landed in host memory */ \
    X(PRESET, PROCESSOR)        /* a counter preset, with the addresses that it notifies */ \
    X(RDMA_SETUP, PROCESSOR)    /* an RDMA operation handed to the engine */ \
    X(RDMA, TX)                 /* one started */ \
    X(RDMA_SHORT, TX)           /* a byte of it, among the first */ \
    X(RDMA_BYTE, TX)            /* a byte of it, behind those */ \
    X(RDMA_ODD, TX)             /* one whose length is not whole words */ \
    X(RDMA_READ, LINK)          /* a read, at the source */ \
    X(NOTICE_LOCAL, LINK)       /* from the last byte to the notification seen here */ \
    X(NOTICE_REMOTE, LINK)      /* the same at the other side */ \
    X(STORE_ISSUE, PROCESSOR)   /* a word stored into a peer's memory by a handler */ \
    X(STORE_WAY, LINK)          /* from there to the wire */ \
    X(INTERRUPT, PROCESSOR)     /* the host interrupted for a packet */ \
    X(RDMA_BLOCK, TX)           /* a block of a list sent or asked for */ \
    X(TRANSLATE, PROCESSOR)     /* a key, right and range checked for a peer */ \
    X(COUNTER, PROCESSOR)       /* an addition to a counter */ \
    X(NOTIFICATION, TX)         /* a notification of a counter that fired */ \
    X(STORE, BUS)               /* a word stored into a scratchpad for somebody else */ \
    X(QUEUE, PROCESSOR)         /* a message put into a hardware queue */ \
    X(ATOMIC, PROCESSOR)        /* an atomic operation on a word */ \
    X(PGAS_ISSUE, HOST)         /* a one-sided command composed by the host */ \
    X(PGAS_LINE, BUS)           /* a line of 64 bytes written into a command queue */ \
    X(PGAS_SPACE, HOST)         /* a read of the word of free space */ \
    X(PGAS_UPDATE, BUS)         /* an update of that word by the NIC */ \
    X(PGAS_COMMAND, PROCESSOR)  /* a one-sided command taken apart */ \
    X(WIRE_BYTE, LINK)          /* a byte of a packet on the wire, header included */ \
    X(HOP, LINK)                /* a packet on the wire */ \
    X(OWN_HOST, HOST)           /* a picosecond that a program charges itself; and so on */ \
    X(OWN_BUS, BUS) \
    X(OWN_PROCESSOR, PROCESSOR) \
    X(OWN_ALPU, ALPU) \
    X(OWN_TX, TX) \
    X(OWN_RX, RX) \
    X(OWN_LINK, LINK) \
    X(PACK, HOST)               /* a run of bytes packed or unpacked by the host */ \
    X(PACK_BYTE, HOST)          /* a byte of it */ \
    X(ADD, PROCESSOR)           /* an element of a reduction combined in a handler: an integer */ \
    X(ADD_REAL, PROCESSOR)      /* ... a floating-point number */ \
    X(HOST_ADD, HOST)           /* the same by the host in its call */ \
    X(HOST_ADD_REAL, HOST) \
    X(FORWARD_OUT, PROCESSOR)   /* a packet of the host taken in by a NIC that forwards */ \
    X(FORWARD_IN, PROCESSOR)    /* a packet for the host taken in */ \
    X(FORWARD_TELL, PROCESSOR)  /* the host told of it */ \
    X(PIO_BYTE, HOST)           /* a byte written into the NIC with a command */ \
    X(BUS_READ, TX)             /* host memory read for a packet: the bus, in one direction */ \
    X(BUS_READ_BYTE, TX)        /* a byte of that, with what the lines cost */ \
    X(BUS_WRITE, RX)            /* host memory written: the other direction */ \
    X(BUS_WRITE_BYTE, RX) \
    X(POSTED, HOST)             /* a receive's command answered by the NIC */ \
    X(FLOW_CHECK, PROCESSOR)    /* a packet numbered, or its number looked at */ \
    X(FLOW_ANSWER, PROCESSOR)   /* an acknowledgment or refusal built */ \
    X(FLOW_ANSWERED, PROCESSOR) /* one taken in */ \
    X(PGAS_WORD, HOST)          /* 4 bytes of data stored behind a one-sided command */ \
    X(PGAS_COPY_BYTE, HOST)     /* a byte of data, by what a core can copy, beside its issue */ \
    X(PGAS_BUS_BYTE, BUS)       /* a byte of a queue on a node's bus, with what lines cost */ \
    X(PGAS_WIRE_BYTE, LINK)     /* a byte of a unit's message on a node's link */ \
    X(PGAS_OUT_BYTE, BUS)       /* a byte that a unit writes to host memory, with lines' */ \
    X(SCHEDULE, PROCESSOR)      /* a schedule of the host taken in, besides the command */ \
    X(WORD_READ, BUS)           /* a word of host memory that the processor waits for */ \
    X(WORD_WRITE, BUS)          /* the same, written */ \
    X(BUFFER, PROCESSOR)        /* a copy by a host that passes a packet on, into a buffer */ \
    X(BUFFER_BYTE, PROCESSOR)   /* a byte of it */ \
    X(FORWARD_AGAIN, PROCESSOR) /* a packet of the host made ready for one more of its ranks */ \
    X(PGAS_LATENCY, BUS)        /* a unit's message on its way across the bus: only told */ \
    X(LOOP, LINK)               /* a packet turned round in the NIC of both its ranks */ \
    X(CHANGE, HOST)             /* a processor that goes from one rank of a node to another */ \
    X(CHANGE_HANDLER, PROCESSOR) /* the same, to run a handler */ \
    X(ROUTER, LINK)             /* a hop from a node to the next, besides HOP */

#define NIC_COST_ENUM(name, resource) NIC_COST_##name,
enum nic_cost { NIC_COSTS(NIC_COST_ENUM) NIC_COST_COUNT };

struct nic_explain;

struct nic_charge { enum nic_cost cost; unsigned resource; bool dma_engine; uint64_t units, start,
                    end;
                    };

/* A packet leaves: the engine is free at `begin`; the wire takes it from wire_begin to wire_end,
 * and engine and wire are done at `left`.  Its receiver has it a hop later, or begins before with
 * what has come (cut_through). */
struct nic_departure { uint64_t begin, wire_begin, wire_end, left, hop, arrival; };

/* Who is told of all that a clock does, if anybody asks (time/critical_path.c). */
struct nic_clock_observer {
    void (*charge)(struct nic_explain *explain, const struct nic_charge *charge);
    void (*host_charge)(struct nic_explain *explain, enum nic_cost cost, uint64_t price);
    void (*depart_begin)(struct nic_explain *explain, uint64_t begin);
    void (*depart)(struct nic_explain *explain, const struct nic_departure *departure);
    /* The last byte of what the handler lands comes so late. */
    void (*tail)(struct nic_explain *explain, uint64_t time);
    /* Around what an RDMA write charges, which is no part of what the handler moves. */
    void (*write_begin)(struct nic_explain *explain);
    void (*write_end)(struct nic_explain *explain);
    /* A read: the first byte comes at `begin`, the engine takes it from start to end.  The last one
     * is part of what the handler moves. */
    void (*read)(struct nic_explain *explain, uint64_t begin, uint64_t start, uint64_t end);
};

struct nic_trace_event;

/* Who is told of what each unit does and when, if anybody wants to draw it (nicemu/trace.h). */
struct nic_tracer {
    void (*event)(void *context, const struct nic_trace_event *event);
    void *context;
    unsigned handler, processor;            /* unit of the event, and of the processor's work */
};

/* Owner: the baton holder.  All times in picoseconds. */
struct nic_clock {
    uint64_t now;                           /* time of the event being handled */
    uint64_t free_at[NIC_RESOURCES];
    uint64_t cost[NIC_COST_COUNT];          /* ps per unit, of bytes per 1024 of them */
    uint64_t charged[NIC_COST_COUNT];       /* units so far */
    /* those that cost something and how long they took, where somebody asks (explain) */
    struct nic_clock_took { uint64_t units, time; } took[NIC_COST_COUNT];
    uint64_t sequence;                      /* packets sent: third part of an event key */
    /* The movers of data, TX and RX, work beside the processor: */
    /* when what this handler has started to move will be there */
    uint64_t dma_done;
    /* bytes of the packet being handled that are not charged yet */
    uint64_t landing;
    uint64_t header;                        /* bytes of a packet's header on the wire */
    /* of an RDMA operation: the first bytes of it; bytes of a word */
    uint64_t short_bytes, word;
    /* from the processor to the engines and the wire: a bus, where it is the host's */
    uint64_t to_engine;
    uint64_t tx_line, rx_line;              /* bytes of a line of either mover, not 0 */
    uint64_t bus_line, bus_overhead;        /* data of a line of the bus; bytes besides */
    /* of the packet that departs, and of the one handled: bytes in host memory */
    uint64_t from_host, to_host;
    bool cut_through;
    bool loops;                             /* what is sent is for a rank that shares the NIC */
    uint32_t hops;                          /* between nodes, of what is sent next */
    uint64_t tail;                          /* when the last byte of `landing` comes, if later */
    uint64_t hash;                          /* of all that was charged */
    struct nic_explain *explain;            /* told of each charge; NULL: nobody asks */
    const struct nic_clock_observer *observer;  /* whose it is */
    const struct nic_tracer *tracer;        /* NULL: nobody draws */
};

/* Travels in front of the payload on the model clock; the
 * order of events is (time, source, sequence). */
struct nic_event_key { uint64_t time; uint32_t source, sequence; };

const char *nic_cost_name(enum nic_cost cost);
/* What is charged for: a unit of it. */
unsigned nic_cost_unit(enum nic_cost cost);
/* Its units are bytes, and its price is of 1024 of them. */
bool nic_cost_is_rate(enum nic_cost cost);

void nic_clock_charge(struct nic_clock *clock, enum nic_cost cost, uint64_t units);

/* The same of what many profiles do not have: if it costs nothing it leaves no trace. */
void nic_clock_charge_some(struct nic_clock *clock, enum nic_cost cost, uint64_t units);

/* A cost of the host, on the host's own time (free_at of its resource). */
void nic_clock_charge_host(struct nic_clock *clock, enum nic_cost cost, uint64_t units);

/* The payload of the packet being handled goes to where it belongs. */
void nic_clock_land(struct nic_clock *clock);

/* What the handler has done so far is complete: its own time and that of what it moves. */
static inline uint64_t nic_clock_complete(const struct nic_clock *c)
{
    return c->dma_done > c->now ? c->dma_done : c->now;
}

/* One step of a running hash. */
static inline uint64_t nic_clock_mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* How long engine and wire take for so many bytes. */
uint64_t nic_clock_transfer(const struct nic_clock *clock, uint64_t bytes);
/* How long after the header the last of so many bytes comes; 0: they come at once. */
uint64_t nic_clock_stream(const struct nic_clock *clock, uint64_t bytes);

/* From the engine that sends to the one that receives. */
static inline enum nic_cost nic_clock_way(const struct nic_clock *c)
{
    return c->loops ? NIC_COST_LOOP : NIC_COST_HOP;
}

/* How long that takes, and the same charged. */
static inline uint64_t nic_clock_latency(const struct nic_clock *c)
{
    return c->cost[nic_clock_way(c)] + c->hops * c->cost[NIC_COST_ROUTER];
}
uint64_t nic_clock_over(struct nic_clock *clock);

/* A packet of so many bytes leaves: its key, which says when it arrives. */
struct nic_event_key nic_clock_depart(struct nic_clock *clock, uint32_t source, uint64_t bytes);

/* An RDMA operation of so many bytes is handed to the engine, which returns when it begins; then it
 * moves them, piece by piece: part of what the handler moves. */
uint64_t nic_clock_rdma_start(struct nic_clock *clock, uint64_t total);
void nic_clock_rdma_piece(struct nic_clock *clock, uint64_t from, uint64_t bytes);

/* An RDMA write or read of so many bytes: when the last byte is there.  Not part of what the
 * handler moves: a counter tells of its end. */
uint64_t nic_clock_write(struct nic_clock *clock, uint64_t bytes);
uint64_t nic_clock_read(struct nic_clock *clock, uint64_t bytes);

/* As nic_clock_charge, of a resource that somebody else keeps: *free_at is when it is free; NULL:
 * it always is, and what is charged is a delay. */
void nic_clock_occupy(struct nic_clock *clock, enum nic_cost cost, uint64_t units,
                      uint64_t *free_at);
/* Data and what the bus adds to them, lines being filled by what comes next. */
uint64_t nic_clock_bus_bytes(const struct nic_clock *clock, uint64_t bytes);
/* How long so many units take. */
uint64_t nic_clock_price(const struct nic_clock *clock, enum nic_cost cost, uint64_t units);

/* What takes its time and is not charged, as a crossing of the bus: for who asks. */
void nic_clock_tell(struct nic_clock *clock, enum nic_cost cost, uint64_t units, uint64_t time);

/* What is counted and has a time of its own; returns that. */
uint64_t nic_clock_delay(struct nic_clock *clock, enum nic_cost cost);

#define NIC_CHARGE(nic, what, units) \
    do { \
        if (__builtin_expect((nic)->clock != NULL, 0)) \
            nic_clock_charge((nic)->clock, NIC_COST_##what, (units)); \
    } while (0)

/* Of what many profiles do not have. */
#define NIC_CHARGE_SOME(nic, what, units) \
    do { \
        if (__builtin_expect((nic)->clock != NULL, 0)) \
            nic_clock_charge_some((nic)->clock, NIC_COST_##what, (units)); \
    } while (0)

#endif
