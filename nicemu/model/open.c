/* A NIC's part of the model clock, from nic_open to nic_close. */
#include "job/critical_path.h"
#include "core/affinity.h"
#include "core/callers.h"
#include "core/demand.h"
#include "model/charges.h"
#include "model/critical_path.h"
#include "model/engine.h"
#include "model/flow.h"
#include "model/host.h"
#include "model/inbox.h"
#include "model/lists.h"
#include "model/node.h"
#include "model/notified_rdma.h"
#include "model/open.h"
#include "model/promise.h"
#include "model/route.h"
#include "model/pgas_unit.h"
#include "model/proxy_copy.h"
#include "model/send.h"
#include "time/costs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct nic_profile *nic_profile_of(const struct nic *n)
{
    return n->model ? n->model->profile : NULL;
}

#define OPS \
    .enter = nic_model_enter, .leave = nic_model_leave, .share = nic_model_share, \
        .step = nic_model_step, \
    .wait_turn = nic_model_wait, .submit = nic_model_submit, .host_acts = nic_model_act, \
    .host_awaits = nic_model_await, \
    .host_from = nic_model_go_on_from, \
        .activate = nic_model_activate, \
    .send = nic_model_send, .send_to_many = nic_model_send_to_many, .depart = nic_model_depart, \
    .store_message = nic_store_notify, .keep_way = nic_critical_path_keep, \
    .join_way = nic_critical_path_take_up, \
    .explain_answer = nic_critical_path_answer, \
    .charge_read = nic_model_read, .has_written = nic_routes_has_written, \
    .peer_read = nic_proxy_read, .peer_write = nic_proxy_write,

static const struct nic_model_ops ops = { OPS },
    ops_with_unit = { OPS .unit = &nic_pgas_unit_ops };

/* To the others. */
static void appear(struct nic *n)
{
    struct nic_governor *g = n->model->governor;
    struct nic_governed_rank *r = nic_governor_rank(g, n->rank);
    nic_governor_lock(g);
    memcpy(r->reaction, n->model->reaction, sizeof r->reaction);
    atomic_store_explicit(&r->outside, 1, memory_order_relaxed);
    nic_governor_mark_awake(g, n->rank);
    nic_governor_unlock(g);
}

/* The job's, unless this rank's hardware is another; goes with `m`. */
static int take_profile(const struct nic *n, struct nic_model *m, const struct nic_profile *p)
{
    m->profile = p;
    if (!p->part[0].count)
        return 0;
    struct nic_profile *own = malloc(sizeof *own);
    if (!own)
        return -ENOMEM;
    nic_profile_of_rank(p, n->rank, own);
    m->profile = m->own_profile = own;
    return 0;
}

static void drop(struct nic_model *m)
{
    free(m->own_profile);
    free(m);
}

