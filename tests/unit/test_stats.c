/* The figures of a NIC: the list and its parts, and that each counts what it says. */
#include <errno.h>
#include <ctype.h>

#include "core/nic.h"
#include "ranks.h"

static unsigned char inbox[EAGER_MAX * 100];

/* The figure of that name, as the host reads it. */
static uint64_t figure(const struct nic *nic, const char *name)
{
    int index = nic_stat_find(nic, name);

    if (index < 0)
        ck_abort_msg("no figure %s", name);
    nic_enter((struct nic *)(uintptr_t)nic);
    uint64_t value = nic_stat_read(nic, (unsigned)index);
    nic_leave((struct nic *)(uintptr_t)nic);
    return value;
}

#define expect(nic, name, value) \
    do { \
        uint64_t is_ = figure(nic, name); \
        if (is_ != (uint64_t)(value)) \
            ck_abort_msg("line %d: %s is %llu, not %llu", __LINE__, name, \
                         (unsigned long long)is_, (unsigned long long)(value)); \
    } while (0)

/* -- the list */

static bool well_named(const char *name)
{
    for (const char *c = name; *c; c++)
        if (!islower((unsigned char)*c) && !isdigit((unsigned char)*c) && *c != '_')
            return false;
    return *name && isalpha((unsigned char)*name);
}

static void check_list(const struct nic *nic)
{
    unsigned count = nic_stat_count(nic);
    struct nic_stat_info info;

    for (unsigned i = 0; i < count; i++) {
        must(!nic_stat_info(nic, i, &info));
        must(well_named(info.name) && *info.unit && *info.text && info.kind <= NIC_STAT_HIGH_WATER);
        must(nic_stat_find(nic, info.name) == (int)i);      /* the first of that name is itself */
    }
    must(nic_stat_info(nic, count, &info) == -EINVAL);
    must(nic_stat_info(nic, UINT32_MAX, &info) == -EINVAL);
    must(nic_stat_find(nic, "no_such_figure") == -ENOENT);
}

START_TEST(list)
{
    struct nic_stat_info a, b;

    check_list(NULL);
    ranks_start(1);
    check_list(at[0].nic);
    ck_assert_uint_gt(nic_stat_count(at[0].nic), nic_stat_count(NULL));
    for (unsigned i = 0; i < nic_stat_count(NULL); i++) {
        must(!nic_stat_info(NULL, i, &a) && !nic_stat_info(at[0].nic, i, &b));
        ck_assert_str_eq(a.name, b.name);
    }
    nic_enter(at[0].nic);
    for (unsigned i = 0; i < nic_stat_count(at[0].nic); i++)
        ck_assert_uint_eq(nic_stat_read(at[0].nic, i), 0);
    ck_assert_uint_eq(nic_stat_read(at[0].nic, UINT32_MAX), 0);
    nic_leave(at[0].nic);
    ranks_end(0);
}
END_TEST

static uint64_t read_own(void *context, unsigned index) { return *(unsigned *)context + index; }

/* No name of a figure that there is can be registered again. */
static void all_are_taken(struct nic *n)
{
    struct nic_stat_info info;
    const struct nic_stat_table again = { &info, 1, read_own, NULL };
    for (unsigned i = 0; !nic_stat_info(n, i, &info); i++)
        ck_assert_int_eq(nic_stat_register(n, &again), -EEXIST);
}

