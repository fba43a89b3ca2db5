/* Packets for the firmware that make no sense: for requests that do not exist, have ended or wait
 * for something else. */
#include "ranks.h"

static unsigned char inbox[1][LOOP_BYTES];

static void send_packet(uint8_t type, uint64_t match, const void *data, uint32_t bytes)
{
    struct nic_tx m = { .type = type, .match = match, .data = data, .data_bytes = bytes };

    must(!loop_send(at[0].nic, 1, &m));
    while (step(1))
        ;
}

/* Control packets for requests that do not exist, at any length: counted, and nothing happens. */
START_TEST(strays)
{
    uint64_t random = 31, sent = 0;

    ranks_start(2);
    struct fw_req *recv = start_recv(1, 0, 1, inbox[0], 100),
        *send = start_send_as(1, 0, 2, loop_payload(2), 100, true);
    settle();
    for (unsigned i = 0; i < 20000; i++) {
        uint8_t type = (uint8_t)(FW_PACKET_ACK + loop_below(&random,
                                                            FW_PACKET_COUNT - FW_PACKET_ACK));
        uint64_t id = i % 3 ? loop_random(&random) | UINT64_C(1) << 40
                      : UINT64_C(1000000) + loop_below(&random, 1000000);
        send_packet(type, id, loop_payload(i), loop_below(&random, 3) ? loop_below(&random, 80)
                    : loop_below(&random, 5000));
        sent++;
    }
    for (unsigned type = 0; type < NIC_HW_FIRST; type++)    /* types that do not exist */
        if (!type || type >= FW_PACKET_COUNT) {
            send_packet((uint8_t)type, 0, loop_payload(type), type * 9);
            sent++;
        }
    ck_assert(!fw_req_done(recv) && !fw_req_done(send));
    ck_assert_uint_eq(fw_posted_count(at[1].fw), 1);
    ck_assert_uint_eq(fw_unexpected_count(at[1].fw), 0);
    ck_assert_uint_eq(fw_strays(at[1].fw), sent);
    finish_send(0, start_send(0, 1, 1, loop_payload(1), 100));
    finish_recv(1, recv, 100, 0, 1, loop_payload(1), 100);
    finish_recv(0, start_recv(0, 1, 2, inbox[0], 100), 100, 1, 2, loop_payload(2), 100);
    finish_send(1, send);
    ranks_end(sent);
}
END_TEST

/* Ids of requests that exist, but are of the other kind, have ended, or wait for something else;
 * and envelopes that are too short or name no rank. */
