/* The host on the model clock: its calls, what they cost it, and how its commands reach the NIC. */
#define _GNU_SOURCE
#include "core/callers.h"
#include "model/engine.h"
#include "model/host.h"
#include "model/interrupt.h"
#include "model/node.h"
#include "model/promise.h"
#include "model/proxy_copy.h"
#include "model/tracer.h"
#include "time/costs.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

void nic_model_charge_call(struct nic_model *m)
{
    if (m->visited)
        return;
    m->visited = true;
    nic_clock_charge_host(&m->clock, NIC_COST_CALL, 1);
}

static uint64_t thread_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void compute(struct nic_model *m, uint64_t ps)
{
    uint64_t before = *nic_model_host(m);
    *nic_model_host(m) = nic_time_add(before, ps);
    if (m->explain)
        nic_explain_computed(m->explain, *nic_model_host(m) - before);
}

/* Of a thread that has not been the last to leave nobody knows when it began. */
static void measure(struct nic_model *m)
{
    if (m->governor->set.compute == NIC_COMPUTE_MEASURED && pthread_equal(m->left, pthread_self()))
        /* ns times thousandths are ps */
        compute(m, (thread_ns() - m->left_ns) * m->governor->set.scale);
}

void nic_model_measure_again(struct nic_model *m)
{
    if (m->governor->set.compute != NIC_COMPUTE_MEASURED)
        return;
    m->left = pthread_self();
    m->left_ns = thread_ns();
}

/* Threads that call at once have no order that would be the same in each run: only the one that
 * announced them may call. */
void nic_model_share(struct nic *n) { n->model->thread = pthread_self(); }

static void check_thread(struct nic *n)
{
    if (!pthread_equal(n->model->thread, pthread_self())) {
        fputs("nicemu: several threads of a rank call at once: on the model clock their order "
              "would not be the same in each run\n", stderr);
        nic_job_set_abort(n->job, n->rank, 1);
        _exit(1);
    }
}

/* We have been outside for long, and others had our core. */
static void come_back(struct nic *n)
{
    struct nic_governor *g = n->model->governor;
    nic_governor_lock(g);
    nic_governor_mark_awake(g, n->rank);
    nic_governor_unlock(g);
}

/* All that is older has been handled, but for what waits for the host to run it, and no other rank
 * of the node does anything before this one's host. */
static void reach_host(struct nic *n)
{
    const struct nic_model *m = n->model;
    const uint64_t host = m->clock.free_at[NIC_RES_HOST];
    for (;;) {
        while (host && nic_model_handle_next(n, host - 1, NULL))
            ;
        if (host < m->horizon)
            return;
        nic_model_wait_until_safe(n, host);
    }
}

/* Where ranks of a node share processors. */
static void get_processor(struct nic *n)
{
    const struct nic_model *m = n->model;
    if (likely(!m->cpu) || m->has_cpu || m->in_handler || m->over)
        return;
    reach_host(n);
    nic_node_get_processor(n);
}

void nic_model_enter(struct nic *n)
{
    struct nic_model *m = n->model;
    struct nic_governed_rank *own = nic_governor_rank(m->governor, n->rank);
    if (unlikely(n->shared))
        check_thread(n);
    if (__atomic_exchange_n(&n->fast_path.host_in, 1, __ATOMIC_ACQ_REL)
        && !pthread_equal(m->inside, pthread_self()))
        nic_hosts_at_once(n);
    m->inside = pthread_self();
    atomic_store_explicit(&own->outside, 0, memory_order_relaxed);
    if (unlikely(atomic_load_explicit(&own->excused, memory_order_relaxed)) && !m->over)
        come_back(n);
    nic_proxy_copies_do(n);
    measure(m);
    m->visited = false;
    if (m->explain)
        nic_explain_enter(m->explain);
    get_processor(n);
}

/* The host goes on with its program.  Serial: that too only while nobody is behind it. */
static void go_on(struct nic *n)
{
    struct nic_model *m = n->model;
    uint64_t host = *nic_model_host(m);
    if (m->over)
        return;
    if (m->governor->set.serial)
        while (nic_time_sooner(host, nic_events_least(&m->events)) >= m->horizon)
            nic_model_wait_until_safe(n, host);
    else if (nic_time_sooner(host, nic_events_least(&m->events)) > m->published)
        nic_model_publish_bound(n, host);
}

