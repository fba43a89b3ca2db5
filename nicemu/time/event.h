/* Events of the model clock: what a NIC has still to handle, in the order of their keys (time,
 * source, sequence).  Owner: baton. */
#ifndef NIC_TIME_EVENT_H
#define NIC_TIME_EVENT_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "time/clock.h"
#include "nicemu.h"

#define NIC_EVENTS(X) \
    X(PACKET)       /* one has arrived */ \
    X(COMMAND)      /* the host has written one */ \
    X(CALL)         /* the same, and the host waits for its end */ \
    X(LATER)        /* the end of something that works beside the processor: a copy, say */ \
    X(ADVANCE)      /* the next step of the requests under way */ \
    X(TIMER)        /* one has run down */ \
    X(FORWARD_OUT)  /* a packet of the host reaches a NIC that forwards */ \
    X(FORWARD_IN)   /* one for the host has reached it */ \
    X(FORWARD_LAND) /* the host has said where the data of one go that was announced */ \
    X(FORWARD_END)  /* they are there */ \
    X(FLOW)         /* time to send a packet again */ \
    X(LEAVE)        /* a packet that the host itself sends, where others share its NIC */

/* Flags of a packet that did not come through the engines (model/notified_rdma.c):
 * the rest are the program's. */
enum { NIC_PACKET_CARRIED = 0x80, NIC_PACKET_STORED = 0x40, NIC_PACKET_FLAGS = 0x3f };

/* Behind the data of a packet under flow control.  crc: of the whole packet and of the rest of
 * this, if it is sealed.  from, to: incarnations (reliable/incarnation.h), if any NIC boots.
 * place: of data, how many in front of it are not acknowledged; of a refusal, place in line; of
 * FIRST, the first number. */
struct nic_flow_mark { uint16_t number, place; uint8_t kind, sealed, from, to; uint32_t crc; };

#define NIC_EVENT_ENUM(name) NIC_EVENT_##name,
enum nic_event_kind { NIC_EVENTS(NIC_EVENT_ENUM) NIC_EVENT_COUNT };

/* "PACKET"; "?" for a value out of range. */
const char *nic_event_name(unsigned kind);

struct nic_event {
    struct nic_event_key key;
    uint8_t kind;                   /* enum nic_event_kind */
    uint8_t type, flags;            /* of a packet */
    bool kept;                      /* small: its memory is used again */
    bool announced;                 /* a packet whose data are still with the NIC */
    bool told;                      /* LATER: nothing but what the host gets to know */
    uint32_t length;                /* bytes of payload */
    uint32_t way;                   /* time/critical_path.h */
    uint64_t match;
    struct nic_flow_mark mark;      /* of a packet under flow control (model/flow.h) */
    uint16_t stream;                /* announced, FORWARD_LAND: + 1, 0: none */
    uint16_t ranks;                 /* FORWARD_OUT: so many, behind the data; 0: command.arg */
    uint64_t tail;                  /* announced, FORWARD_LAND: when the last byte is there */
    struct nic_command command;     /* of all that is no packet; LEAVE: head, and for whom */
    struct nic_event *next;         /* free list */
    unsigned char payload[];
};

enum { NIC_EVENT_SMALL = 64 };      /* payload of the events that are kept for further use */

/* A binary heap. */
struct nic_events {
    struct nic_event_slot { struct nic_event_key key; struct nic_event *event; } *slot;
    size_t count, room;
    struct nic_event *free;
};

/* Three-way comparison; sequences of one source may wrap. */
static inline int nic_event_compare(const struct nic_event_key *a, const struct nic_event_key *b)
{
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    int32_t ahead = (int32_t)(a->sequence - b->sequence);
    return ahead < 0 ? -1 : ahead > 0;
}

/* With room for so many bytes of payload.  Without memory
 * a packet would be lost: the process ends. */
struct nic_event *nic_event_new(struct nic_events *events, uint32_t payload);
void nic_event_free(struct nic_events *events, struct nic_event *event);

void nic_events_push(struct nic_events *events, struct nic_event *event);
/* The one with the least key; the heap is not empty. */
struct nic_event *nic_events_pop(struct nic_events *events);

/* Time of the least one, UINT64_MAX if there is none. */
static inline uint64_t nic_events_least(const struct nic_events *e)
{
    return e->count ? e->slot[0].key.time : UINT64_MAX;
}

void nic_events_clear(struct nic_events *events);

#endif