int nic_model_open(struct nic *n)
{
    struct nic_governor *g = nic_job_governor(n->job);
    if (!g->set.modelled)
        return 0;
    struct nic_model *m = calloc(1, sizeof *m);
    if (!m || take_profile(n, m, &g->set.profile)) {
        free(m);
        return -ENOMEM;
    }
    unsigned keep = nic_job_explains(n->job);
    struct nic_explain *explain = keep ? nic_explain_new(&m->clock, n->rank, keep) : NULL;
    int rc = keep && !explain ? -ENOMEM
             : nic_log_open(&m->log, g->set.log, n->rank, nic_job_programs(n->job) - 1,
                            &nic_governor_rank(g, n->rank)->log_error);
    if (rc) {
        nic_explain_delete(explain);
        drop(m);
        return rc;
    }
    m->governor = g;
    m->clock.header = m->profile->protocol.header;
    m->clock.short_bytes = m->profile->rdma.short_bytes;
    m->clock.word = m->profile->protocol.word;
    m->clock.tx_line = m->profile->tx.line_bytes;
    m->clock.rx_line = m->profile->rx.line_bytes;
    m->clock.bus_line = m->profile->bus.line_bytes;
    m->clock.bus_overhead = m->profile->bus.line_overhead;
    m->clock.cut_through = m->profile->link.cut_through;
    nic_network_of(&g->set.profile, n->ranks, &m->network);
    m->moves_data = m->profile->bus.read | m->profile->bus.read_byte
                    | m->profile->bus.write | m->profile->bus.write_byte;
    m->processor = &m->profile->nic;
    m->explain = explain;
    nic_model_costs(m->profile, m->clock.cost);
    nic_model_measure_again(m);
    n->model = m;
    nic_node_open(n);
    rc = nic_flow_open(n);
    if (!rc)
        rc = nic_pgas_unit_open(n);
    if (!rc)
        rc = nic_routes_open(n);
    if (rc) {
        nic_pgas_unit_close(n);
        nic_flow_close(n);
        n->model = NULL;
        nic_log_close(&m->log);
        nic_explain_delete(explain);
        drop(m);
        return rc;
    }
    nic_model_reckon(n);
    appear(n);
    n->model_ops = m->unit ? &ops_with_unit : &ops;
    n->clock = &m->clock;
    m->clock.explain = m->explain;
    m->clock.observer = &nic_explain_observer;
    n->progress = NIC_PROGRESS_HOST;
    if (g->set.groups)
        m->placed = nic_place_host(n, nic_group_of(g, n->rank), g->set.groups);
    nic_hosts_open(n, &nic_governor_rank(g, n->rank)->bell);
    nic_refresh_slow_reasons(n);
    return 0;
}

static void leave_explained(struct nic *n)
{
    const struct nic_explained *slowest;
    unsigned count;
    nic_charges_explain(n);
    const struct nic_explained_rank *sum = nic_explain_close(n->model->explain, &slowest, &count);
    nic_explain_store(n->job, sum, slowest, count, n->rank);
}

/* Governor's lock held, but for a while: nothing that others have sent by way of us is left. */
static void leave_routers(struct nic *n)
{
    struct nic_governor *g = n->model->governor;
    nic_model_collect(n);
    while (n->model->routes && n->model->events.count) {
        nic_governor_unlock(g);
        while (nic_routes_pass_on_rest(n))
            ;
        nic_governor_lock(g);
        nic_model_collect(n);
    }
}

/* As the others see it, this is the end. */
static void go(struct nic *n)
{
    struct nic_model *m = n->model;
    struct nic_governed_rank *r = nic_governor_rank(m->governor, n->rank);
    if (m->over)
        return;
    nic_node_let_processor(n, 0);
    if (m->explain && !m->on_host)
        nic_explain_ends(m->explain);
    while (m->forwarding || !nic_flow_is_quiet(n))  /* the last ones, which nobody waits for here */
        nic_model_handle_next(n, NIC_NEVER, NULL);
    if (m->explain && m->on_host)
        nic_explain_ends(m->explain);
    nic_flow_leave(n);
    m->over = true;
    nic_governor_lock(m->governor);
    leave_routers(n);
    nic_node_give(n);
    nic_governor_mark_gone(m->governor, n->rank);
    r->hash = nic_clock_mix(m->log.hash, *nic_model_host(m));
    r->events = m->log.events;
    r->time = *nic_model_host(m);
    r->check = nic_governed_check(r, n->rank);
    nic_governor_wake_safe(m->governor);
    nic_governor_unlock(m->governor);
    if (m->explain)
        leave_explained(n);
    nic_proxy_copies_do(n);          /* the last ones */
}

int nic_model_gather(struct nic *n, const void *own, size_t bytes, void *all)
{
    if (!n->model)
        return -ENOSYS;
    go(n);
    return nic_proxy_gather(n, own, bytes, all);
}

void nic_model_close(struct nic *n)
{
    struct nic_model *m = n->model;
    if (!m)
        return;
    go(n);
    if (m->placed)
        nic_place_host_anywhere(n);
    nic_log_close(&m->log);
    nic_explain_delete(m->explain);
    nic_inbox_drop_partial(m);
    nic_flow_close(n);
    nic_pgas_unit_close(n);
    nic_routes_close(n);
    nic_events_clear(&m->events);
    nic_timed_lists_delete(m);
    n->clock = NULL;
    n->model = NULL;
    drop(m);
}
