/* The model clock: exact times of one rank, which sends to itself. */
#include <errno.h>
#include <pthread.h>
#include "model/state.h"
#include "modelled.h"

static uint64_t cost(const struct nic *n, enum nic_cost c) { return n->clock->cost[c]; }
static uint64_t host(const struct nic *n) { return n->clock->free_at[NIC_RES_HOST]; }

struct seen { struct nic *nic; unsigned commands, packets; uint64_t command_time, packet_time,
              landed_time, order; uint8_t flags; unsigned char data[20000]; };

static void seen_landed(struct nic *nic, void *context, void *cookie)
{
    (void)nic;
    struct seen *s = context;
    (void)cookie;
    s->packets++;
    nic_later(s->nic, &(struct nic_command){ .op = 7, .object = s });
}

static void seen_packet(struct nic *nic, void *context, const struct nic_packet *p)
{
    struct seen *s = context;
    s->packet_time = p->time;
    s->flags = p->flags;
    memcpy(s->data, p->head, p->head_bytes);
    if (p->length > p->head_bytes)
        nic_receive_body(s->nic, s->data + p->head_bytes, sizeof s->data, s);
    else
        seen_landed(nic, s, s);
}

static void seen_command(struct nic *nic, void *context, const struct nic_command *c)
{
    (void)nic;
    struct seen *s = context;
    if (c->op == 7) {
        s->landed_time = s->nic->clock->now;
    } else {
        s->commands++;
        s->command_time = s->nic->clock->now;
        s->order = s->order * 10 + c->arg;
    }
}

static bool seen_advance(struct nic *nic, void *context) { (void)nic, (void)context; return false; }

static const struct nic_program seen_program = { .name = "seen", .packet = seen_packet,
        .landed = seen_landed, .command = seen_command, .advance = seen_advance,
        .host_data = 1 << 6 };
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

/* A host that waits for what has happened long ago is no younger for it. */
START_TEST(no_way_back)
{
    struct nic *n = seen.nic;

    nic_enter(n);
    nic_submit(n, &(struct nic_command){ .op = 1, .arg = 1 });
    nic_leave(n);
    nic_compute(n, 1000000000);
    uint64_t before = host(n);
    nic_enter(n);
    while (!seen.commands)
        nic_wait_turn(n, &(struct nic_wait){ 0 });
    ck_assert_uint_ge(host(n), before);
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
    struct nic_tx m = { .type = 5, .match = 9, .data = loop_payload(3), .data_bytes = 10000 };

    nic_enter(n);
    nic_compute(n, 1000000);
    ck_assert_int_eq(nic_send(n, 0, &m), 0);
    /* the engine is slower than the wire */
    uint64_t left = 1000000 + cost(n, NIC_COST_CALL) + cost(n, NIC_COST_SEND) + 10000 * 100;
    wait_for_landed();
    nic_leave(n);
    ck_assert_uint_eq(seen.packet_time, left + cost(n, NIC_COST_HOP));
    ck_assert_uint_eq(seen.landed_time,
                      seen.packet_time + cost(n, NIC_COST_DISPATCH) + cost(n,
                              NIC_COST_RECEIVE) + 10000 * 90);
    ck_assert(loop_is_payload(seen.data, 10000, 3));
    ck_assert_uint_eq(host(n), seen.landed_time);
}
END_TEST

/* What is told without a packet carries the flags that a program may use. */
START_TEST(flags_of_what_is_stored)
{
    struct nic *n = seen.nic;
    struct nic_tx m = { .type = 5, .flags = 0x40 };

    nic_enter(n);
    ck_assert_int_eq(nic_store_notify(n, 0, &m), -EINVAL);
    m.flags = 0x3f;
    ck_assert_int_eq(nic_store_notify(n, 0, &m), 0);
    wait_for_landed();
    nic_leave(n);
    ck_assert_uint_eq(seen.packets, 1);
    ck_assert_uint_eq(seen.flags, 0x3f);
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
            struct nic_tx m = { .type = 5, .head = head, .head_bytes = (uint16_t)head_bytes,
                                     .data = loop_payload(bytes), .data_bytes = bytes };
            seen.landed_time = 0;
            must(nic_send(seen.nic, 0, &m) == 0);
            wait_for_landed();
            must(!memcmp(seen.data, head, head_bytes)
                 && loop_is_payload(seen.data + head_bytes, bytes, bytes));
        }
    nic_leave(seen.nic);
    struct nic_tx m = { .type = 5, .head = head, .head_bytes = 40 };
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

static void note_call(void *argument)
{
    *(uint64_t *)argument = seen.nic->clock->now + seen.commands;
}

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

