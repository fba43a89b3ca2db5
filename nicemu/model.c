/* The engine on the model clock; see include/nicemu/model.h for what it means and governor.h for when an event may be handled. */
#define _GNU_SOURCE
#include "model.h"
#include "errand.h"
#include "list.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LOOKS = 400 };     /* at the bell before a sleep: some 10 us, which a wake-up takes too */

static uint64_t *host_of(struct nic_model *m) { return &m->clock.free_at[NIC_RES_HOST]; }
static uint64_t later_of(uint64_t a, uint64_t b) { return a > b ? a : b; }
static uint64_t sooner_of(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* -- own events */

/* crossing: how long the bus has had it. */
static struct nic_event *crossing_event_at(struct nic *n, enum nic_event_kind kind, uint64_t time, uint64_t crossing, const struct nic_command *command)
{
    struct nic_model *m = n->model;
    struct nic_event *e = nic_event_new(&m->events, 0);
    e->key = (struct nic_event_key){ .time = time, .source = n->rank, .sequence = (uint32_t)m->clock.sequence++ };
    e->kind = (uint8_t)kind;
    if (command)
        e->command = *command;
    if (m->explain)
        e->way = nic_explain_event(m->explain, &e->key, crossing);
    nic_events_push(&m->events, e);
    return e;
}

static struct nic_event *event_at(struct nic *n, enum nic_event_kind kind, uint64_t time, const struct nic_command *command)
{
    return crossing_event_at(n, kind, time, 0, command);
}

static void advance_at(struct nic *n, uint64_t time)
{
    n->model->advance_due = true;
    event_at(n, NIC_EVENT_ADVANCE, time, NULL);
}

void nic_model_activate(struct nic *n)
{
    struct nic_model *m = n->model;
    if (!m->in_handler && !m->advance_due)      /* else the end of the handler sees to it */
        advance_at(n, *host_of(m));
}

/* -- handling */

struct call { void (*fn)(void *argument); void *argument; uint64_t end; bool done; };

/* True: it moved something, as far as that can be asked. */
static bool execute(struct nic *n, const struct nic_event *e)
{
    switch ((enum nic_event_kind)e->kind) {
    case NIC_EVENT_PACKET:
        n->model->clock.landing = e->flags & NIC_PACKET_CARRIED ? 0 : e->length;
        nic_inbox_deliver(n, e);
        break;
    case NIC_EVENT_CALL: {
        struct call *call = e->command.object;
        call->fn(call->argument);
        break;
    }
    case NIC_EVENT_ADVANCE:
        n->model->advance_due = false;
        return (n->active > 0 || n->pgas) && nic_engine_advance(n);
    default:
        n->program->command(n->context, &e->command);
    }
    return true;
}

static void note(struct nic *n, const struct nic_event *e, uint64_t start)
{
    struct nic_model *m = n->model;
    struct nic_log_record r = { .key = e->key, .rank = n->rank, .kind = e->kind, .start = start, .end = m->clock.now, .charges = m->clock.hash, .host = *host_of(m) };
    nic_log_add(&m->log, &r);
}

/* No processor takes it in: the end of what works beside it, or a word that a peer has stored. */
static bool is_beside(const struct nic_event *e)
{
    return e->kind == NIC_EVENT_LATER || (e->kind == NIC_EVENT_PACKET && e->flags & NIC_PACKET_CARRIED && e->flags & NIC_PACKET_STORED);
}

static void charge_start(struct nic_model *m, const struct nic_event *e)
{
    bool packet = e->kind == NIC_EVENT_PACKET;
    if (packet && m->interrupts)
        nic_clock_charge(&m->clock, NIC_COST_INTERRUPT, 1);
    nic_clock_charge(&m->clock, packet ? NIC_COST_DISPATCH : e->kind == NIC_EVENT_ADVANCE ? NIC_COST_ADVANCE : NIC_COST_EXECUTE, 1);
}

/* What ends beside the processor does not take its time. */
static void handle(struct nic *n, struct nic_event *e)
{
    struct nic_model *m = n->model;
    struct nic_clock *c = &m->clock;
    uint64_t *processor = &c->free_at[m->on_host ? NIC_RES_HOST : NIC_RES_PROCESSOR];
    bool beside = is_beside(e);
    uint64_t start = beside ? e->key.time : later_of(e->key.time, *processor);
    m->in_handler = true;
    m->handling = e->key.time;
    m->source = e->key.source;
    c->now = start;
    c->moved = c->landing = 0;
    if (m->explain)
        nic_explain_begin(m->explain, e->way, e->key.time, start, beside);
    if (!beside)
        charge_start(m, e);
    bool moved = execute(n, e);
    nic_clock_land(c);
    if (e->kind == NIC_EVENT_CALL) {
        struct call *call = e->command.object;
        call->end = c->now;
        call->done = true;
    }
    if (!beside) {
        nic_lists_update(n);
        *processor = c->now;
    }
    m->in_handler = false;
    if (m->explain)
        nic_explain_end(m->explain);
    note(n, e, start);
    if ((n->active > 0 || n->pgas) && moved && !m->advance_due)
        advance_at(n, e->kind == NIC_EVENT_ADVANCE ? nic_clock_complete(c) : c->now);
    if (m->explain)
        nic_explain_over(m->explain);
    nic_event_free(&m->events, e);
}

/* -- with the governor */

static void cross_to_host(struct nic_model *m, struct nic_event *e)
{
    e->key.time += m->to_host;
    if (m->explain)
        nic_explain_crossed(m->explain, e->way, m->to_host);
}

/* The ring holds nothing but whole packets while we have the lock.  A host that runs the handlers hears of one later than its
 * NIC; nobody else knows of that time, and for them ours is earlier than it is. */
static void collect(struct nic *n)
{
    struct nic_event *e;
    while ((e = nic_inbox_take(n))) {
        if (n->model->to_host && !(e->flags & NIC_PACKET_CARRIED && e->flags & NIC_PACKET_STORED))
            cross_to_host(n->model, e);
        nic_events_push(&n->model->events, e);
    }
}

/* Lock held.  `host`: what the host may still do first, NIC_NEVER while it waits for an event. */
static uint64_t publish(struct nic *n, uint64_t host)
{
    struct nic_model *m = n->model;
    collect(n);
    m->published = sooner_of(host, nic_events_least(&m->events));
    nic_governor_set_bound(m->governor, n->rank, m->published);
    m->horizon = nic_governor_horizon(m->governor, n->rank);
    return m->published;
}

static void tell(struct nic *n, uint64_t host)
{
    nic_governor_lock(n->model->governor);
    publish(n, host);
    nic_governor_tell(n->model->governor);
    nic_governor_unlock(n->model->governor);
}

/* Sleeps unless the first that is to be done is safe; the caller looks again. */
static void settle(struct nic *n, uint64_t host)
{
    struct nic_governor *g = n->model->governor;
    uint32_t bell = 0;
    nic_governor_lock(g);
    bool safe = publish(n, host) < n->model->horizon, asked = nic_errands_asked(n);
    nic_governor_tell(g);
    if (!safe && !asked)
        bell = nic_governor_doze(g, n->rank);
    nic_governor_unlock(g);
    if (!safe)
        nic_log_flush(&n->model->log);
    if (asked)
        nic_errands_do(n);
    else if (!safe)
        nic_governor_sleep(g, n->rank, bell, n->oversubscribed ? 0 : LOOKS);
}

static void say_what_for(struct nic *n, const struct nic_wait *w)
{
    char text[NIC_NOTE_BYTES] = "";
    nic_job_set_note(n->job, n->rank, w && w->note ? w->note(w->argument, text, sizeof text) : text);
}

/* Handles one event, the least, if its time is at most `limit`.  False: all that there is up to then has been handled. */
static bool turn(struct nic *n, uint64_t limit, const struct nic_wait *w)
{
    struct nic_model *m = n->model;
    for (bool said = false;; said = true) {
        uint64_t least = nic_events_least(&m->events), target = sooner_of(least, limit);
        if (target < m->horizon) {
            if (unlikely(nic_errands_asked(n)))
                nic_errands_do(n);
            if (least > limit)
                return false;
            if (!m->governor->serial && target > m->published && nic_governor_awaited(m->governor, target))
                tell(n, target);
            handle(n, nic_events_pop(&m->events));
            return true;
        }
        if (target == NIC_NEVER && !said)
            say_what_for(n, w);
        settle(n, limit);
    }
}

/* -- the host */

static void visit(struct nic_model *m)
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
    uint64_t before = *host_of(m);
    *host_of(m) = nic_time_add(before, ps);
    if (m->explain)
        nic_explain_computed(m->explain, *host_of(m) - before);
}