START_TEST(strays_for_live_requests)
{
    static const uint64_t zeros[8];
    uint64_t sent = 0;

    ranks_start(2);
    struct fw_req *recv = start_recv(1, 0, 1, inbox[0], 100),
        *send = start_send_as(1, 0, 2, loop_payload(2), 100, true);
    struct fw_req *ended = start_send(1, 0, 3, loop_payload(3), 10);
    settle();
    const struct { uint8_t type; uint64_t id; uint32_t bytes; } packets[] = {
        { FW_PACKET_ACK, fw_req_id(recv), 0 }, { FW_PACKET_ACK, fw_req_id(ended), 0 },
        { FW_PACKET_CTS, fw_req_id(recv), sizeof(struct fw_cts) },
        { FW_PACKET_CTS, fw_req_id(send), 5 },
        { FW_PACKET_CTS, fw_req_id(send), sizeof(struct fw_cts) },
        { FW_PACKET_FIN, fw_req_id(send), 8 }, { FW_PACKET_FIN, fw_req_id(recv), 8 },
        { FW_PACKET_DATA, fw_req_id(send), sizeof(struct fw_data) },
        { FW_PACKET_DATA, fw_req_id(recv), 15 },
        { FW_PACKET_DATA, fw_req_id(recv), sizeof(struct fw_data) },
        { FW_PACKET_DONE, fw_req_id(send), 16 }, { FW_PACKET_DONE, fw_req_id(recv), 16 },
        { FW_PACKET_FIN, fw_req_id(recv), 7 }, { FW_PACKET_FIN, fw_req_id(send), 9 },
        { FW_PACKET_FIN, fw_req_id(ended), 8 },
        { FW_PACKET_CREDIT, 0, 0 }, { FW_PACKET_CREDIT, UINT64_MAX, 0 },
        { FW_PACKET_SYNC, match_of(0, 1), 8 }, { FW_PACKET_SYNC, match_of(0, 1), 0 },
        { FW_PACKET_RTS, match_of(0, 1), 31 }, { FW_PACKET_RTS, match_of(0, 1), 33 },
        { FW_PACKET_RTS, match_of(0, 1), 0 },
    };
    for (unsigned i = 0; i < sizeof packets / sizeof *packets; i++) {
        send_packet(packets[i].type, packets[i].id, zeros, packets[i].bytes);
        if (fw_strays(at[1].fw) != ++sent)
            ck_abort_msg("packet %u of the list is not counted as a stray", i);
    }
    struct fw_origin origin = { .source = 2 };
    struct fw_rts rts = { .source = UINT16_MAX, .bytes = 1000000 };
    send_packet(FW_PACKET_SYNC, match_of(0, 1), &origin, sizeof origin);
    send_packet(FW_PACKET_RTS, match_of(0, 1), &rts, sizeof rts);
    rts.source = 1;         /* the receiver itself, which has no such send */
    rts.request = fw_req_id(send);
    send_packet(FW_PACKET_RTS, match_of(0, 1), &rts, sizeof rts);
    ck_assert_uint_eq(fw_strays(at[1].fw), sent + 3);
    ck_assert(!fw_req_done(recv) && !fw_req_done(send));
    finish_send(0, start_send(0, 1, 1, loop_payload(1), 100));
    finish_recv(1, recv, 100, 0, 1, loop_payload(1), 100);
    finish_recv(0, start_recv(0, 1, 2, inbox[0], 100), 100, 1, 2, loop_payload(2), 100);
    finish_recv(0, start_recv(0, 1, 3, inbox[0], 100), 100, 1, 3, loop_payload(3), 10);
    finish_send(1, send);
    free_request(1, ended);
    ranks_end(sent + 3);
}
END_TEST

/* A receiver cannot have more of a message than there is, by whatever protocol. */
START_TEST(cleared_for_more)
{
    enum { BYTES = 5000 };
    static unsigned char in[BYTES];

    ranks_start(2);
    struct fw_req *send = start_send(1, 0, 4, loop_payload(4), BYTES);
    settle();
    for (uint32_t i = 0; i < FW_PROTOCOL_COUNT; i++) {
        struct fw_cts cts = { .request = 1, .bytes = BYTES + 1, .protocol = i };
        send_packet(FW_PACKET_CTS, fw_req_id(send), &cts, sizeof cts);
        ck_assert_uint_eq(fw_strays(at[1].fw), i + 1);
    }
    finish_recv(0, start_recv(0, 1, 4, in, BYTES), BYTES, 1, 4, loop_payload(4), BYTES);
    finish_send(1, send);
    ranks_end(FW_PROTOCOL_COUNT);
}
END_TEST