void nic_model_leave(struct nic *n)
{
    struct nic_model *m = n->model;
    nic_node_let_processor(n, 0);
    go_on(n);
    nic_log_flush(&m->log);     /* the program may end in any way */
    if (m->explain)
        nic_explain_leave(m->explain);
    nic_model_measure_again(m);
    atomic_store_explicit(&nic_governor_rank(m->governor, n->rank)->outside, 1,
                          memory_order_relaxed);
    __atomic_store_n(&n->fast_path.host_in, 0, __ATOMIC_RELEASE);
}

/* All that has come when the host goes on.  Where the handlers run on its processor more may come
 * while they do, from peers that look again and again, than they can handle: after so many the host
 * has its turn. */
static bool handle_older(struct nic *n)
{
    enum { TURN = 64 };
    const uint64_t begin = *nic_model_host(n->model);
    uint64_t limit = begin;
    bool moved = false;
    for (unsigned late = 0; nic_model_handle_next(n, limit, NULL); moved = true) {
        late += n->model->handling > begin;
        limit = late < TURN ? *nic_model_host(n->model) : begin;
    }
    return moved;
}

bool nic_model_step(struct nic *n)
{
    struct nic_model *m = n->model;
    nic_model_charge_call(m);
    nic_clock_charge_host(&m->clock, NIC_COST_LOOK, 1);
    nic_node_let_processor(n, 0);
    bool moved = handle_older(n);
    get_processor(n);
    return moved;
}

void nic_model_act(struct nic *n)
{
    struct nic_model *m = n->model;
    if (m->in_handler || m->over)
        return;
    nic_model_charge_call(m);
    nic_node_let_processor(n, 0);
    handle_older(n);
    get_processor(n);
    nic_node_take(n);
    m->clock.now = *nic_model_host(m);
    m->clock.dma_done = 0;
}

/* Until the NIC's processor has come to the end of its work. */
void nic_model_await(struct nic *n)
{
    struct nic_model *m = n->model;
    uint64_t end = nic_time_later(m->clock.free_at[NIC_RES_PROCESSOR],
                                  nic_clock_complete(&m->clock));
    if (!m->in_handler && !m->over)
        *nic_model_host(m) = nic_time_later(*nic_model_host(m), end);
}

void nic_model_go_on_from(struct nic *n, uint64_t time)
{
    struct nic_model *m = n->model;
    if (!m->in_handler && !m->over)
        *nic_model_host(m) = nic_time_later(*nic_model_host(m), time);
}

/* The wait ends, if it ends here, at the time of the event that ended it. */
void nic_model_wait(struct nic *n, const struct nic_wait *w)
{
    struct nic_model *m = n->model;
    nic_model_charge_call(m);
    if (w->ready && w->ready(w->argument))
        return;
    if (m->explain)
        nic_explain_waits(m->explain);
    nic_node_let_processor(n, 0);
    nic_model_handle_next(n, NIC_NEVER, w);
    *nic_model_host(m) = nic_time_later(*nic_model_host(m), m->handling);
    if (unlikely(m->cpu != NULL) && (!w->ready || w->ready(w->argument)))
        get_processor(n);
}

/* When a command that the host writes now reaches the NIC:
 * in order, after it has crossed the bus. */
static uint64_t command_time(struct nic_model *m)
{
    nic_model_charge_call(m);
    nic_clock_charge_host(&m->clock, NIC_COST_COMMAND, 1);
    m->last_command = nic_time_later(m->last_command,
                                     *nic_model_host(m) + m->clock.cost[NIC_COST_DOORBELL]);
    return m->last_command;
}

void nic_model_submit(struct nic *n, const struct nic_command *c)
{
    if (n->model->in_handler)
        nic_later(n, c);
    else
        nic_model_bus_event_at(n, NIC_EVENT_COMMAND, command_time(n->model),
                               n->model->clock.cost[NIC_COST_DOORBELL], c);
    if (!n->model->on_host || n->model->in_handler)
        return;
    nic_node_let_processor(n, 0);
    while (nic_model_handle_next(n, n->model->last_command, NULL))
        ;
}