static void measure(struct nic_model *m)
{
    if (m->governor->compute == NIC_COMPUTE_MEASURED)
        compute(m, (thread_ns() - m->left_ns) * m->governor->scale);    /* ns times thousandths are ps */
}

static void measure_again(struct nic_model *m)
{
    if (m->governor->compute == NIC_COMPUTE_MEASURED)
        m->left_ns = thread_ns();
}

/* Threads that call at once have no order that would be the same in each run: only the one that announced them may call. */
void nic_model_share(struct nic *n) { n->model->thread = pthread_self(); }

static void check_thread(struct nic *n)
{
    if (!pthread_equal(n->model->thread, pthread_self())) {
        fputs("nicemu: several threads of a rank call at once: on the model clock their order would not be the same in each run\n", stderr);
        nic_job_set_abort(n->job, n->rank, 1);
        _exit(1);
    }
}

void nic_model_enter(struct nic *n)
{
    struct nic_model *m = n->model;
    if (unlikely(n->shared))
        check_thread(n);
    __atomic_store_n(&n->front.host_in, 1, __ATOMIC_RELAXED);
    nic_errands_do(n);
    measure(m);
    m->visited = false;
    if (m->explain)
        nic_explain_enter(m->explain);
}

/* The host goes on with its program.  Serial: that too only while nobody is behind it. */
static void go_on(struct nic *n)
{
    struct nic_model *m = n->model;
    uint64_t host = *host_of(m);
    if (m->over)
        return;
    if (m->governor->serial)
        while (sooner_of(host, nic_events_least(&m->events)) >= m->horizon)
            settle(n, host);
    else if (sooner_of(host, nic_events_least(&m->events)) > m->published)
        tell(n, host);
}