START_TEST(registered)
{
    static const struct nic_stat_info mine[] = { { "mine_a", "things", NIC_STAT_LEVEL, "a" },
                                                 { "mine_b", "things", NIC_STAT_HIGH_WATER, "b" } };
    unsigned base = 40;
    struct nic_stat_table table = { mine, 2, read_own, &base };
    struct nic_stat_table more[NIC_STAT_TABLES_MAX];
    struct nic_stat_info more_info[NIC_STAT_TABLES_MAX];
    static const char *const names[] = { "c", "d", "e", "f" };
    struct loop l;

    loop_open(&l, 1);
    nic_enter(l.nic[0]);
    all_are_taken(l.nic[0]);
    ck_assert_uint_eq(nic_stat_count(l.nic[0]), nic_stat_count(NULL));
    ck_assert_int_eq(nic_stat_register(l.nic[0], &table), 0);
    all_are_taken(l.nic[0]);
    for (unsigned i = 0; i < NIC_STAT_TABLES_MAX; i++) {
        more_info[i] = (struct nic_stat_info){ names[i % 4], "x", NIC_STAT_COUNTER, "x" };
        more[i] = (struct nic_stat_table){ &more_info[i], 1, read_own, &base };
        ck_assert_int_eq(nic_stat_register(l.nic[0], &more[i]),
                         i + 1 < NIC_STAT_TABLES_MAX ? 0 : -ENOSPC);
    }
    nic_leave(l.nic[0]);
    check_list(l.nic[0]);
    expect(l.nic[0], "mine_a", 40);
    base = 50;
    expect(l.nic[0], "mine_b", 51);
    expect(l.nic[0], "d", 50);
    loop_close(&l);
}
END_TEST

