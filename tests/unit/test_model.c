/* The model clock: the order of events, what they cost, and that nothing but the program decides what happens: many NICs on several threads, random programs of
 * packets, commands, timers and polls, run in parallel, one at a time, and with delays thrown in. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <time.h>

#include "loop.h"
#include "cache.h"
#include "model.h"
#include "modelled.h"

enum { RANKS_MOST = 12 };

static struct nic_job *model_job(unsigned ranks, bool serial, const char *log)
{
    struct nic_model_config model = { .profile = test_profile(), .serial = serial, .log = log };
    struct nic_job_config config = { .ranks = ranks, .cores = 1, .model = &model };
    struct nic_job *job = NULL;

    must(nic_job_create(&config, &job) == 0);
    return job;
}

/* -- the heap */

START_TEST(heap_order)
{
    struct nic_events h = { 0 };
    uint64_t state = 4711;

    for (unsigned i = 0; i < 5000; i++) {
        struct nic_event *e = nic_event_new(&h, loop_below(&state, 200));
        e->key = (struct nic_event_key){ .time = loop_below(&state, 50), .source = loop_below(&state, 7), .sequence = i };
        nic_events_push(&h, e);
    }
    struct nic_event_key last = { 0 };
    for (unsigned i = 0; i < 5000; i++) {
        must(nic_events_least(&h) == h.slot[0].key.time);
        struct nic_event *e = nic_events_pop(&h);
        must(i == 0 || nic_event_compare(&last, &e->key) < 0);
        last = e->key;
        nic_event_free(&h, e);
    }
    ck_assert_uint_eq(nic_events_least(&h), UINT64_MAX);
    nic_events_clear(&h);
}
END_TEST

/* -- the cache: two sets of two lines */

START_TEST(cache_least_recently_used)
{
    struct nic_cache *c = nic_cache_new(256, 64, 2);

    must(c && !nic_cache_touch(c, 0) && !nic_cache_touch(c, 2) && !nic_cache_touch(c, 1));
    must(nic_cache_touch(c, 0));
    must(!nic_cache_touch(c, 4));       /* in place of 2 */
    must(nic_cache_touch(c, 0) && nic_cache_touch(c, 4) && nic_cache_touch(c, 1));
    must(!nic_cache_touch(c, 2) && !nic_cache_touch(c, 0));
    nic_cache_delete(c);
}
END_TEST

START_TEST(cache_fully_associative)
{
    struct nic_cache *c = nic_cache_new(1024, 64, 0);

    for (uint64_t line = 0; line < 32; line++)
        must(!nic_cache_touch(c, line * 7));
    for (uint64_t line = 31; line >= 16; line--)
        must(nic_cache_touch(c, line * 7));
    must(!nic_cache_touch(c, 15 * 7));
    nic_cache_delete(c);
}
END_TEST

START_TEST(sequences_wrap)
{
    struct nic_event_key before = { 5, 1, UINT32_MAX }, after = { 5, 1, 0 }, other = { 5, 2, UINT32_MAX - 7 };

    ck_assert_int_lt(nic_event_compare(&before, &after), 0);
    ck_assert_int_gt(nic_event_compare(&after, &before), 0);
    ck_assert_int_eq(nic_event_compare(&after, &after), 0);
    ck_assert_int_lt(nic_event_compare(&after, &other), 0);
}
END_TEST

START_TEST(names)
{
    ck_assert_str_eq(nic_event_name(NIC_EVENT_PACKET), "PACKET");
    ck_assert_str_eq(nic_event_name(NIC_EVENT_TIMER), "TIMER");
    ck_assert_str_eq(nic_event_name(NIC_EVENT_COUNT), "?");
}
END_TEST

/* -- bounds and horizons, against a plain search */

