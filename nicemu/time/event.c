/* The heap of events. */
#include "time/event.h"

#include <stdio.h>
#include <stdlib.h>

#define EVENT_NAME(name) #name,
static const char *const names[] = { NIC_EVENTS(EVENT_NAME) };

const char *nic_event_name(unsigned kind) { return kind < NIC_EVENT_COUNT ? names[kind] : "?"; }

static void *need(void *memory)
{
    if (!memory) {
        fputs("nicemu: no memory for the events of the model clock\n", stderr);
        abort();
    }
    return memory;
}

struct nic_event *nic_event_new(struct nic_events *h, uint32_t payload)
{
    struct nic_event *e = h->free;
    if (payload > NIC_EVENT_SMALL) {
        e = need(malloc(sizeof *e + payload));
    } else if (e) {
        h->free = e->next;
    } else {
        e = need(malloc(sizeof *e + NIC_EVENT_SMALL));
    }
    *e = (struct nic_event){ .length = payload, .kept = payload <= NIC_EVENT_SMALL };
    return e;
}

void nic_event_free(struct nic_events *h, struct nic_event *e)
{
    if (!e->kept) {
        free(e);
        return;
    }
    e->next = h->free;
    h->free = e;
}

static void make_room(struct nic_events *h)
{
    if (h->count < h->room)
        return;
    h->room = h->room ? 2 * h->room : 64;
    h->slot = need(realloc(h->slot, h->room * sizeof *h->slot));
}

void nic_events_push(struct nic_events *h, struct nic_event *e)
{
    make_room(h);
    size_t at = h->count++;
    for (; at; at = (at - 1) / 2) {
        struct nic_event_slot *parent = &h->slot[(at - 1) / 2];
        if (nic_event_compare(&parent->key, &e->key) <= 0)
            break;
        h->slot[at] = *parent;
    }
    h->slot[at] = (struct nic_event_slot){ .key = e->key, .event = e };
}

struct nic_event *nic_events_pop(struct nic_events *h)
{
    struct nic_event *least = h->slot[0].event;
    struct nic_event_slot last = h->slot[--h->count];
    size_t at = 0;
    for (size_t child = 1; child < h->count; child = 2 * at + 1) {
        if (child + 1 < h->count
            && nic_event_compare(&h->slot[child + 1].key, &h->slot[child].key) < 0)
            child++;
        if (nic_event_compare(&last.key, &h->slot[child].key) <= 0)
            break;
        h->slot[at] = h->slot[child];
        at = child;
    }
    if (h->count)
        h->slot[at] = last;
    return least;
}

void nic_events_clear(struct nic_events *h)
{
    while (h->count)
        nic_event_free(h, h->slot[--h->count].event);
    while (h->free) {
        struct nic_event *e = h->free;
        h->free = e->next;
        free(e);
    }
    free(h->slot);
    *h = (struct nic_events){ 0 };
}