void nic_model_leave(struct nic *n)
{
    struct nic_model *m = n->model;
    go_on(n);
    nic_log_flush(&m->log);     /* the program may end in any way */
    if (m->explain)
        nic_explain_leave(m->explain);
    measure_again(m);
    __atomic_store_n(&n->front.host_in, 0, __ATOMIC_RELEASE);
}

bool nic_model_step(struct nic *n)
{
    struct nic_model *m = n->model;
    bool moved = false;
    visit(m);
    nic_clock_charge_host(&m->clock, NIC_COST_LOOK, 1);
    while (turn(n, *host_of(m), NULL))
        moved = true;
    return moved;
}

void nic_model_act(struct nic *n)
{
    struct nic_model *m = n->model;
    if (m->in_handler || m->over)
        return;
    visit(m);
    while (turn(n, *host_of(m), NULL))
        ;
    m->clock.now = *host_of(m);
    m->clock.moved = 0;
}

/* The wait ends, if it ends here, at the time of the event that ended it. */
void nic_model_wait(struct nic *n, const struct nic_wait *w)
{
    struct nic_model *m = n->model;
    visit(m);
    if (w->ready && w->ready(w->argument))
        return;
    if (m->explain)
        nic_explain_waits(m->explain);
    turn(n, NIC_NEVER, w);
    *host_of(m) = later_of(*host_of(m), m->handling);
}

/* When a command that the host writes now reaches the NIC: in order, after it has crossed the bus. */
static uint64_t command_time(struct nic_model *m)
{
    visit(m);
    nic_clock_charge_host(&m->clock, NIC_COST_COMMAND, 1);
    m->last_command = later_of(m->last_command, *host_of(m) + m->clock.cost[NIC_COST_DOORBELL]);
    return m->last_command;
}