static uint64_t plain_horizon(struct nic_governor *g, const uint64_t *bound, unsigned ranks, unsigned rank)
{
    uint64_t horizon = NIC_NEVER;

    for (unsigned r = 0; r < ranks; r++)
        if (r != rank) {
            uint64_t end = nic_time_add(bound[r], g->serial ? r > rank : g->lookahead);
            horizon = end < horizon ? end : horizon;
        }
    return horizon;
}

static void random_bounds(bool serial)
{
    uint64_t state = 12345 + serial;

    for (unsigned ranks = 1; ranks <= 20; ranks++) {
        struct nic_job *job = model_job(ranks, serial, NULL);
        struct nic_governor *g = nic_job_governor(job);
        uint64_t bound[20] = { 0 };
        for (unsigned i = 0; i < 500; i++) {
            unsigned r = loop_below(&state, ranks);
            bound[r] = loop_below(&state, 8) ? loop_below(&state, 1000) : NIC_NEVER;
            nic_governor_set_bound(g, r, bound[r]);
            r = loop_below(&state, ranks);
            must(nic_governor_bound(g, r) == bound[r]);
            must(nic_governor_horizon(g, r) == plain_horizon(g, bound, ranks, r));
        }
        nic_job_close(job);
    }
}

START_TEST(horizons_parallel) { random_bounds(false); }
END_TEST
START_TEST(horizons_serial) { random_bounds(true); }
END_TEST

START_TEST(refused_configurations)
{
    struct nic_profile none = *test_profile();
    struct nic_model_config model = { .profile = &none };
    struct nic_job_config config = { .ranks = 2, .model = &model };
    struct nic_job *job;
    char name[1000];

    none.link.latency = 0;
    ck_assert_int_eq(nic_job_create(&config, &job), -EINVAL);
    none = *test_profile();
    none.call.test = 0;
    ck_assert_int_eq(nic_job_create(&config, &job), -EINVAL);
    model.profile = NULL;
    ck_assert_int_eq(nic_job_create(&config, &job), -EINVAL);
    model.profile = test_profile();
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = 0;
    model.log = name;
    ck_assert_int_eq(nic_job_create(&config, &job), -ENAMETOOLONG);
    job = loop_job(1);
    ck_assert(!nic_job_modelled(job));
    ck_assert(!nic_job_stands(job));
    nic_job_close(job);
}
END_TEST

/* -- exact times: one rank, which sends to itself */

static uint64_t cost(const struct nic *n, enum nic_cost c) { return n->clock->cost[c]; }
static uint64_t host(const struct nic *n) { return n->clock->free_at[NIC_RES_HOST]; }

struct seen { struct nic *nic; unsigned commands, packets; uint64_t command_time, packet_time, landed_time, order; unsigned char data[20000]; };

static void seen_landed(void *context, void *cookie)
{
    struct seen *s = context;
    (void)cookie;
    s->packets++;
    nic_later(s->nic, &(struct nic_command){ .op = 7 });
}

static void seen_packet(void *context, const struct nic_packet *p)
{
    struct seen *s = context;
    s->packet_time = p->time;
    memcpy(s->data, p->head, p->head_bytes);
    if (p->length > p->head_bytes)
        nic_sink(s->nic, s->data + p->head_bytes, sizeof s->data, s);
    else
        seen_landed(s, s);
}

static void seen_command(void *context, const struct nic_command *c)
{
    struct seen *s = context;
    if (c->op == 7) {
        s->landed_time = s->nic->clock->now;
    } else {
        s->commands++;
        s->command_time = s->nic->clock->now;
        s->order = s->order * 10 + c->arg;
    }
}

static bool seen_advance(void *context) { (void)context; return false; }

static const struct nic_program seen_program = { .name = "seen", .packet = seen_packet, .landed = seen_landed, .command = seen_command, .advance = seen_advance };
static struct seen seen;
static struct nic_job *job;

static void alone(void)
{
    seen = (struct seen){ 0 };
    job = model_job(1, false, NULL);
    seen.nic = loop_nic(job, 0, NIC_PROGRESS_AUTO, &seen_program, &seen);
}