void nic_host_runs_handlers(struct nic *n, bool forwards)
{
    struct nic_model *m = n->model;
    if (!m)
        return;
    const struct nic_profile *p = m->profile;
    nic_node_host_runs_handlers(m);
    m->on_host = true;
    nic_trace_host(m);
    m->forwards = forwards || m->share;
    m->processor = &p->host;
    m->interrupts = (uint8_t)p->completion.kind;
    m->to_host = m->clock.cost[NIC_COST_CROSSING];
    m->clock.to_engine = m->clock.cost[NIC_COST_DOORBELL];
    nic_model_host_costs(p, m->clock.cost);
    if (m->explain)
        nic_explain_host_runs_handlers(m->explain);
    nic_model_reckon(n);
}

void nic_call(struct nic *n, void (*fn)(void *argument), void *argument)
{
    struct nic_model *m = n->model;
    struct nic_model_call call = { .fn = fn, .argument = argument };
    if (likely(!m) || m->in_handler) {
        fn(argument);
        return;
    }
    nic_model_bus_event_at(n, NIC_EVENT_CALL, command_time(m),
                           m->clock.cost[NIC_COST_DOORBELL],
                           &(struct nic_command){ .object = &call });
    nic_node_let_processor(n, 0);
    while (!call.done)
        nic_model_handle_next(n, NIC_NEVER, NULL);
    uint64_t seen = call.end + m->clock.cost[NIC_COST_CROSSING];
    nic_clock_tell(&m->clock, NIC_COST_CROSSING, 1, m->clock.cost[NIC_COST_CROSSING]);
    *nic_model_host(m) = nic_time_later(*nic_model_host(m), seen);
}

void nic_later(struct nic *n, const struct nic_command *c)
{
    struct nic_model *m = n->model;
    if (!m) {
        n->program->command(n, n->context, c);
        return;
    }
    if (nic_model_defers(m, c))
        return;
    nic_clock_land(&m->clock);
    uint64_t at = m->in_handler ? nic_clock_complete(&m->clock) : *nic_model_host(m);
    nic_model_event_at(n, NIC_EVENT_LATER, at, c);
}

/* told: what it brings ends at the host, which may go on then; see model/promise.h. */
static void tell_host(struct nic *n, const struct nic_command *c, bool told)
{
    struct nic_model *m = n->model;
    if (!m || !m->in_handler) {
        nic_later(n, c);
        return;
    }
    nic_clock_land(&m->clock);
    nic_clock_charge(&m->clock, NIC_COST_COMPLETE, 1);
    if (nic_model_defers(m, c))
        return;
    uint64_t crossing = m->clock.cost[NIC_COST_CROSSING];
    nic_model_bus_event_at(n, NIC_EVENT_LATER, nic_clock_complete(&m->clock) + crossing,
                           crossing, c)->told = told;
}

void nic_tell_host(struct nic *n, const struct nic_command *c) { tell_host(n, c, true); }

void nic_tell_host_to_send(struct nic *n, const struct nic_command *c) { tell_host(n, c, false); }

int nic_timer(struct nic *n, uint64_t ps, const struct nic_command *c)
{
    struct nic_model *m = n->model;
    if (!m)
        return -ENOSYS;
    nic_model_event_at(n, NIC_EVENT_TIMER,
                       nic_time_add(m->in_handler ? m->clock.now : *nic_model_host(m), ps), c);
    return 0;
}

void nic_completion_slow(struct nic *n)
{
    if (n->model && !n->model->in_handler)
        nic_clock_charge_host(&n->model->clock, NIC_COST_COMPLETION, 1);
}

#define WORK_COST(name) NIC_COST_##name,
static const unsigned char work_cost[NIC_WORK_COUNT] = { NIC_WORKS(WORK_COST) };

/* What many profiles do not have leaves no trace there. */
static bool is_of_some(enum nic_work work)
{
    return work == NIC_WORK_POSTED || work == NIC_WORK_SCHEDULE;
}

/* A handler's work is the processor's; the host's may be done by the host only. */
void nic_work_slow(struct nic *n, enum nic_work work)
{
    struct nic_model *m = n->model;
    if (!m || (is_of_some(work) && !m->clock.cost[work_cost[work]]))
        return;
    if (m->in_handler)
        nic_clock_charge(&m->clock, work_cost[work], 1);
    else
        nic_clock_charge_host(&m->clock, work_cost[work], 1);
}