void nic_model_submit(struct nic *n, const struct nic_command *c)
{
    if (n->model->in_handler)
        nic_later(n, c);
    else
        crossing_event_at(n, NIC_EVENT_COMMAND, command_time(n->model), n->model->clock.cost[NIC_COST_DOORBELL], c);
    while (n->model->on_host && !n->model->in_handler && turn(n, n->model->last_command, NULL))
        ;
}

void nic_host_runs_handlers(struct nic *n)
{
    struct nic_model *m = n->model;
    if (!m)
        return;
    const struct nic_profile *p = &m->governor->profile;
    m->on_host = true;
    m->processor = &p->host;
    m->interrupts = p->completion.kind == NIC_COMPLETION_INTERRUPT;
    m->to_host = m->clock.cost[NIC_COST_CROSSING];
    m->clock.to_engine = m->clock.cost[NIC_COST_DOORBELL];
    nic_model_host_costs(p, m->clock.cost);
    if (m->explain)
        nic_explain_host_runs_handlers(m->explain);
}

void nic_call(struct nic *n, void (*fn)(void *argument), void *argument)
{
    struct nic_model *m = n->model;
    struct call call = { .fn = fn, .argument = argument };
    if (likely(!m) || m->in_handler) {
        fn(argument);
        return;
    }
    crossing_event_at(n, NIC_EVENT_CALL, command_time(m), m->clock.cost[NIC_COST_DOORBELL], &(struct nic_command){ .object = &call });
    while (!call.done)
        turn(n, NIC_NEVER, NULL);
    *host_of(m) = later_of(*host_of(m), call.end + m->clock.cost[NIC_COST_CROSSING]);
}

void nic_later(struct nic *n, const struct nic_command *c)
{
    struct nic_model *m = n->model;
    if (!m) {
        n->program->command(n->context, c);
        return;
    }
    nic_clock_land(&m->clock);
    event_at(n, NIC_EVENT_LATER, m->in_handler ? nic_clock_complete(&m->clock) : *host_of(m), c);
}

void nic_tell_host(struct nic *n, const struct nic_command *c)
{
    struct nic_model *m = n->model;
    if (!m || !m->in_handler) {
        nic_later(n, c);
        return;
    }
    nic_clock_land(&m->clock);
    nic_clock_charge(&m->clock, NIC_COST_COMPLETE, 1);
    uint64_t crossing = m->clock.cost[NIC_COST_CROSSING];
    crossing_event_at(n, NIC_EVENT_LATER, nic_clock_complete(&m->clock) + crossing, crossing, c);
}

int nic_timer(struct nic *n, uint64_t ps, const struct nic_command *c)
{
    struct nic_model *m = n->model;
    if (!m)
        return -ENOSYS;
    event_at(n, NIC_EVENT_TIMER, nic_time_add(m->in_handler ? m->clock.now : *host_of(m), ps), c);
    return 0;
}

void nic_completion_slow(struct nic *n)
{
    if (n->model && !n->model->in_handler)
        nic_clock_charge_host(&n->model->clock, NIC_COST_COMPLETION, 1);
}

#define WORK_COST(name) NIC_COST_##name,
static const unsigned char work_cost[NIC_WORK_COUNT] = { NIC_WORKS(WORK_COST) };

/* A handler's work is the processor's; the host's may be done by the host only. */
void nic_work_slow(struct nic *n, enum nic_work work)
{
    struct nic_model *m = n->model;
    if (!m)
        return;
    if (m->in_handler)
        nic_clock_charge(&m->clock, work_cost[work], 1);
    else
        nic_clock_charge_host(&m->clock, work_cost[work], 1);
}

void nic_copied(struct nic *n, size_t bytes)
{
    struct nic_model *m = n->model;
    if (!m || !m->in_handler || !bytes)
        return;
    nic_clock_charge(&m->clock, NIC_COST_COPY, 1);
    nic_clock_charge(&m->clock, NIC_COST_COPY_BYTE, bytes);
    nic_clock_charge(&m->clock, NIC_COST_COPY_ODD, bytes % m->governor->profile.protocol.word != 0);
}