static void alone_end(void)
{
    nic_close(seen.nic);
    nic_job_close(job);
}

static void wait_for_landed(void)
{
    struct nic_wait w = { 0 };
    while (!seen.landed_time)
        nic_wait_turn(seen.nic, &w);
}

START_TEST(time_of_commands)
{
    struct nic *n = seen.nic;

    ck_assert(nic_modelled(n) && nic_job_modelled(job));
    nic_enter(n);
    nic_submit(n, &(struct nic_command){ .op = 1, .arg = 1 });
    uint64_t written = cost(n, NIC_COST_CALL) + cost(n, NIC_COST_COMMAND);
    ck_assert_uint_eq(host(n), written);
    ck_assert_uint_eq(seen.commands, 0);
    while (!seen.commands)
        nic_wait_turn(n, &(struct nic_wait){ 0 });
    ck_assert_uint_eq(host(n), written + cost(n, NIC_COST_DOORBELL));
    ck_assert_uint_eq(seen.command_time, host(n) + cost(n, NIC_COST_EXECUTE));
    nic_leave(n);
}
END_TEST

/* A visit that does nothing costs nothing; each look costs, so that loops of them end. */
START_TEST(polling_advances)
{
    struct nic *n = seen.nic;

    nic_enter(n);
    nic_leave(n);
    ck_assert_uint_eq(host(n), 0);
    nic_submit(n, &(struct nic_command){ .op = 1, .arg = 1 });
    unsigned polls = 0;
    for (; !seen.commands; polls++) {
        nic_enter(n);
        nic_step(n);
        nic_leave(n);
    }
    ck_assert_uint_gt(polls, 0);
    uint64_t before = host(n);
    ck_assert_uint_eq(nic_time(n), before + cost(n, NIC_COST_TIME));
    nic_compute(n, 12345678);
    ck_assert_uint_eq(host(n), before + cost(n, NIC_COST_TIME) + 12345678);
}
END_TEST

START_TEST(time_of_a_packet)
{
    struct nic *n = seen.nic;
    struct nic_message m = { .type = 5, .match = 9, .data = loop_payload(3), .data_bytes = 10000 };

    nic_enter(n);
    nic_compute(n, 1000000);
    ck_assert_int_eq(nic_send(n, 0, &m), 0);
    uint64_t left = 1000000 + cost(n, NIC_COST_CALL) + cost(n, NIC_COST_SEND) + 10000 * 100;     /* the engine is slower than the wire */
    wait_for_landed();
    nic_leave(n);
    ck_assert_uint_eq(seen.packet_time, left + cost(n, NIC_COST_HOP));
    ck_assert_uint_eq(seen.landed_time, seen.packet_time + cost(n, NIC_COST_DISPATCH) + cost(n, NIC_COST_RECEIVE) + 10000 * 90);
    ck_assert(loop_is_payload(seen.data, 10000, 3));
    ck_assert_uint_eq(host(n), seen.landed_time);
}
END_TEST

/* All lengths come through whole, also where a key moves what is in the first line. */
START_TEST(lengths)
{
    unsigned char head[32];

    memset(head, 7, sizeof head);
    nic_enter(seen.nic);
    for (unsigned head_bytes = 0; head_bytes <= 32; head_bytes += 8)
        for (uint32_t bytes = 0; bytes <= NIC_MESSAGE_BYTES_MAX; bytes += bytes < 150 ? 1 : 541) {
            struct nic_message m = { .type = 5, .head = head, .head_bytes = (uint16_t)head_bytes, .data = loop_payload(bytes), .data_bytes = bytes };
            seen.landed_time = 0;
            must(nic_send(seen.nic, 0, &m) == 0);
            wait_for_landed();
            must(!memcmp(seen.data, head, head_bytes) && loop_is_payload(seen.data + head_bytes, bytes, bytes));
        }
    nic_leave(seen.nic);
    struct nic_message m = { .type = 5, .head = head, .head_bytes = 40 };
    ck_assert_int_eq(loop_send(seen.nic, 0, &m), -EMSGSIZE);
}
END_TEST

