/* See model/flow.h. */
#include "model/flow.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/flow_boot.h"
#include "model/flow_receive.h"
#include "model/flow_send.h"
#include "model/node.h"
#include "model/send.h"

#define UNHURRIED (UINT64_MAX / 4)      /* a wire that loses nothing needs no patience */

static void timer(struct nic *n, const struct nic_event *e)
{
    if (e->command.arg == n->rank)
        nic_flow_boot(n);
    else
        nic_flow_timer(n, e);
}

static const struct nic_flow_ops ops = {
    .send = nic_flow_send, .accept = nic_flow_accept, .processed = nic_flow_processed,
    .timer = timer, .keep_stream = nic_flow_keep_stream, .release = nic_flow_release,
};

bool nic_flow_is_quiet(const struct nic *n)
{
    return !n->model->flow || !n->model->flow->waiting;
}

/* Past all that this rank has handled, sent and said; without faults, since nobody is left to try
 * again. */
void nic_flow_leave(struct nic *n)
{
    struct nic_model *m = n->model;
    struct nic_flow_mark mark = { .kind = NIC_FLOW_BYE };
    const struct nic_tx bye = { .data = &mark, .data_bytes = sizeof mark };
    if (!m->flow)
        return;
    m->clock.now = nic_time_later(*nic_model_host(m), m->clock.free_at[NIC_RES_LINK]);
    m->clock.now = nic_time_later(m->clock.now, m->clock.free_at[NIC_RES_PROCESSOR]);
    m->clock.now = nic_time_later(nic_time_later(m->clock.now, m->nic_free), m->handling);
    if (m->published != NIC_NEVER)
        m->clock.now = nic_time_later(m->clock.now, m->published);
    for (unsigned r = 0; r < n->ranks; r++)
        if (r != n->rank) {
            nic_node_aim(n, r);
            nic_model_packet_at(n, r, &bye, m->clock.now + m->clock.cost[NIC_COST_HOP]
                                + m->clock.hops * m->clock.cost[NIC_COST_ROUTER],
                                m->clock.header);
        }
}

static int read_faults(struct nic_flow *f, unsigned rank)
{
    const char *text = getenv("NICEMU_FAULT");
    char why[120];
    if (!text || !*text)
        return 0;
    if (nic_fault_parse(&f->fault, text, why, sizeof why)) {
        fprintf(stderr, "nicemu: NICEMU_FAULT: %s\n", why);
        return -EINVAL;
    }
    nic_fault_begin(&f->fault, rank);
    f->faulty = true;
    return 0;
}

int nic_flow_open(struct nic *n)
{
    const struct nic_profile_flow *p = nic_flow_profile(n);
    struct nic_flow *f = calloc(1, sizeof *f);
    int rc = f ? read_faults(f, n->rank) : -ENOMEM;
    if (!rc)
        rc = nic_flow_read_boots(n, f);
    if (rc || (!f->faulty && !f->boots && !p->streams)) {
        free(f);
        return rc;
    }
    uint64_t wait = f->faulty ? p->patience : UNHURRIED;
    f->config = (struct nic_window_config){ .frames = NIC_FLOW_FRAMES, .ack_every = 1, .wait = wait,
                                            .wait_most = f->faulty ? 8 * wait : wait,
                                            .give_up = f->faulty ? NIC_FLOW_GIVE_UP * wait
                                                       : UINT64_MAX, .each = true };
    f->implicit = p->implicit && !f->faulty && !f->boots;
    f->taken = -1;
    f->peer = calloc(n->ranks, sizeof *f->peer);
    uint64_t *until = calloc(p->streams + 1, sizeof *until);
    if (!f->peer || !until) {
        free(f->peer);
        free(until);
        free(f->boots);
        free(f);
        return -ENOMEM;
    }
    nic_streams_init(&f->streams, (uint32_t)p->streams, until);
    n->model->flow = f;
    n->model->flow_ops = &ops;
    nic_flow_plan_boots(n);
    return 0;
}

void nic_flow_close(struct nic *n)
{
    struct nic_flow *f = n->model->flow;
    if (!f)
        return;
    for (unsigned r = 0; r < n->ranks; r++)
        if (f->peer[r]) {
            nic_flow_forget(n, r);
            free(f->peer[r]);
        }
    free(f->peer);
    free(f->streams.until);
    free(f->boots);
    free(f);
    n->model->flow = NULL;
}
