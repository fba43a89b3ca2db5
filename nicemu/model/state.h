/* The engine on the model clock: the host's time, the NIC's events, and when they may be handled.  Owner: baton. */
#ifndef NIC_MODEL_STATE_H
#define NIC_MODEL_STATE_H

#include <pthread.h>
#include <stdio.h>

#include "core/nic.h"
#include "time/event.h"
#include "time/critical_path.h"
#include "time/governor.h"
#include "time/log.h"

struct nic_model {
    struct nic_clock clock;
    struct nic_governor *governor;
    struct nic_events events;
    uint64_t horizon;           /* events before it may be handled */
    uint64_t published;         /* our bound, as far as we have told */
    uint64_t handling;          /* least time of what this process may send at this moment */
    uint64_t last_command;      /* when the newest command of the host reaches the NIC */
    uint64_t left_ns;           /* processor time when the host last left, for measured compute */
    bool in_handler;
    bool advance_due;           /* an event is in the heap */
    bool visited;               /* this visit of the host has been charged */
    pthread_t thread;           /* the only one that may call, where there are several */
    struct nic_log log;
    bool over;                  /* this rank has gone, as far as the others can see */
    bool on_host;               /* the host runs the handlers, when it is in a call */
    bool interrupts;            /* ... or computes: a packet interrupts it */
    uint64_t to_host;           /* from the NIC to a host that runs the handlers */
    unsigned source;            /* of the event being handled: the rank that it comes from */
    const struct nic_profile_processor *processor;  /* that runs them */
    struct nic_list *lists;     /* newest first */
    struct nic_explain *explain;    /* the clock's; NULL: nobody asks */
    struct nic_cache *cache;    /* of the processor that searches them; NULL: all fits */
};

/* nic_open and nic_close; open: 0 on the live clock too, where nic->model stays NULL. */
int nic_model_open(struct nic *nic);
void nic_model_close(struct nic *nic);

/* What core/step.c, link/inbox.c and core/wait.c do with a model. */
void nic_model_enter(struct nic *nic);
void nic_model_leave(struct nic *nic);
/* Handles everything up to the host's time; true: there was something. */
bool nic_model_step(struct nic *nic);
void nic_model_share(struct nic *nic);
void nic_model_wait(struct nic *nic, const struct nic_wait *wait);
void nic_model_submit(struct nic *nic, const struct nic_command *command);
int nic_model_send(struct nic *nic, unsigned peer, const struct nic_message *message);
/* The host itself is about to do something to what the handlers work on, or to look at it: all that is older comes first. */
void nic_model_act(struct nic *nic);
static inline void nic_host_acts(struct nic *n)
{
    if (__builtin_expect(n->model != NULL, 0))
        nic_model_act(n);
}
/* There are more requests under way. */
void nic_model_activate(struct nic *nic);

/* link/inbox.c, with the governor's lock: puts a packet into the peer's ring with a key in front of it; takes one out, NULL: there is
 * none; gives one to the program. */
int nic_inbox_put(struct nic *nic, unsigned peer, const struct nic_message *message, const struct nic_event_key *key);
struct nic_event *nic_inbox_take(struct nic *nic);
void nic_inbox_deliver(struct nic *nic, const struct nic_event *event);

/* model/notified_rdma.c: a read of the handler is part of what it moves. */
void nic_model_read(struct nic_model *model, uint64_t bytes);
/* link/copy.c: the bytes that a carriage moves besides its message; 0 or a negative errno. */
int nic_rdma_copy(struct nic *nic, unsigned peer, const struct nic_carriage *carriage);
/* model/send.c: before the clock is charged for what is sent; an event of one's own; a packet that arrives at that time. */
void nic_model_begin_sending(struct nic *nic);
void nic_model_command_at(struct nic *nic, uint64_t time, const struct nic_command *command);
void nic_model_packet_at(struct nic *nic, unsigned peer, const struct nic_message *message, uint64_t time);

/* core/step.c */
bool nic_engine_advance(struct nic *nic);

#endif