START_TEST(timers)
{
    struct nic *n = seen.nic;

    nic_enter(n);
    ck_assert_int_eq(nic_timer(n, 3000000, &(struct nic_command){ .op = 1, .arg = 3 }), 0);
    ck_assert_int_eq(nic_timer(n, 1000000, &(struct nic_command){ .op = 1, .arg = 1 }), 0);
    ck_assert_int_eq(nic_timer(n, 2000000, &(struct nic_command){ .op = 1, .arg = 2 }), 0);
    while (seen.commands < 3)
        nic_wait_turn(n, &(struct nic_wait){ 0 });
    nic_leave(n);
    ck_assert_uint_eq(seen.order, 123);
    ck_assert_uint_eq(host(n), 3000000);
}
END_TEST

static void note_call(void *argument) { *(uint64_t *)argument = seen.nic->clock->now + seen.commands; }

/* A call comes after the commands before it, and the host waits for the answer. */
START_TEST(calls_are_in_order)
{
    struct nic *n = seen.nic;
    uint64_t called = 0;

    nic_enter(n);
    nic_submit(n, &(struct nic_command){ .op = 1, .arg = 1 });
    nic_call(n, note_call, &called);
    nic_leave(n);
    ck_assert_uint_eq(seen.commands, 1);
    ck_assert_uint_eq(called, seen.command_time + cost(n, NIC_COST_EXECUTE) + 1);
    ck_assert_uint_eq(host(n), called - 1 + cost(n, NIC_COST_CROSSING));
}
END_TEST

/* -- random programs */

struct party {
    struct nic *nic;
    struct nic_job *job;
    unsigned rank, ranks, ends, got;
    uint64_t state, sum;
    bool jitter;
    unsigned char data[LOOP_BYTES];
    struct nic_packet packet;
    int busy;
};

enum { TYPE_HOP = 1, TYPE_END = 2, OP_SEND = 1, OP_TIMER = 2, OP_LATER = 3, HOPS = 6 };

/* Real time that has nothing to do with virtual time. */
static void lose_time(const struct party *p)
{
    static _Atomic unsigned dice;
    if (!p->jitter)
        return;
    unsigned d = atomic_fetch_add(&dice, 7919) % 97;
    if (d < 10)
        sched_yield();
    else if (d == 10)
        nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
}

static void send_hop(struct party *p, unsigned hops)
{
    uint32_t bytes = loop_below(&p->state, 4) ? loop_below(&p->state, 100) : loop_below(&p->state, NIC_MESSAGE_BYTES_MAX);
    struct nic_message m = { .type = TYPE_HOP, .match = hops, .data = loop_payload(bytes), .data_bytes = bytes };
    must(nic_send(p->nic, loop_below(&p->state, p->ranks), &m) == 0);
}

static void party_deliver(struct party *p)
{
    const struct nic_packet *q = &p->packet;
    p->got++;
    p->sum = p->sum * 31 + q->time + q->length;
    p->state ^= q->time;
    if (q->type == TYPE_END) {
        p->ends++;
        return;
    }
    must(loop_is_payload(p->data, q->length, q->length));
    lose_time(p);
    if (q->match)
        send_hop(p, (unsigned)q->match - 1);
    switch (loop_below(&p->state, 8)) {
    case 0: nic_timer(p->nic, loop_below(&p->state, 1000000), &(struct nic_command){ .op = OP_TIMER }); break;
    case 1: nic_later(p->nic, &(struct nic_command){ .op = OP_LATER }); break;
    case 2:
        if (p->busy < 5)
            nic_active(p->nic, 1), p->busy++;
        break;
    }
}

