/* Packets that wait for room: see remote/backlog.h. */
#include "remote/backlog.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct nic_kept_packet {
    struct nic_kept_packet *next;
    struct nic_tx message;
    uint64_t head[NIC_BACKLOG_HEAD_MAX / 8];
    unsigned char data[];
};

static void *must_alloc(size_t bytes)
{
    void *p = malloc(bytes);
    if (!p) {
        fputs("nicemu: no memory for a packet that has to wait\n", stderr);
        abort();
    }
    return p;
}

static void begin(struct nic_backlog **list, struct nic_backlog **slot, unsigned peer)
{
    struct nic_backlog *b = must_alloc(sizeof *b);
    *b = (struct nic_backlog){ .next = *list, .slot = slot, .peer = peer };
    b->end = &b->first;
    *list = *slot = b;
}

bool nic_backlog_keep(struct nic_backlog **list, struct nic_backlog **slot, unsigned peer,
                      const struct nic_tx *m)
{
    bool first = !*slot;
    assert(m->head_bytes <= NIC_BACKLOG_HEAD_MAX && !(m->head_bytes & 7));
    if (first)
        begin(list, slot, peer);
    struct nic_kept_packet *p = must_alloc(sizeof *p + m->data_bytes);
    p->next = NULL;
    p->message = *m;
    if (m->head_bytes)
        memcpy(p->head, m->head, m->head_bytes);
    if (m->data_bytes)
        memcpy(p->data, m->data, m->data_bytes);
    p->message.head = p->head;
    p->message.data = p->data;
    *(*slot)->end = p;
    (*slot)->end = &p->next;
    return first;
}

static unsigned drain(struct nic *n, struct nic_backlog *b)
{
    unsigned sent = 0;
    /* a peer that is lost takes everything */
    while (b->first && n->link->send(n, b->peer, &b->first->message, true) != -EAGAIN) {
        struct nic_kept_packet *p = b->first;
        b->first = p->next;
        free(p);
        sent++;
    }
    return sent;
}

static void take_out(struct nic_backlog **link)
{
    struct nic_backlog *b = *link;
    *link = b->next;
    *b->slot = NULL;
    free(b);
}

unsigned nic_backlogs_send(struct nic *n, struct nic_backlog **list, unsigned *ended)
{
    unsigned sent = 0;
    *ended = 0;
    for (struct nic_backlog **link = list; *link;) {
        sent += drain(n, *link);
        if ((*link)->first) {
            link = &(*link)->next;
        } else {
            take_out(link);
            ++*ended;
        }
    }
    return sent;
}

void nic_backlogs_free(struct nic_backlog **list)
{
    while (*list) {
        while ((*list)->first) {
            struct nic_kept_packet *p = (*list)->first;
            (*list)->first = p->next;
            free(p);
        }
        take_out(list);
    }
}
