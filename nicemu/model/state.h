/* The engine on the model clock: the host's time, the NIC's events,
 * and when they may be handled. Owner: baton. */
#ifndef NIC_MODEL_STATE_H
#define NIC_MODEL_STATE_H

#include <pthread.h>
#include <stdio.h>

#include "core/nic.h"
#include "time/event.h"
#include "time/critical_path.h"
#include "time/governor.h"
#include "time/log.h"
#include "time/network.h"

static_assert((int)NIC_PACKET_CARRIED == NIC_FLAG_KEYED, "the bit that a program never sets");

struct nic_flow;
struct nic_routes;
struct nic_pgas_unit;

/* Types of packets: from one unit to the other; on the way from router to router. */
enum { NIC_PGAS_UNIT_PACKET = 0xfe, NIC_ROUTED_PACKET = 0xfd };

/* What engine, sending and forwarding ask of flow control (model/flow.h says what each does). */
struct nic_flow_ops {
    void (*send)(struct nic *nic, unsigned peer, const struct nic_tx *message);
    bool (*accept)(struct nic *nic, const struct nic_event *event);
    void (*processed)(struct nic *nic);
    void (*timer)(struct nic *nic, const struct nic_event *event);
    unsigned (*keep_stream)(struct nic *nic);
    void (*release)(struct nic *nic, unsigned stream, uint64_t time);
};

/* How soon events lead to packets (model/promise.h), in ps. */
struct nic_pace {
    uint64_t leave;             /* from who sends one to its arrival */
    uint64_t command;           /* from the host that goes on to its command's arrival at the NIC */
    bool by_nic;                /* its processor takes events in */
    bool by_engine;             /* all that is sent leaves by the engine, when that is free */
    bool by_command;            /* what the host does reaches others by commands only */
};

/* And of links that packets share (model/route.h). */
struct nic_routes_ops {
    void (*send)(struct nic *nic, unsigned peer, const struct nic_tx *message,
                 const struct nic_event_key *key, uint64_t bytes);
    void (*take)(struct nic *nic, const struct nic_event *event);
};

/* And of a unit that executes command queues (model/pgas_unit.h). */
struct nic_model_unit_ops {
    bool (*send)(struct nic *nic, unsigned peer, const struct nic_tx *message);
    void (*takes)(struct nic *nic, const struct nic_event *event);
};

struct nic_model {
    struct nic_clock clock;
    struct nic_governor *governor;
    const struct nic_profile *profile;  /* this rank's: the job's, or */
    struct nic_profile *own_profile;    /* one of its own, or NULL */
    struct nic_events events;
    uint64_t horizon;           /* events before it may be handled */
    uint64_t published;         /* what we do next, as far as we have told */
    uint64_t promised;          /* no packet of ours arrives before; what has come since counts */
    uint32_t reaction[2];       /* as in time/governor.h */
    unsigned promises;          /* nic_promise */
    struct nic_pace pace;
    uint64_t handling;          /* least time of what this process may send at this moment */
    uint64_t last_command;      /* when the newest command of the host reaches the NIC */
    uint64_t left_ns;           /* processor time when the host last left, for measured compute */
    bool in_handler;
    /* what the ranks of a node share (model/node.h): NULL: the NIC is this rank's own */
    struct nic_node_share *share;
    bool has_share;             /* the clock has the times of now */
    /* processors of hosts; NULL: the host has one of its own.  The one that the host has; that a
     * handler has */
    struct nic_node_cpu *cpu, *has_cpu, *of_handler;
    unsigned cpus;
    struct nic_network network;         /* of the job */
    struct nic_routes *routes;          /* NULL: no packet waits for another one there */
    const struct nic_routes_ops *routes_ops;
    bool advance_due;           /* an event is in the heap */
    bool visited;               /* this visit of the host has been charged */
    pthread_t thread;           /* after nic_share: the only one that may call */
    pthread_t inside;           /* the one that has the baton */
    pthread_t left;             /* whose processor time left_ns is */
    struct nic_log log;
    bool placed;                /* the host keeps to its group's core */
    bool over;                  /* this rank has gone, as far as the others can see */
    bool on_host;               /* the host runs the handlers, when it is in a call */
    /* ... or computes: packets interrupt it, those of enum nic_completion_kind */
    uint8_t interrupts;
    bool computing;             /* ... what others may interrupt (model/interrupt.h) */
    struct nic_event *deferred, **deferred_end; /* packets that wait for the host's next call */
    uint64_t to_host;           /* from the NIC to a host that runs the handlers */
    bool forwards;              /* ... whose NIC moves the packets (model/forward.h) */
    bool moves_data;            /* data of packets take the bus some time */
    uint64_t nic_free;          /* forwards: of the processor whose turn it is not */
    uint64_t nic_to_engine;     /* the same, clock.to_engine */
    uint64_t last_forward;      /* when the newest packet of the host reaches the NIC */
    unsigned forwarding;        /* those that are still to reach it */
    struct nic_flow *flow;              /* NULL: packets are neither lost nor refused */
    const struct nic_flow_ops *flow_ops;
    struct nic_pgas_unit *unit;         /* NULL: the processor executes command queues */
    const struct nic_model_unit_ops *unit_ops;
    unsigned unit_starts;       /* a message is being started: 1 by the host, 2 by a handler */
    bool unit_serves;           /* the handler of a packet that a unit has brought */
    struct nic_partial *partial;        /* long packets of which a part has come (inbox.c) */
    struct nic_event *landing;  /* what an announced packet's end becomes, while it is handled */
    const struct nic_profile_processor *processor;  /* that runs them */
    struct nic_timed_list *lists;     /* newest first */
    struct nic_explain *explain;    /* the clock's; NULL: nobody asks */
    struct nic_tracer tracer;       /* the clock's, if anybody draws */
    struct nic_cache *cache;    /* of the processor that searches them; NULL: all fits */
};

/* Whether the payload of packets of this type lies in host memory. */
static inline bool nic_model_data_of_host(const struct nic *n, uint8_t type)
{
    return type < 64 && n->program->host_data >> type & 1;
}

/* True: the program's command waits for the end of an announced packet (model/forward.h). */
static inline bool nic_model_defers(struct nic_model *m, const struct nic_command *command)
{
    struct nic_event *land = m->landing;
    if (!land || land->command.object)
        return false;
    land->command = *command;
    return true;
}

static inline uint64_t *nic_model_host(struct nic_model *m)
{
    return &m->clock.free_at[NIC_RES_HOST];
}

#endif
