/* Peers on other machines: each has a state from the first packet on, and an address from the first
 * one that is sent to it. */
#include "wire/peer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wire/address.h"

static struct nic_wire_peer *new_peer(struct nic *n, unsigned rank)
{
    struct nic_wire_peer *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->rank = rank;
    p->next = n->wires->all;
    n->wires->all = p;
    return n->peer[rank].wire = p;
}

struct nic_wire_peer *nic_wire_peer(struct nic *n, unsigned rank)
{
    struct nic_wire_peer *p = n->peer[rank].wire;
    return likely(p != NULL) ? p : new_peer(n, rank);
}

int nic_wire_find(struct nic *n, struct nic_wire_peer *p)
{
    struct nic_wires *w = n->wires;
    unsigned char address[NIC_ADDRESS_MAX] = { 0 };
    const char *host;
    size_t bytes = 0;
    if (likely(p->known))
        return 0;
    int rc = w->directory->get(w->directory->context, p->rank, address, sizeof address, &bytes);
    if (!rc && (!bytes || bytes > sizeof address))
        rc = -EPROTO;
    if (!rc)
        rc = w->ops->insert(w->wire, address, &p->to);
    if (!rc && !p->host && (host = nic_address_host(address, bytes)))
        p->host = strdup(host);
    p->known = !rc;
    return rc;
}

void nic_wire_drop_frames(struct nic_wires *w, struct nic_wire_peer *p)
{
    for (struct nic_wire_frame *f; (f = p->first);) {
        p->first = f->next;
        w->ops->drop(w->wire, f);
        nic_wire_count_under_way(w, -1);
    }
    p->last = NULL;
    p->queued = 0;
}

_Noreturn void nic_wire_end_process(const struct nic *n, const char *why)
{
    fprintf(stderr, "nicemu: rank %u: %s\n", n->rank, why);
    nic_job_set_abort(n->job, n->rank, 1);
    _exit(1);
}

void nic_wire_lose(struct nic *n, struct nic_wire_peer *p, const char *why)
{
    struct nic_wires *w = n->wires;
    char text[256];
    if (p->gone)
        return;
    p->gone = true;
    p->gone_since = nic_now();
    nic_wire_drop_frames(w, p);
    if (w->closing || p->bye)
        return;
    snprintf(text, sizeof text, "rank %u on %s%smachine %u is lost: %s", p->rank,
             p->host ? p->host : "", p->host ? ", " : "", nic_job_machine(n->job, p->rank), why);
    p->why = strdup(text);
    w->lost++;
    w->patrol_due = true;
    if (!w->patrol || !p->why)      /* nobody could be told */
        nic_wire_end_process(n, text);
}

void nic_wire_peers_free(struct nic *n)
{
    struct nic_wires *w = n->wires;
    while (w->all) {
        struct nic_wire_peer *p = w->all;
        w->all = p->next;
        n->peer[p->rank].wire = NULL;
        while (p->early) {
            struct nic_wire_early *f = p->early;
            p->early = f->next;
            free(f);
        }
        free(p->host);
        free(p->why);
        free(p);
    }
    free(w->early);
    nic_wire_set_queued(w, NULL);
}