START_TEST(absent_ranks)
{
    struct nic_job *j = model_job(2, false, NULL);
    struct nic_model_result result;

    nic_job_rank_ended(j, 1);
    seen = (struct seen){ 0 };
    seen.nic = loop_nic(j, 0, NIC_PROGRESS_AUTO, &seen_program, &seen);
    nic_enter(seen.nic);
    must(nic_send(seen.nic, 1, &(struct nic_tx){ .type = 5 }) == 0);      /* lost */
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

/* The NIC of a job of one rank, by a profile. */
static void open_by(const struct nic_profile *p, enum nic_progress progress)
{
    struct nic_model_config model = { .profile = p };
    struct nic_job_config config = { .ranks = 1, .cores = 1, .model = &model };

    seen = (struct seen){ 0 };
    must(nic_job_create(&config, &job) == 0);
    seen.nic = loop_nic(job, 0, progress, &seen_program, &seen);
}

/* Bytes that cross the bus into host memory take their time, though nothing else of it does. */
START_TEST(bytes_into_host_memory)
{
    struct nic_profile p = *test_profile();
    struct nic_tx m = { .type = 6, .data = loop_payload(3), .data_bytes = 6400 };
    uint64_t landed[2];

    p.bus.line_bytes = 64;
    for (unsigned i = 0; i < 2; i++) {
        p.bus.write_byte = i * 1000 * 1024;
        open_by(&p, NIC_PROGRESS_AUTO);
        nic_enter(seen.nic);
        must(nic_send(seen.nic, 0, &m) == 0);
        wait_for_landed();
        nic_leave(seen.nic);
        landed[i] = seen.landed_time;
        alone_end();
    }
    ck_assert_uint_eq(landed[1] - landed[0], 6400 * 1000);
}
END_TEST

/* A NIC that forwards tells its host of a long packet before all of it has come.  Whenever that is,
 * the rest takes the same time. */
static int on_host(struct nic *nic, void *context)
{
    (void)context;
    nic_host_runs_handlers(nic, true);
    return 0;
}

struct late { struct nic *nic; uint64_t start; };

static void *sends_late(void *argument)
{
    const struct late *l = argument;
    const struct nic_tx m = { .type = 6, .data = loop_payload(3), .data_bytes = 4000 };

    nic_compute(l->nic, l->start);
    nic_enter(l->nic);
    must(nic_send(l->nic, 1, &m) == 0);
    nic_leave(l->nic);
    nic_close(l->nic);
    return NULL;
}

/* How long a packet takes that leaves at `start`, until all of it is known to be there. */
static uint64_t announced_at(uint64_t start)
{
    struct nic_program program = seen_program;
    struct nic_profile p = *test_profile();
    struct nic_model_config model = { .profile = &p };
    struct nic_job_config config = { .ranks = 2, .cores = 1, .model = &model };
    struct seen other = { 0 };
    struct late late = { .start = start };
    pthread_t sender;

    p.completion.announce = 1000;
    p.link.cut_through = 1;
    p.link.byte = 50000 * 1024;         /* slower than all else */
    program.attach = on_host;
    seen = (struct seen){ 0 };
    must(nic_job_create(&config, &job) == 0);
    late.nic = loop_nic(job, 0, NIC_PROGRESS_AUTO, &program, &other);
    seen.nic = loop_nic(job, 1, NIC_PROGRESS_AUTO, &program, &seen);
    must(!pthread_create(&sender, NULL, sends_late, &late));
    nic_enter(seen.nic);
    wait_for_landed();
    nic_leave(seen.nic);
    must(!pthread_join(sender, NULL));
    must(loop_is_payload(seen.data, 4000, 3));
    ck_assert_uint_lt(seen.packet_time, seen.landed_time);
    alone_end();
    return seen.landed_time - start;
}

START_TEST(long_packets_late)
{
    const uint64_t took = announced_at(0);

    ck_assert_uint_gt(took, 4000 * UINT64_C(50000));
    ck_assert_uint_eq(announced_at(UINT64_C(20) << 32), took);
}
END_TEST

/* There is nothing for a thread to do where each event has its time. */
START_TEST(no_thread)
{
    open_by(test_profile(), NIC_PROGRESS_THREAD);
    ck_assert(!seen.nic->thread_started);
    ck_assert_int_eq(seen.nic->progress, NIC_PROGRESS_HOST);
    alone_end();
}
END_TEST

/* What a host does behind the last event is part of what its job came to. */
START_TEST(the_end_of_a_host_counts)
{
    struct nic_model_result result[3];

    for (unsigned i = 0; i < 3; i++) {
        open_by(test_profile(), NIC_PROGRESS_AUTO);
        nic_compute(seen.nic, i ? 2000 : 1000);
        nic_close(seen.nic);
        must(nic_job_model_result(job, &result[i]));
        nic_job_close(job);
    }
    ck_assert_uint_ne(result[0].hash, result[1].hash);
    ck_assert_uint_eq(result[1].hash, result[2].hash);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model");
    TCase *times = tcase_create("times"), *absent = tcase_create("absent");

    tcase_add_checked_fixture(times, alone, alone_end);
    tcase_add_test(times, time_of_commands);
    tcase_add_test(times, no_way_back);
    tcase_add_test(times, polling_advances);
    tcase_add_test(times, time_of_a_packet);
    tcase_add_test(times, flags_of_what_is_stored);
    tcase_add_test(times, lengths);
    tcase_add_test(times, timers);
    tcase_add_test(times, calls_are_in_order);
    suite_add_tcase(suite, times);
    tcase_add_test(absent, absent_ranks);
    tcase_add_test(absent, bytes_into_host_memory);
    tcase_add_test(absent, long_packets_late);
    tcase_add_test(absent, no_thread);
    tcase_add_test(absent, the_end_of_a_host_counts);
    suite_add_tcase(suite, absent);
    return loop_run(suite);
}
