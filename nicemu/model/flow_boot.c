/* See model/flow_boot.h. */
#include "model/flow_boot.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/engine.h"
#include "model/flow_send.h"
#include "nicemu/model.h"

/* -- NICEMU_BOOT: "RANK@0-UNTIL" or "RANK@FROM-UNTIL", with commas between them, in us */

static bool take(const char **text, char mark, uint64_t most, uint64_t *value)
{
    char *rest;
    errno = 0;
    if (**text < '0' || **text > '9')
        return false;
    *value = strtoull(*text, &rest, 10);
    if (errno || *value > most || (mark ? *rest != mark : *rest && *rest != ','))
        return false;
    *text = rest + (mark || *rest);
    return true;
}

/* Own boots are in order, one behind the other. */
static bool add(struct nic_flow_boots *b, uint64_t from, uint64_t until)
{
    uint64_t before = b->count ? b->boot[b->count - 1].until : 0;
    if (until <= from || b->count == NIC_FLOW_BOOTS || from < before || (b->count && !from))
        return false;
    b->boot[b->count++] = (struct nic_flow_boot){ from, until };
    return true;
}

static bool parse(struct nic_flow_boots *b, const char *text, unsigned own, unsigned ranks)
{
    const uint64_t us = 1000000, most = UINT64_MAX / 4 / us;
    uint64_t rank, from, until;
    for (bool more = *text; more; ) {
        if (!take(&text, '@', ranks - 1, &rank) || !take(&text, '-', most, &from)
            || !take(&text, 0, most, &until) || until <= from
            || (rank == own && !add(b, from * us, until * us)))
            return false;
        more = text[-1] == ',';
    }
    return true;
}

bool nic_flow_boots_fit(const char *text, unsigned ranks)
{
    unsigned own = 0;
    while (own < ranks && parse(&(struct nic_flow_boots){ .count = 0 }, text, own, ranks))
        own++;
    return own == ranks;
}

int nic_flow_read_boots(struct nic *n, struct nic_flow *f)
{
    const char *text = getenv("NICEMU_BOOT");
    if (!text || !*text)
        return 0;
    struct nic_flow_boots *b = calloc(1, sizeof *b);
    if (!b)
        return -ENOMEM;
    if (!parse(b, text, n->rank, n->ranks)) {
        fprintf(stderr, "nicemu: NICEMU_BOOT: " NIC_FLOW_BOOTS_WRONG "\n", text);
        free(b);
        return -EINVAL;
    }
    b->own = 1;
    f->boots = b;
    return 0;
}

void nic_flow_plan_boots(struct nic *n)
{
    struct nic_model *m = n->model;
    struct nic_flow_boots *b = m->flow->boots;
    const struct nic_command own = { .arg = n->rank };
    if (!b)
        return;
    for (unsigned i = 0; i < b->count; i++) {
        if (b->boot[i].from)
            nic_model_event_at(n, NIC_EVENT_FLOW, b->boot[i].from, &own);
        nic_model_event_at(n, NIC_EVENT_FLOW, b->boot[i].until, &own);
    }
    if (b->count && !b->boot[0].from) {
        b->down = true;
        b->own = 0;
        *nic_model_host(m) = b->boot[0].until;
    }
}

/* -- what fails */

static _Noreturn void end_job(struct nic *n, unsigned rank)
{
    unsigned who = nic_flow_is_down(n->model->flow) ? n->rank : rank;
    fprintf(stderr, "nicemu: the NIC of rank %u has booted again: messages of rank %u to rank %u "
            "fail\n", who, n->rank, rank);
    nic_job_set_abort(n->job, n->rank, 1);
    _exit(1);
}

static void tell(struct nic *n, unsigned rank, const struct nic_flow_frame *f)
{
    struct nic_flow *flow = n->model->flow;
    NIC_COUNT(n, messages_failed, 1);
    if (!flow->failed)
        end_job(n, rank);
    flow->failed(n, n->context, rank, &f->message);
}

void nic_flow_fail(struct nic *n, unsigned rank, uint32_t number)
{
    struct nic_flow_peer *p = nic_flow_peer_of(n, rank);
    struct nic_window *w = &p->window;
    uint32_t count = number - w->oldest;
    if (count > w->sent - w->oldest)
        return;
    for (; count; count--) {
        tell(n, rank, p->kept[w->oldest % NIC_FLOW_FRAMES]);
        nic_flow_acknowledged(n, p, w->oldest + 1, false);
    }
}

void nic_on_failed(struct nic *n, void (*failed)(struct nic *nic, void *context, unsigned peer,
                                                 const struct nic_tx *message))
{
    if (n->model && n->model->flow)
        n->model->flow->failed = failed;
}

/* -- a boot */

/* All that it had for the peer, what has not left for want of room in the window too. */
static struct nic_flow_frame *take_all(struct nic_flow_peer *p)
{
    struct nic_flow_frame *all = NULL, **end = &all;
    struct nic_window *w = &p->window;
    for (uint32_t i = w->oldest; i != w->next; i++) {
        *end = p->kept[i % NIC_FLOW_FRAMES];
        end = &(*end)->next;
    }
    *end = p->first;
    p->first = NULL;
    p->last = &p->first;
    return all;
}

static void forget(struct nic *n, unsigned rank)
{
    struct nic_flow_peer *p = n->model->flow->peer[rank];
    struct nic_flow_frame *next, *all = take_all(p);
    nic_window_init(&p->window, &n->model->flow->config, p->kept, 0);
    nic_incarnation_init(&p->incarnation, 0, false);
    p->not_before = 0;
    for (struct nic_flow_frame *f = all; f; f = next) {
        next = f->next;
        tell(n, rank, f);
        nic_flow_frame_free(n, f);
    }
}

/* Streams stay with what lands: the engines end that. */
static void goes_down(struct nic *n)
{
    struct nic_flow *f = n->model->flow;
    f->boots->down = true;
    for (unsigned r = 0; r < n->ranks; r++)
        if (f->peer[r] && !f->peer[r]->gone)
            forget(n, r);
}

static void comes_up(struct nic *n)
{
    struct nic_flow *f = n->model->flow;
    f->boots->down = false;
    f->boots->own += f->boots->own ? 1 : 2;     /* a peer that never was up counts as the first */
    for (unsigned r = 0; r < n->ranks; r++)
        if (f->peer[r])
            nic_flow_pump(n, r, NULL);
}

void nic_flow_boot(struct nic *n)
{
    if (nic_flow_is_down(n->model->flow))
        comes_up(n);
    else
        goes_down(n);
}