/* A buffer comes back once, and a send that waits for one is ended by nobody else. */
START_TEST(strays_for_staging_buffers)
{
    enum { SENDS = 3, BYTES = 200000 };
    static unsigned char data[BYTES];
    struct fw_req *send[SENDS];
    struct nic_tx fin = { .type = FW_PACKET_FIN, .data = (uint64_t[]){ 0 }, .data_bytes = 8 };
    uint64_t strays = 0;

    ranks_open_as(2, NIC_PROGRESS_HOST, NULL, "buffers");
    static unsigned char in[SENDS][BYTES];
    struct fw_req *recv[SENDS];
    for (unsigned i = 0; i < SENDS; i++) {
        recv[i] = start_recv(0, 1, (int)i, in[i], BYTES);
        send[i] = start_send(1, 0, i, data, BYTES);
    }
    while (step(0))     /* all are matched and cleared */
        ;
    while (step(1))     /* and out of buffers */
        ;
    ck_assert_ptr_nonnull(at[1].fw->waiting_for_buffer.first);
    ck_assert(fw_req_done(send[0]) && !fw_req_done(send[1]) && !fw_req_done(send[2]));
    for (unsigned i = 0; i < SENDS; i++) {
        fin.match = fw_req_id(send[i]);
        ck_assert_int_eq(loop_send(at[0].nic, 1, &fin), 0);
        strays++;
    }
    while (step(1))
        ;
    ck_assert_uint_eq(fw_strays(at[1].fw), strays);
    ck_assert(!fw_req_done(send[1]) && !fw_req_done(send[2]));
    for (unsigned i = 0; i < SENDS; i++) {
        finish_recv(0, recv[i], BYTES, 1, i, data, BYTES);
        finish_send(1, send[i]);
    }
    settle();
    uint64_t first = at[1].fw->stage_area / FW_STAGE_UNIT,
        units = at[1].fw->stage_bytes / FW_STAGE_UNIT;
    for (unsigned i = 0; i < FW_STAGE_BUFFERS; i++)     /* all of them are back */
        send_packet(FW_PACKET_CREDIT, first + i * units, NULL, 0);
    strays += FW_STAGE_BUFFERS;
    ranks_end(strays);
}
END_TEST

/* An acknowledgment of a message that has not left, for want of room at its receiver: it still is
 * the host's to wait for. */
START_TEST(acknowledged_too_early)
{
    enum { MOST = 1000 };
    static struct fw_req *filler[MOST];
    static unsigned char in[EAGER_MAX];
    struct nic_tx ack = { .type = FW_PACKET_ACK };
    int fillers = 0;

    ranks_start(2);
    while (!at[1].fw->sendq) {
        must(fillers < MOST);
        filler[fillers++] = start_send(1, 0, 5, loop_payload(5), EAGER_MAX);
    }
    struct fw_req *send = start_send_as(1, 0, 6, loop_payload(6), 100, true);
    ack.match = fw_req_id(send);
    ck_assert_int_eq(loop_send(at[0].nic, 1, &ack), 0);
    while (step(1))
        ;
    ck_assert_uint_eq(fw_strays(at[1].fw), 1);
    ck_assert(!fw_req_done(send));
    for (int i = 0; i < fillers; i++) {
        finish_recv(0, start_recv(0, 1, 5, in, EAGER_MAX), EAGER_MAX, 1, 5, loop_payload(5),
                    EAGER_MAX);
        finish_send(1, filler[i]);
    }
    finish_recv(0, start_recv(0, 1, 6, in, 100), 100, 1, 6, loop_payload(6), 100);
    finish_send(1, send);
    ranks_end(1);
}
END_TEST

/* What has ended, and was not freed yet, ends once. */
START_TEST(acknowledged_twice)
{
    static unsigned char in[100];
    struct nic_tx ack = { .type = FW_PACKET_ACK };

    ranks_start(2);
    struct fw_req *send = start_send_as(1, 0, 6, loop_payload(6), 100, true);
    finish_recv(0, start_recv(0, 1, 6, in, 100), 100, 1, 6, loop_payload(6), 100);
    wait_done(send);
    ck_assert(mpi_fw_quiet(at[1].fw));
    ack.match = fw_req_id(send);
    ck_assert_int_eq(loop_send(at[0].nic, 1, &ack), 0);
    while (step(1))
        ;
    ck_assert_uint_eq(fw_strays(at[1].fw), 1);
    ck_assert(mpi_fw_quiet(at[1].fw));
    free_request(1, send);
    ranks_end(1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("stray");
    TCase *tcase = tcase_create("stray");

    tcase_add_test(tcase, strays);
    tcase_add_test(tcase, strays_for_live_requests);
    tcase_add_test(tcase, cleared_for_more);
    tcase_add_test(tcase, strays_for_staging_buffers);
    tcase_add_test(tcase, acknowledged_too_early);
    tcase_add_test(tcase, acknowledged_twice);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