uint64_t nic_time(struct nic *n)
{
    struct nic_model *m = n->model;
    if (!m)
        return nic_now() * 1000;
    measure(m);
    measure_again(m);
    nic_clock_charge_host(&m->clock, NIC_COST_TIME, 1);
    return *host_of(m);
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
    nic_enter(n);
    uint64_t *host = host_of(m), end = nic_time_add(*host, ps);
    for (uint64_t before = *host; turn(n, end, NULL); before = *host)
        if (*host > before)
            end = nic_time_add(end, *host - later_of(m->handling, before));
    *host = end;
    if (m->explain)
        nic_explain_computed(m->explain, ps);
    nic_leave(n);
}

void nic_compute(struct nic *n, uint64_t ps)
{
    struct nic_model *m = n->model;
    if (!m) {
        compute_live(ps);
        return;
    }
    if (m->governor->compute == NIC_COMPUTE_NONE)
        ps = 0;
    if (m->interrupts)
        compute_interrupted(n, ps);
    else
        compute(m, ps);
    go_on(n);
}

/* -- sending */

static void send_to_self(struct nic *n, const struct nic_message *m, const struct nic_event_key *key)
{
    uint32_t bytes = m->head_bytes + m->data_bytes;
    struct nic_event *e = nic_event_new(&n->model->events, bytes);
    e->key = *key;
    e->kind = NIC_EVENT_PACKET;
    e->type = m->type;
    e->flags = m->flags;
    e->match = m->match;
    if (m->head_bytes)
        memcpy(e->payload, m->head, m->head_bytes);
    if (m->data_bytes)
        memcpy(e->payload + m->head_bytes, m->data, m->data_bytes);
    if (n->model->explain) {
        struct nic_way way;
        nic_explain_packet(n->model->explain, key->sequence, &way);
        e->way = nic_explain_adopt(n->model->explain, &way);
    }
    nic_events_push(&n->model->events, e);
}

/* Lock held.  What is sent to a rank that has gone is lost. */
static int put(struct nic *n, unsigned peer, const struct nic_message *message, const struct nic_event_key *key)
{
    struct nic_model *m = n->model;
    struct nic_governor *g = m->governor;
    if (nic_governor_rank(g, peer)->state == NIC_GOVERNED_GONE)
        return 0;
    int rc = nic_inbox_put(n, peer, message, key);
    if (rc) {
        nic_governor_wake(g, peer);     /* to empty its ring */
        return rc;
    }
    nic_governor_lower(g, peer, key->time);
    if (m->in_handler && m->handling > m->published) {      /* what is in our ring is past our horizon */
        m->published = m->handling;
        nic_governor_set_bound(g, n->rank, m->published);
    }
    m->horizon = nic_governor_cut(g, n->rank, peer, key->time, m->horizon);
    nic_governor_tell(g);
    return 0;
}

/* A full ring takes real time only.  Its owner empties it when it is in a call; ours we empty meanwhile. */
static void send_to_peer(struct nic *n, unsigned peer, const struct nic_message *m, const struct nic_event_key *key)
{
    for (;;) {
        nic_governor_lock(n->model->governor);
        int rc = put(n, peer, m, key);
        if (rc)
            collect(n);
        nic_governor_unlock(n->model->governor);
        if (!rc)
            return;
        nic_errands_do(n);
        sched_yield();
    }
}

static void send_with_key(struct nic *n, unsigned peer, const struct nic_message *m, const struct nic_event_key *key)
{
    if (peer == n->rank)
        send_to_self(n, m, key);
    else
        send_to_peer(n, peer, m, key);
}

/* The host may send too. */
void nic_model_begin_sending(struct nic *n)
{
    struct nic_model *m = n->model;
    if (m->in_handler)
        return;
    visit(m);
    m->clock.now = later_of(m->clock.now, *host_of(m));
}