void nic_packed(struct nic *n, uint64_t blocks, uint64_t bytes)
{
    struct nic_model *m = n->model;
    if (!m || m->in_handler || !blocks)
        return;
    nic_clock_charge_host(&m->clock, NIC_COST_PACK, blocks);
    nic_clock_charge_host(&m->clock, NIC_COST_PACK_BYTE, bytes);
}

void nic_gives_data(struct nic *n, uint64_t bytes)
{
    struct nic_model *m = n->model;
    if (!m || m->in_handler || m->on_host || m->forwards || !m->clock.cost[NIC_COST_PIO_BYTE])
        return;
    if (bytes && bytes <= m->profile->bus.pio_bytes)
        nic_clock_charge_host(&m->clock, NIC_COST_PIO_BYTE, bytes);
}

void nic_copied(struct nic *n, size_t bytes)
{
    struct nic_model *m = n->model;
    if (!m || !m->in_handler || !bytes)
        return;
    nic_clock_charge(&m->clock, NIC_COST_COPY, 1);
    nic_clock_charge(&m->clock, NIC_COST_COPY_BYTE, bytes);
    nic_clock_charge(&m->clock, NIC_COST_COPY_ODD,
                     bytes % m->profile->protocol.word != 0);
}

void nic_added(struct nic *n, uint64_t elements, bool real)
{
    struct nic_model *m = n->model;
    if (!m || !elements)
        return;
    if (m->in_handler)
        nic_clock_charge(&m->clock, real ? NIC_COST_ADD_REAL : NIC_COST_ADD, elements);
    else
        nic_clock_charge_host(&m->clock, real ? NIC_COST_HOST_ADD_REAL : NIC_COST_HOST_ADD,
                              elements);
}

uint64_t nic_time(struct nic *n)
{
    struct nic_model *m = n->model;
    if (!m)
        return nic_now() * 1000;
    measure(m);
    nic_model_measure_again(m);
    nic_clock_charge_host(&m->clock, NIC_COST_TIME, 1);
    return *nic_model_host(m);
}

uint64_t nic_moment(const struct nic *n)
{
    struct nic_model *m = n->model;
    if (!m)
        return nic_now() * 1000;
    return m->in_handler ? m->clock.now : *nic_model_host(m);
}

static void compute_live(uint64_t ps)
{
    for (uint64_t end = nic_now() + ps / 1000; nic_now() < end;)
        nic_relax();
}

/* What handlers take, the computation gets later. */
static void compute_interrupted(struct nic *n, uint64_t ps)
{
    struct nic_model *m = n->model;
    struct nic_event *e;
    nic_enter(n);
    uint64_t *host = nic_model_host(m), end = nic_time_add(*host, ps);
    m->computing = true;
    nic_node_let_processor(n, end);
    for (uint64_t before = *host; nic_model_handle_next(n, end, NULL); before = *host)
        if (*host > before)
            end = nic_time_add(end, *host - nic_time_later(m->handling, before));
    m->computing = false;
    *host = end;
    while ((e = nic_model_take_deferred(m, end++)))     /* in the order in which they came */
        nic_events_push(&m->events, e);
    if (m->explain)
        nic_explain_computed(m->explain, ps);
    nic_leave(n);
}

static void compute_all(struct nic *n, uint64_t ps)
{
    if (n->model->interrupts)
        compute_interrupted(n, ps);
    else
        compute(n->model, ps);
}

/* Others of the node have the processor between two slices. */
static void compute_in_slices(struct nic *n, uint64_t ps)
{
    struct nic_model *m = n->model;
    while (ps) {
        uint64_t slice = nic_time_sooner(ps, m->profile->node.slice);
        get_processor(n);
        compute_all(n, slice);
        ps -= slice;
        nic_node_let_processor(n, 0);
    }
}

void nic_compute(struct nic *n, uint64_t ps)
{
    struct nic_model *m = n->model;
    if (!m) {
        compute_live(ps);
        return;
    }
    if (m->governor->set.compute == NIC_COMPUTE_NONE)
        ps = 0;
    if (m->cpu && !m->over)
        compute_in_slices(n, ps);
    else
        compute_all(n, ps);
    go_on(n);
}