START_TEST(log2_classes)
{
    static const struct { uint64_t number; unsigned class; } cases[] = { { 0, 0 }, { 1, 1 },
            { 2, 2 }, { 3, 2 }, { 4, 3 }, { 7, 3 }, { 8, 4 },
                                                                         { 16383, 14 },
                                                                         { 16384, 15 },
                                                                         { UINT64_MAX, 15 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_uint_eq(nic_stat_log2_class(cases[i].number, 15), cases[i].class);
}
END_TEST

/* -- hardware */

static uint64_t lines_of(uint64_t bytes)      /* in one chunk */
{
    return bytes <= 48 ? 1 : 1 + (bytes - 48 + 63) / 64;
}

START_TEST(packets)
{
    static const uint32_t sizes[] = { 0, 1, 48, 49, 112, 113, 1000, 4144 };
    uint64_t bytes = 0, lines = 0, count = sizeof sizes / sizeof *sizes;
    uint64_t head[4] = { 0 };
    struct loop l;

    loop_open(&l, 2);
    for (unsigned i = 0; i < count; i++) {
        struct nic_tx m = { .type = 1, .data = loop_payload(i), .data_bytes = sizes[i] };
        must(!loop_send(l.nic[0], 1, &m));
        bytes += sizes[i];
        lines += lines_of(sizes[i]);
    }
    struct nic_tx headed = { .type = 1, .head = head, .head_bytes = 32,
                                  .data = loop_payload(0), .data_bytes = 20 };
    must(!loop_send(l.nic[0], 1, &headed));
    bytes += 52, lines += 2, count++;
    expect(l.nic[0], "packets_sent", count);
    expect(l.nic[0], "sends_short", 0);
    expect(l.nic[0], "bytes_sent", bytes);
    expect(l.nic[0], "lines_sent", lines);
    expect(l.nic[1], "packets_received", 0);
    loop_drain(l.nic[1]);
    expect(l.nic[1], "packets_received", count);
    expect(l.nic[1], "bytes_received", bytes);
    expect(l.nic[1], "lines_received", lines);
    expect(l.nic[1], "packets_sent", 0);
    expect(l.nic[0], "packets_received", 0);
    loop_close(&l);
}
END_TEST

/* The short ways count once, in both of their figures, whether one chunk or several. */
START_TEST(short_ways)
{
    static const uint32_t sizes[] = { 0, 8, 48, 49, 4144, 4145, 10000 };
    uint64_t bytes = 0, count = sizeof sizes / sizeof *sizes;
    struct nic_received taken;
    struct loop l;

    loop_open(&l, 2);
    for (unsigned i = 0; i < count; i++) {
        must(nic_send_now(l.nic[0], 1, 1, 77, loop_payload(i), sizes[i]));
        nic_enter(l.nic[1]);
        /* not what it waits for */
        must(!nic_try_receive(l.nic[1], 1, 78, 0, inbox, sizeof inbox, &taken));
        must(nic_try_receive(l.nic[1], 1, 77, 0, inbox, sizeof inbox, &taken));
        nic_leave(l.nic[1]);
        must(taken.length == sizes[i] && loop_is_payload(inbox, sizes[i], i));
        bytes += sizes[i];
    }
    expect(l.nic[0], "packets_sent", count);
    expect(l.nic[0], "sends_short", count);
    expect(l.nic[0], "bytes_sent", bytes);
    expect(l.nic[1], "packets_received", count);
    expect(l.nic[1], "receives_short", count);
    expect(l.nic[1], "bytes_received", bytes);
    ck_assert_uint_eq(figure(l.nic[0], "lines_sent"), figure(l.nic[1], "lines_received"));
    loop_close(&l);
}
END_TEST

START_TEST(full_inbox)
{
    struct nic_tx m = { .type = 1, .data = loop_payload(0), .data_bytes = 40 };
    uint64_t sent = 0;
    struct loop l;

    loop_open(&l, 2);
    while (!loop_send(l.nic[0], 1, &m))
        sent++;
    expect(l.nic[0], "inbox_full", 1);
    must(!nic_send_now(l.nic[0], 1, 1, 1, loop_payload(0), 40));
    must(!nic_send_now(l.nic[0], 1, 1, 1, loop_payload(0), 9000));
    expect(l.nic[0], "inbox_full", 3);
    expect(l.nic[0], "packets_sent", sent);
    expect(l.nic[0], "lines_sent", sent);
    loop_drain(l.nic[1]);
    expect(l.nic[1], "packets_received", sent);
    loop_close(&l);
}
END_TEST

/* A program that has room for the first 100 bytes of a packet only. */
static struct nic *cutting_nic;
static void cut(struct nic *nic, void *context, const struct nic_packet *p)
{
    (void)nic;
    if (p->length > p->head_bytes)
        nic_receive_body(cutting_nic, context, 100 - p->head_bytes, NULL);
}
static const struct nic_program cutter = { .name = "cutter", .packet = cut };

START_TEST(cut_bytes)
{
    struct nic_tx m = { .type = 1, .data = loop_payload(0), .data_bytes = 6000 };
    struct nic_job *j = loop_job(1);

    cutting_nic = loop_nic(j, 0, NIC_PROGRESS_HOST, &cutter, inbox);
    must(!loop_send(cutting_nic, 0, &m));
    loop_drain(cutting_nic);
    expect(cutting_nic, "bytes_cut", 6000 - 100);
    expect(cutting_nic, "bytes_received", 6000);
    nic_close(cutting_nic);
    nic_job_close(j);
}
END_TEST

START_TEST(commands_turns_rdma)
{
    struct nic_command c = { .op = 9 };
    struct loop l;

    loop_open(&l, 2);
    for (int i = 0; i < 5; i++)
        nic_submit(l.nic[0], &c);
    nic_enter(l.nic[0]);
    nic_submit(l.nic[1], &c);
    for (int i = 0; i < 3; i++)
        nic_step(l.nic[0]);
    must(!nic_rdma_read(l.nic[0], 1, (uint64_t)(uintptr_t)loop_payload(1), inbox, 1000));
    must(!nic_rdma_write(l.nic[0], 1, loop_payload(2), (uint64_t)(uintptr_t)inbox, 500));
    nic_leave(l.nic[0]);
    expect(l.nic[0], "commands", 5);
    expect(l.nic[0], "commands_queued", 0);
    expect(l.nic[1], "commands", 1);
    expect(l.nic[0], "turns", 3);
    expect(l.nic[0], "turns_thread", 0);
    expect(l.nic[0], "rdma_reads", 1);
    expect(l.nic[0], "rdma_writes", 1);
    expect(l.nic[0], "rdma_failures", 0);
    expect(l.nic[0], "bytes_direct", 1500);
    expect(l.nic[0], "bytes_kernel_read", 0);
    loop_close(&l);
}
END_TEST

/* Two hosts of one process: a command that finds the baton taken goes through the ring. */
START_TEST(queued_command)
{
    struct nic_command c = { .op = 9 };
    struct loop l;

    loop_open(&l, 1);
    nic_enter(l.nic[0]);
    nic_share(l.nic[0]);
    nic_submit(l.nic[0], &c);       /* as another thread would find it */
    nic_leave(l.nic[0]);
    expect(l.nic[0], "commands", 1);
    expect(l.nic[0], "commands_queued", 1);
    loop_close(&l);
}
END_TEST

/* What units of the hardware count for themselves, each under its name. */
START_TEST(units)
{
    struct loop l;
    loop_open(&l, 1);
    struct nic_counts *c = &l.nic[0]->counts;
    *c = (struct nic_counts){ .transfers = 1, .transfer_errors = 2, .hw_sent = 3, .hw_received = 4,
                              .hw_waited = 5, .hw_dropped = 6, .atomic_repeats = 7,
                              .trigger_failures = 8 };
    c->path_bytes[NIC_PATH_DIRECT] = 100;
    c->path_bytes[NIC_PATH_STAGED] = 200;
    expect(l.nic[0], "transfers", 1);
    expect(l.nic[0], "transfer_failures", 2);
    expect(l.nic[0], "hardware_sent", 3);
    expect(l.nic[0], "hardware_received", 4);
    expect(l.nic[0], "hardware_delayed", 5);
    expect(l.nic[0], "hardware_dropped", 6);
    expect(l.nic[0], "atomic_repeats", 7);
    expect(l.nic[0], "trigger_failures", 8);
    expect(l.nic[0], "bytes_direct", 100);
    expect(l.nic[0], "bytes_in_packets", 200);
    loop_close(&l);
}
END_TEST

/* Most of the scratchpad that each use has had, of the heap, and what was refused. */
START_TEST(memory)
{
    static const char *const names[] = {
        "scratchpad_buffers", "scratchpad_claims", "scratchpad_counters", "scratchpad_queues",
        "scratchpad_slots", "scratchpad_atomics", "scratchpad_registrations", "scratchpad_user",
    };
    static_assert(sizeof names / sizeof *names == NIC_SPAD_USE_COUNT, "all uses");
    struct loop l;
    loop_open(&l, 1);
    struct nic *n = l.nic[0];
    nic_enter(n);
    for (unsigned use = 0; use < NIC_SPAD_USE_COUNT; use++) {
        uint64_t at = nic_spad_alloc(n, (enum nic_spad_use)use, 64 * (use + 1), 64);
        must(at != NIC_SPAD_NONE);
        nic_spad_free(n, at);
        must(nic_spad_alloc(n, (enum nic_spad_use)use, 1, 64) != NIC_SPAD_NONE);
    }
    for (unsigned i = 0; i < 3; i++)
        must(nic_spad_alloc(n, i ? NIC_SPAD_COUNTERS : NIC_SPAD_USER, NIC_SCRATCHPAD_MAX, 64)
             == NIC_SPAD_NONE);
    uint64_t block = nic_heap_alloc(n, 1 << 20, 64);
    must(nic_heap_free(n, block) && nic_heap_alloc(n, 4096, 64) != NIC_HEAP_NONE);
    must(nic_heap_alloc(n, NIC_HEAP_MAX, 64) == NIC_HEAP_NONE);
    must(nic_heap_alloc(n, NIC_HEAP_MAX, 64) == NIC_HEAP_NONE);
    nic_leave(n);
    for (unsigned use = 0; use < NIC_SPAD_USE_COUNT; use++)
        expect(n, names[use], 64 * (use + 1));
    expect(n, "scratchpad_refusals", 3);
    expect(n, "heap", 1 << 20);
    expect(n, "heap_refusals", 2);
    loop_close(&l);
}
END_TEST

/* -- firmware */

START_TEST(queues_and_depths)
{
    struct fw_req *recv[10];

    ranks_start(2);
    for (unsigned i = 0; i < 10; i++)
        recv[i] = start_recv(1, 0, (int)i, inbox + i * 100, 100);
    expect(at[1].nic, "posted_queue", 10);
    for (unsigned i = 0; i < 10; i++)
        finish_send(0, start_send(0, 1, 9 - i, loop_payload(9 - i), 60));
    for (unsigned i = 0; i < 10; i++)
        finish_recv(1, recv[i], 100, 0, i, loop_payload(i), 60);
    expect(at[0].nic, "eager_sent", 10);
    expect(at[1].nic, "posted_queue", 0);
    expect(at[1].nic, "posted_queue_max", 10);
    expect(at[1].nic, "unexpected_messages", 0);
    expect(at[1].nic, "unexpected_depth_0", 10);        /* receives found no message waiting */
    expect(at[1].nic, "posted_depth_8", 3);             /* arrivals met 10, 9, 8 */
    expect(at[1].nic, "posted_depth_4", 4);
    expect(at[1].nic, "posted_depth_2", 2);
    expect(at[1].nic, "posted_depth_1", 1);
    expect(at[1].nic, "posted_depth_0", 0);
    expect(at[1].nic, "matches", 10);                   /* by the arrivals */
    expect(at[1].nic, "misses", 10);                    /* by the receives */

    for (unsigned i = 0; i < 3; i++)
        finish_send(0, start_send(0, 1, i, loop_payload(i), i ? 200 : 40));
    settle();
    expect(at[1].nic, "unexpected_messages", 3);
    expect(at[1].nic, "unexpected_queue", 3);
    expect(at[1].nic, "unexpected_bytes", 440);
    expect(at[1].nic, "posted_depth_0", 3);
    expect(at[1].nic, "matches", 10);
    expect(at[1].nic, "misses", 13);
    for (unsigned i = 0; i < 3; i++)
        finish_recv(1, start_recv(1, 0, (int)i, inbox, 200), 200, 0, i, loop_payload(i),
                    i ? 200 : 40);
    expect(at[1].nic, "unexpected_queue", 0);
    expect(at[1].nic, "matches", 13);
    expect(at[1].nic, "misses", 13);
    expect(at[1].nic, "unexpected_queue_max", 3);
    expect(at[1].nic, "unexpected_bytes", 0);
    expect(at[1].nic, "unexpected_bytes_max", 440);
    expect(at[1].nic, "unexpected_depth_2", 2);
    expect(at[1].nic, "unexpected_depth_1", 1);
    ranks_end(0);
}
END_TEST

START_TEST(outcomes)
{
    ranks_start(2);
    struct fw_req *recv = start_recv(1, 0, 1, inbox, 10);
    finish_send(0, start_send(0, 1, 1, loop_payload(1), 500));
    finish_recv(1, recv, 10, 0, 1, loop_payload(1), 500);
    expect(at[1].nic, "truncations", 1);
    expect(at[1].nic, "bytes_cut", 500 - 48);           /* what lies behind the header line */

    recv = start_recv(1, 0, 2, inbox, 10);
    nic_enter(at[1].nic);
    must(mpi_fw_cancel(at[1].fw, recv) && !mpi_fw_cancel(at[1].fw, recv));
    nic_leave(at[1].nic);
    free_request(1, recv);
    expect(at[1].nic, "cancels", 1);

    struct fw_req *send = start_send_as(0, 1, 3, loop_payload(3), 30, true);
    finish_recv(1, start_recv(1, 0, 3, inbox, 30), 30, 0, 3, loop_payload(3), 30);
    finish_send(0, send);
    expect(at[0].nic, "sync_sent", 1);
    expect(at[0].nic, "eager_sent", 2);

    struct nic_tx unknown = { .type = 100 },
        nobody = { .type = FW_PACKET_ACK, .match = 12345 }, torn = { .type = FW_PACKET_RTS };
    must(!loop_send(at[0].nic, 1, &unknown) && !loop_send(at[0].nic, 1, &nobody)
         && !loop_send(at[0].nic, 1, &torn));
    settle();
    expect(at[1].nic, "strays_type", 1);
    expect(at[1].nic, "strays_request", 1);
    expect(at[1].nic, "strays_malformed", 1);
    ranks_end(3);
}
END_TEST

static const struct { const char *protocol, *rdma, *name; } ways[] = {
    { "get", NULL, "rendezvous_get" }, { "put", NULL, "rendezvous_put" },
    { "both", NULL, "rendezvous_both_ends" },
    { "staged", NULL, "rendezvous_staged" }, { NULL, "staged", "rendezvous_staged" },
};

START_TEST(rendezvous)
{
    enum { BYTES = EAGER_MAX * 80 };

    ranks_open_as(2, NIC_PROGRESS_HOST, ways[_i].protocol, ways[_i].rdma);
    bool staged = !strcmp(ways[_i].name, "rendezvous_staged");
    static unsigned char data[BYTES];
    for (size_t i = 0; i < BYTES; i++)
        data[i] = (unsigned char)(i * 31);
    struct fw_req *send = start_send(0, 1, 4, data, BYTES);
    finish_recv(1, start_recv(1, 0, 4, inbox, BYTES), BYTES, 0, 4, data, BYTES);
    finish_send(0, send);
    expect(at[0].nic, "rendezvous_sent", 1);
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
        expect(at[1].nic, ways[w].name, !strcmp(ways[w].name, ways[_i].name));
    expect(at[0].nic, "bytes_staged", staged ? BYTES : 0);
    ck_assert_uint_eq(figure(at[0].nic, "bytes_direct") + figure(at[1].nic, "bytes_direct"),
                      staged ? 0 : BYTES);
    expect(at[1].nic, "copy_failures", 0);
    ranks_end(0);
}
END_TEST

/* Packets that found no room: queued, tried again, and gone in the end. */
START_TEST(send_queue)
{
    enum { MANY = 4000 };
    static struct fw_req *send[MANY];

    ranks_start(2);
    for (unsigned i = 0; i < MANY; i++)
        send[i] = start_send(0, 1, 1, loop_payload(1), 40);
    uint64_t delayed = figure(at[0].nic, "sends_delayed");
    ck_assert_uint_gt(delayed, 0);
    ck_assert_uint_lt(delayed, MANY);
    expect(at[0].nic, "send_queue", delayed);
    step(0);
    ck_assert_uint_gt(figure(at[0].nic, "send_retries"), 0);
    for (unsigned i = 0; i < MANY; i++)
        finish_recv(1, start_recv(1, 0, 1, inbox, 40), 40, 0, 1, loop_payload(1), 40);
    for (unsigned i = 0; i < MANY; i++)
        finish_send(0, send[i]);
    expect(at[0].nic, "send_queue", 0);
    expect(at[0].nic, "send_queue_max", delayed);
    expect(at[0].nic, "sends_delayed", delayed);
    expect(at[0].nic, "eager_sent", MANY);
    expect(at[0].nic, "packets_sent", MANY);
    ranks_end(0);
}
END_TEST

/* What went the short ways shows in the firmware's figures too. */
START_TEST(short_ways_in_firmware)
{
    struct nic_received taken;

    ranks_start(2);
    uint64_t match = match_of(0, 1);
    must(fw_send_short(at[0].nic, 1, match, loop_payload(1), 20));
    must(fw_recv_short(at[1].fw, at[1].nic, match, 0, inbox, 100, &taken));
    expect(at[0].nic, "eager_sent", 1);
    expect(at[1].nic, "posted_depth_1", 1);
    expect(at[1].nic, "unexpected_depth_0", 1);
    ranks_end(0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("stats");
    TCase *tcase = tcase_create("stats");

    tcase_add_test(tcase, list);
    tcase_add_test(tcase, registered);
    tcase_add_test(tcase, log2_classes);
    tcase_add_test(tcase, packets);
    tcase_add_test(tcase, short_ways);
    tcase_add_test(tcase, full_inbox);
    tcase_add_test(tcase, cut_bytes);
    tcase_add_test(tcase, commands_turns_rdma);
    tcase_add_test(tcase, queued_command);
    tcase_add_test(tcase, units);
    tcase_add_test(tcase, memory);
    tcase_add_test(tcase, queues_and_depths);
    tcase_add_test(tcase, outcomes);
    tcase_add_loop_test(tcase, rendezvous, 0, sizeof ways / sizeof *ways);
    tcase_add_test(tcase, send_queue);
    tcase_add_test(tcase, short_ways_in_firmware);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