int nic_model_send(struct nic *n, unsigned peer, const struct nic_message *message)
{
    struct nic_model *m = n->model;
    uint64_t bytes = (uint64_t)message->head_bytes + message->data_bytes;
    if (message->head_bytes > NIC_HEAD_BYTES - sizeof(struct nic_event_key) || bytes > NIC_MESSAGE_BYTES_MAX + NIC_HEAD_BYTES)
        return -EMSGSIZE;
    nic_model_begin_sending(n);
    struct nic_event_key key = nic_clock_depart(&m->clock, n->rank, bytes);
    send_with_key(n, peer, message, &key);
    return 0;
}

void nic_model_command_at(struct nic *n, uint64_t time, const struct nic_command *c)
{
    struct nic_event *e = event_at(n, NIC_EVENT_LATER, time, c);
    if (n->model->explain)
        nic_explain_landed(n->model->explain, &e->way, time);
}

void nic_model_packet_at(struct nic *n, unsigned peer, const struct nic_message *message, uint64_t time)
{
    const struct nic_event_key key = { .time = time, .source = n->rank, .sequence = (uint32_t)n->model->clock.sequence++ };
    if (n->model->explain)
        nic_explain_carried(n->model->explain, time);
    send_with_key(n, peer, message, &key);
}

const struct nic_profile *nic_profile_of(const struct nic *n) { return n->model ? &n->model->governor->profile : NULL; }

/* -- life */

int nic_model_open(struct nic *n)
{
    struct nic_governor *g = nic_job_governor(n->job);
    if (!g->modelled)
        return 0;
    struct nic_model *m = calloc(1, sizeof *m);
    if (!m)
        return -ENOMEM;
    unsigned keep = nic_job_explains(n->job);
    struct nic_explain *explain = keep ? nic_explain_new(&m->clock, n->rank, keep) : NULL;
    int rc = keep && !explain ? -ENOMEM : nic_log_open(&m->log, g->log, n->rank);
    if (rc) {
        nic_explain_delete(explain);
        free(m);
        return rc;
    }
    m->governor = g;
    m->clock.engine = true;
    m->clock.header = g->profile.protocol.header;
    m->clock.short_bytes = g->profile.rdma.short_bytes;
    m->clock.word = g->profile.protocol.word;
    m->clock.tx_line = g->profile.tx.line_bytes;
    m->clock.rx_line = g->profile.rx.line_bytes;
    m->processor = &g->profile.nic;
    m->explain = explain;
    nic_model_costs(&g->profile, m->clock.cost);
    measure_again(m);
    nic_governor_lock(g);
    nic_governor_rank(g, n->rank)->state = NIC_GOVERNED_AWAKE;
    nic_governor_unlock(g);
    n->model = m;
    n->clock = &m->clock;
    m->clock.explain = m->explain;
    n->progress = NIC_PROGRESS_HOST;
    nic_refresh_careful(n);
    return 0;
}

/* As the others see it, this is the end. */
static void go(struct nic *n)
{
    struct nic_model *m = n->model;
    struct nic_governed_rank *r = nic_governor_rank(m->governor, n->rank);
    if (m->over)
        return;
    m->over = true;
    if (m->explain)
        nic_explain_close(m->explain, n->job);
    nic_governor_lock(m->governor);
    collect(n);
    r->state = NIC_GOVERNED_GONE;
    r->hash = nic_clock_mix(m->log.hash, *host_of(m));
    r->events = m->log.events;
    r->time = *host_of(m);
    nic_governor_set_bound(m->governor, n->rank, NIC_NEVER);
    nic_governor_tell(m->governor);
    nic_governor_unlock(m->governor);
    nic_errands_do(n);          /* the last ones */
}

int nic_model_gather(struct nic *n, const void *own, size_t bytes, void *all)
{
    if (!n->model)
        return -ENOSYS;
    go(n);
    return nic_errand_gather(n, own, bytes, all);
}

void nic_model_close(struct nic *n)
{
    struct nic_model *m = n->model;
    if (!m)
        return;
    go(n);
    nic_log_close(&m->log);
    nic_explain_delete(m->explain);
    nic_events_clear(&m->events);
    nic_lists_delete(m);
    n->clock = NULL;
    n->model = NULL;
    free(m);
}