static void party_packet(void *context, const struct nic_packet *q)
{
    struct party *p = context;
    p->packet = *q;
    memcpy(p->data, q->head, q->head_bytes);
    if (q->length > q->head_bytes)
        nic_sink(p->nic, p->data + q->head_bytes, sizeof p->data, p);
    else
        party_deliver(p);
}

static void party_landed(void *context, void *cookie)
{
    must(context == cookie);
    party_deliver(context);
}

static void party_command(void *context, const struct nic_command *c)
{
    struct party *p = context;
    lose_time(p);
    p->sum = p->sum * 31 + c->op;
    if (c->op == OP_SEND)
        send_hop(p, c->arg);
}

/* Requests under way: each takes some turns. */
static bool party_advance(void *context)
{
    struct party *p = context;
    p->sum = p->sum * 31 + 5;
    if (!p->busy || loop_below(&p->state, 3))
        return p->busy;
    p->busy--;
    nic_active(p->nic, -1);
    return true;
}

static const struct nic_program party_program = { .name = "party", .packet = party_packet, .landed = party_landed, .command = party_command,
                                                  .advance = party_advance };

static void call_inside(void *argument)
{
    struct party *p = argument;
    p->sum = p->sum * 31 + p->got;
}

static void one_action(struct party *p)
{
    struct nic *n = p->nic;
    struct nic_wait w = { 0 };
    unsigned got = p->got;

    switch (loop_below(&p->state, 7)) {
    case 0: case 1:
        nic_submit(n, &(struct nic_command){ .op = OP_SEND, .arg = loop_below(&p->state, HOPS) });
        break;
    case 2:
        nic_compute(n, loop_below(&p->state, 3000000));
        break;
    case 3:
        nic_enter(n);
        nic_step(n);
        p->sum = p->sum * 31 + p->got;
        nic_leave(n);
        break;
    case 4:     /* waits for a packet, which it makes sure will come */
        nic_enter(n);
        must(nic_send(n, p->rank, &(struct nic_message){ .type = TYPE_HOP, .data_bytes = 0 }) == 0);
        while (p->got == got)
            nic_wait_turn(n, &w);
        nic_leave(n);
        break;
    case 5:
        nic_enter(n);
        nic_call(n, call_inside, p);
        nic_leave(n);
        break;
    default:
        p->sum = p->sum * 31 + nic_time(n);
    }
}

static void *party_main(void *argument)
{
    struct party *p = argument;
    struct nic_wait w = { 0 };

    p->nic = loop_nic(p->job, p->rank, NIC_PROGRESS_AUTO, &party_program, p);
    for (unsigned i = 0; i < (LOOP_SANITIZED ? 60u : 200u); i++) {
        lose_time(p);
        one_action(p);
    }
    nic_enter(p->nic);
    for (unsigned r = 0; r < p->ranks; r++)
        must(nic_send(p->nic, r, &(struct nic_message){ .type = TYPE_END }) == 0);
    while (p->ends < p->ranks)
        nic_wait_turn(p->nic, &w);
    nic_active(p->nic, -p->busy);
    nic_leave(p->nic);
    lose_time(p);
    nic_close(p->nic);
    return NULL;
}

struct came { struct nic_model_result result; uint64_t sum; };

static struct came run_party(uint64_t seed, unsigned ranks, bool serial, bool jitter, const char *log)
{
    struct nic_job *j = model_job(ranks, serial, log);
    struct party *p = calloc(ranks, sizeof *p);
    pthread_t thread[RANKS_MOST];
    struct came came = { .sum = 0 };

    must(p);
    for (unsigned r = 0; r < ranks; r++) {
        p[r] = (struct party){ .job = j, .rank = r, .ranks = ranks, .state = seed * 77 + r * 1001 + 1, .jitter = jitter };
        must(pthread_create(&thread[r], NULL, party_main, &p[r]) == 0);
    }
    for (unsigned r = 0; r < ranks; r++) {
        must(pthread_join(thread[r], NULL) == 0);
        came.sum = came.sum * 1000003 + p[r].sum;
    }
    must(nic_job_model_result(j, &came.result));
    nic_job_close(j);
    free(p);
    return came;
}

static void expect_same(uint64_t seed, const struct came *a, const struct came *b)
{
    if (a->sum != b->sum || a->result.hash != b->result.hash || a->result.events != b->result.events || a->result.time != b->result.time)
        ck_abort_msg("seed %lu: %lu events, hash %016lx; then %lu events, hash %016lx", (unsigned long)seed, (unsigned long)a->result.events,
                     (unsigned long)a->result.hash, (unsigned long)b->result.events, (unsigned long)b->result.hash);
}

START_TEST(random_programs)
{
    unsigned rounds = LOOP_SANITIZED ? 4 : 12;

    for (unsigned i = 0; i < rounds; i++) {
        uint64_t seed = 1000 + i;
        unsigned ranks = 1 + (unsigned)(seed * 2654435761u >> 7) % RANKS_MOST;
        printf("seed %lu, %u ranks\n", (unsigned long)seed, ranks);
        struct came parallel = run_party(seed, ranks, false, false, NULL), serial = run_party(seed, ranks, true, false, NULL);
        struct came shaken = run_party(seed, ranks, false, true, NULL), shaken_serial = run_party(seed, ranks, true, true, NULL);
        must(parallel.result.events > 100);
        expect_same(seed, &parallel, &serial);
        expect_same(seed, &parallel, &shaken);
        expect_same(seed, &parallel, &shaken_serial);
    }
}
END_TEST

/* Other programs do other things: the hash can tell. */
START_TEST(hashes_differ)
{
    struct came a = run_party(1, 3, false, false, NULL), b = run_party(2, 3, false, false, NULL);

    ck_assert(a.result.hash != b.result.hash);
}
END_TEST

START_TEST(logs)
{
    char name[] = "/tmp/nicemu-log-XXXXXX", line[200];
    unsigned long long last = 0, lines = 0;
    int fd = mkstemp(name);

    must(fd >= 0);
    close(fd);
    struct came without = run_party(5, 4, false, false, NULL), with = run_party(5, 4, false, false, name);
    expect_same(5, &without, &with);
    ck_assert_int_eq(nic_model_log_merge(name, 4), 0);
    FILE *f = fopen(name, "r");
    must(f);
    while (fgets(line, sizeof line, f)) {
        unsigned long long time;
        if (*line == '#')
            continue;
        must(sscanf(line, "%llu", &time) == 1 && time >= last);
        last = time;
        lines++;
    }
    fclose(f);
    unlink(name);
    ck_assert_uint_eq(lines, with.result.events);
}
END_TEST

/* Nothing is lost where far more is sent than a ring holds, to a rank that does not look. */
static void *flood_main(void *argument)
{
    struct party *p = argument;
    struct nic_wait w = { 0 };

    p->nic = loop_nic(p->job, p->rank, NIC_PROGRESS_AUTO, &party_program, p);
    nic_enter(p->nic);
    for (unsigned i = 0; i < 5000; i++)
        must(nic_send(p->nic, 1 - p->rank, &(struct nic_message){ .type = TYPE_HOP }) == 0);
    must(nic_send(p->nic, 1 - p->rank, &(struct nic_message){ .type = TYPE_END }) == 0);
    while (!p->ends)
        nic_wait_turn(p->nic, &w);
    nic_active(p->nic, -p->busy);
    nic_leave(p->nic);
    nic_close(p->nic);
    return NULL;
}

START_TEST(full_rings)
{
    struct party *p = calloc(2, sizeof *p);
    struct nic_job *j = model_job(2, false, NULL);
    pthread_t thread[2];

    must(p);
    for (unsigned r = 0; r < 2; r++) {
        p[r] = (struct party){ .job = j, .rank = r, .ranks = 2, .state = r + 1 };
        must(pthread_create(&thread[r], NULL, flood_main, &p[r]) == 0);
    }
    for (unsigned r = 0; r < 2; r++)
        must(pthread_join(thread[r], NULL) == 0);
    ck_assert_uint_eq(p[0].got, 5001);
    ck_assert_uint_eq(p[1].got, 5001);
    nic_job_close(j);
    free(p);
}
END_TEST

/* -- standstill, and ranks that never come */

static void *wait_for_ever(void *argument)
{
    struct party *p = argument;
    p->nic = loop_nic(p->job, p->rank, NIC_PROGRESS_AUTO, &party_program, p);
    nic_enter(p->nic);
    for (;;)
        nic_wait_turn(p->nic, &(struct nic_wait){ 0 });
    return NULL;
}

static void stand(void)
{
    static struct party p[3];
    struct nic_job *j = model_job(4, false, NULL);
    pthread_t thread;

    for (unsigned r = 0; r < 3; r++) {
        p[r] = (struct party){ .job = j, .rank = r, .ranks = 4, .state = r + 1 };
        must(pthread_create(&thread, NULL, wait_for_ever, &p[r]) == 0);
    }
    struct party last = { .job = j, .rank = 3, .ranks = 4, .state = 9 };
    last.nic = loop_nic(j, 3, NIC_PROGRESS_AUTO, &party_program, &last);
    nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
    must(!nic_job_stands(j));       /* the last one may still send */
    nic_close(last.nic);
    while (!nic_job_stands(j))
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

START_TEST(standstill)
{
    int status;
    pid_t child = fork();

    if (!child) {
        stand();
        _exit(0);
    }
    must(waitpid(child, &status, 0) == child);
    ck_assert_int_eq(status, 0);
}
END_TEST

START_TEST(absent_ranks)
{
    struct nic_job *j = model_job(2, false, NULL);
    struct nic_model_result result;

    nic_job_absent(j, 1);
    seen = (struct seen){ 0 };
    seen.nic = loop_nic(j, 0, NIC_PROGRESS_AUTO, &seen_program, &seen);
    nic_enter(seen.nic);
    must(nic_send(seen.nic, 1, &(struct nic_message){ .type = 5 }) == 0);      /* lost */
    nic_submit(seen.nic, &(struct nic_command){ .op = 1, .arg = 1 });
    while (!seen.commands)
        nic_wait_turn(seen.nic, &(struct nic_wait){ 0 });
    nic_leave(seen.nic);
    ck_assert(!nic_job_model_result(j, &result));
    nic_close(seen.nic);
    ck_assert(nic_job_model_result(j, &result));
    ck_assert_uint_eq(result.events, 1);
    nic_job_close(j);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model");
    TCase *parts = tcase_create("parts"), *times = tcase_create("times"), *jobs = tcase_create("jobs");

    tcase_add_test(parts, heap_order);
    tcase_add_test(parts, cache_least_recently_used);
    tcase_add_test(parts, cache_fully_associative);
    tcase_add_test(parts, sequences_wrap);
    tcase_add_test(parts, names);
    tcase_add_test(parts, horizons_parallel);
    tcase_add_test(parts, horizons_serial);
    tcase_add_test(parts, refused_configurations);
    suite_add_tcase(suite, parts);
    tcase_add_checked_fixture(times, alone, alone_end);
    tcase_add_test(times, time_of_commands);
    tcase_add_test(times, polling_advances);
    tcase_add_test(times, time_of_a_packet);
    tcase_add_test(times, lengths);
    tcase_add_test(times, timers);
    tcase_add_test(times, calls_are_in_order);
    suite_add_tcase(suite, times);
    tcase_add_test(jobs, random_programs);
    tcase_add_test(jobs, hashes_differ);
    tcase_add_test(jobs, logs);
    tcase_add_test(jobs, full_rings);
    tcase_add_test(jobs, standstill);
    tcase_add_test(jobs, absent_ranks);
    suite_add_tcase(suite, jobs);
    return loop_run(suite);
}
