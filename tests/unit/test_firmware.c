/* The firmware's queues and eager messages: matching, truncation, probes, cancelling, packets that
 * wait for room. */

#include "core/nic.h"
#include "ranks.h"

static unsigned char inbox[8][LOOP_BYTES];

/* -- one message */

static const size_t sizes[] = { 0, 1, 8, 32, 33, 47, 48, 49, 500, EAGER_MAX };
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Each size, into room that is exact, larger, smaller or none; posted before and after; with
 * acknowledgment and without. */
START_TEST(one_message)
{
    bool posted_first = _i & 1, sync = _i & 2;

    ranks_start(2);
    for (unsigned i = 0; i < SIZES; i++) {
        size_t bytes = sizes[i], rooms[] = { bytes, bytes + 10, bytes / 2, bytes - !!bytes, 0 };
        for (unsigned k = 0; k < sizeof rooms / sizeof *rooms; k++) {
            struct fw_req *send, *recv = NULL;
            memset(inbox[0], 0xee, sizeof inbox[0]);
            if (posted_first)
                recv = start_recv(1, 0, 7, inbox[0], rooms[k]);
            send = start_send_as(0, 1, 7, loop_payload(i), bytes, sync);
            settle();
            if (!posted_first) {
                must(fw_unexpected_count(at[1].fw) == 1);
                must(fw_req_done(send) == !sync);
                must(mpi_fw_quiet(at[0].fw) == !sync);
                recv = start_recv(1, 0, 7, inbox[0], rooms[k]);
                must(fw_req_done(recv));
            }
            finish_recv(1, recv, rooms[k], 0, 7, loop_payload(i), bytes);
            must(inbox[0][rooms[k] < bytes ? rooms[k] : bytes] == 0xee);
            finish_send(0, send);
        }
    }
    ranks_end(0);
}
END_TEST

/* To oneself. */
START_TEST(self)
{
    ranks_start(1);
    for (int sync = 0; sync < 2; sync++)
        for (unsigned i = 0; i < SIZES; i++) {
            struct fw_req *send = start_send_as(0, 0, i, loop_payload(i), sizes[i], sync);
            struct fw_req *recv = start_recv(0, 0, (int)i, inbox[0], sizeof inbox[0]);
            finish_recv(0, recv, sizeof inbox[0], 0, i, loop_payload(i), sizes[i]);
            finish_send(0, send);
        }
    ranks_end(0);
}
END_TEST

/* -- matching */

/* Match bits hold the number of every rank that there may be, and a wildcard leaves all of it
 * open. */
START_TEST(far_sources)
{
    static const unsigned sources[] = { 0, 1, 255, 256, 300, 0x8000, 0xffff };
    for (unsigned i = 0; i < sizeof sources / sizeof *sources; i++) {
        uint64_t match = fw_match_bits(CONTEXT, sources[i], 7);
        ck_assert_int_eq(fw_match_source(match), (int)sources[i]);
        ck_assert_int_eq(fw_match_tag(match), 7);
        ck_assert_uint_eq(fw_match_context(match), CONTEXT);
        ck_assert_uint_eq(match & ~FW_ANY_SOURCE, fw_match_bits(CONTEXT, 0, 7));
    }
}
END_TEST

/* First in order of posting, wildcards among the others; first in order of arrival. */
START_TEST(order_of_posting)
{
    struct fw_req *recv[5], *send[5];

    ranks_start(3);
    recv[0] = start_recv(2, 0, 5, inbox[0], 100);
    recv[1] = start_recv(2, ANY, 4, inbox[1], 100);
    recv[2] = start_recv(2, 1, ANY, inbox[2], 100);
    recv[3] = start_recv(2, ANY, ANY, inbox[3], 100);
    recv[4] = start_recv(2, 0, 4, inbox[4], 100);
    ck_assert_uint_eq(fw_posted_count(at[2].fw), 5);
    /* the second: the third and fourth match too */
    send[0] = start_send(1, 2, 4, loop_payload(10), 10);
    settle();
    send[1] = start_send(0, 2, 9, loop_payload(11), 11);        /* the fourth only */
    settle();
    send[2] = start_send(0, 2, 4, loop_payload(12), 12);        /* the fifth */
    settle();
    send[3] = start_send(1, 2, 5, loop_payload(13), 13);        /* the third */
    settle();
    send[4] = start_send(0, 2, 5, loop_payload(14), 14);        /* the first */
    finish_recv(2, recv[1], 100, 1, 4, loop_payload(10), 10);
    finish_recv(2, recv[3], 100, 0, 9, loop_payload(11), 11);
    finish_recv(2, recv[4], 100, 0, 4, loop_payload(12), 12);
    finish_recv(2, recv[2], 100, 1, 5, loop_payload(13), 13);
    finish_recv(2, recv[0], 100, 0, 5, loop_payload(14), 14);
    for (int i = 0; i < 5; i++)
        finish_send(i == 0 || i == 3 ? 1 : 0, send[i]);
    ranks_end(0);
}
END_TEST

START_TEST(order_of_arrival)
{
    ranks_start(2);
    for (unsigned i = 0; i < 6; i++)
        finish_send(0, start_send(0, 1, i % 3, loop_payload(i), 10 + 50 * i));
    settle();
    ck_assert_uint_eq(fw_unexpected_count(at[1].fw), 6);
    finish_recv(1, start_recv(1, 0, 1, inbox[0], 1000), 1000, 0, 1, loop_payload(1), 60);
    finish_recv(1, start_recv(1, ANY, ANY, inbox[0], 1000), 1000, 0, 0, loop_payload(0), 10);
    finish_recv(1, start_recv(1, ANY, 1, inbox[0], 1000), 1000, 0, 1, loop_payload(4), 210);
    finish_recv(1, start_recv(1, 0, ANY, inbox[0], 1000), 1000, 0, 2, loop_payload(2), 110);
    finish_recv(1, start_recv(1, 0, 2, inbox[0], 1000), 1000, 0, 2, loop_payload(5), 260);
    finish_recv(1, start_recv(1, 0, 0, inbox[0], 1000), 1000, 0, 0, loop_payload(3), 160);
    ranks_end(0);
}
END_TEST

/* Another context is another world, wildcards or not. */
START_TEST(contexts)
{
    ranks_start(2);
    struct fw_req *recv = start_recv(1, ANY, ANY, inbox[0], 100);
    nic_enter(at[0].nic);
    must(mpi_fw_send_now(at[0].fw, 1, fw_match_bits(CONTEXT + 1, 0, 0), NULL, 0));
    nic_leave(at[0].nic);
    settle();
    ck_assert(!fw_req_done(recv));
    ck_assert_uint_eq(fw_unexpected_count(at[1].fw), 1);
    finish_send(0, start_send(0, 1, 0, loop_payload(0), 5));
    finish_recv(1, recv, 100, 0, 0, loop_payload(0), 5);
    nic_enter(at[1].nic);
    struct fw_req *other = new_request(1, FW_RECV, inbox[0], 10);
    other->match = fw_match_bits(CONTEXT + 1, 0, 0);
    other->mask = 0;
    mpi_fw_start(at[1].fw, other);
    nic_leave(at[1].nic);
    ck_assert(fw_req_done(other));
    free_request(1, other);
    ranks_end(0);
}
END_TEST

/* -- probes */

START_TEST(probe_and_extract)
{
    uint64_t found = 0;
    size_t bytes = 0;

    ranks_start(2);
    nic_enter(at[1].nic);
    ck_assert(!mpi_fw_probe(at[1].fw, match_of(ANY, ANY), mask_of(ANY, ANY), &found, &bytes));
    ck_assert_ptr_null(mpi_fw_extract(at[1].fw, match_of(ANY, ANY), mask_of(ANY, ANY), &found,
                                      &bytes));
    nic_leave(at[1].nic);
    struct fw_req *first = start_send_as(0, 1, 6, loop_payload(6), 600, true),
        *second = start_send(0, 1, 8, loop_payload(8), 8);
    settle();
    nic_enter(at[1].nic);
    ck_assert(!mpi_fw_probe(at[1].fw, match_of(0, 7), 0, &found, &bytes));
    ck_assert(mpi_fw_probe(at[1].fw, match_of(ANY, ANY), mask_of(ANY, ANY), &found, &bytes));
    ck_assert(found == fw_match_bits(CONTEXT, 0, 6) && bytes == 600);
    ck_assert(mpi_fw_probe(at[1].fw, match_of(0, 8), 0, &found, &bytes));
    ck_assert(found == fw_match_bits(CONTEXT, 0, 8) && bytes == 8);
    ck_assert_uint_eq(fw_unexpected_count(at[1].fw), 2);
    struct fw_unexpected *m = mpi_fw_extract(at[1].fw, match_of(0, 6), 0, &found, &bytes);
    ck_assert_ptr_nonnull(m);
    ck_assert(found == fw_match_bits(CONTEXT, 0, 6) && bytes == 600);
    ck_assert_uint_eq(fw_unexpected_count(at[1].fw), 1);
    /* nobody else gets it */
    ck_assert(!mpi_fw_probe(at[1].fw, match_of(0, 6), 0, &found, &bytes));
    nic_leave(at[1].nic);
    finish_recv(1, start_recv(1, ANY, ANY, inbox[1], 100), 100, 0, 8, loop_payload(8), 8);
    settle();
    /* extracted is not received */
    ck_assert(!fw_req_done(first));
    nic_enter(at[1].nic);
    struct fw_req *recv = new_request(1, FW_RECV, inbox[0], 100);
    mpi_fw_receive_message(at[1].fw, m, recv);
    nic_leave(at[1].nic);
    finish_recv(1, recv, 100, 0, 6, loop_payload(6), 600);
    finish_send(0, first);
    finish_send(0, second);
    ranks_end(0);
}
END_TEST

/* An extracted message that nobody receives goes with the firmware. */
START_TEST(never_received)
{
    uint64_t found;
    size_t bytes;

    ranks_start(2);
    finish_send(0, start_send(0, 1, 0, loop_payload(0), 900));
    settle();
    nic_enter(at[1].nic);
    ck_assert_ptr_nonnull(mpi_fw_extract(at[1].fw, match_of(0, 0), 0, &found, &bytes));
    nic_leave(at[1].nic);
    ranks_end(0);
}
END_TEST

/* -- a message that is matched while its body is still coming in: the handlers called by hand, as
 * the engine calls them */

static struct fw_unexpected *half_arrived(uint8_t type, uint64_t match, const void *head,
                                       uint32_t length)
{
    struct nic_packet p = { .type = type, .length = length, .match = match, .head = head,
                            .head_bytes = NIC_HEAD_BYTES };
    uint64_t found;
    size_t bytes;

    nic_enter(at[1].nic);
    mpi_fw_program.packet(at[1].nic, at[1].fw, &p);
    must(mpi_fw_probe(at[1].fw, match, 0, &found, &bytes));
    uint32_t index;
    must(nic_match_list_find(at[1].fw->unexpected.store, match, 0, &index, NULL));
    struct fw_unexpected *m = fw_slab_at(&at[1].fw->messages, index);
    must(m->landing && m->bytes == bytes);
    nic_leave(at[1].nic);
    return m;
}

static void rest_arrives(struct fw_unexpected *m, const unsigned char *data, size_t first)
{
    nic_enter(at[1].nic);
    memcpy((unsigned char *)m->data + first, data + first, m->bytes - first);
    mpi_fw_program.landed(at[1].nic, at[1].fw, m);
    nic_leave(at[1].nic);
}

START_TEST(matched_while_landing)
{
    ranks_start(2);
    for (size_t room = 0; room < 2000; room += 333) {
        struct fw_unexpected *m = half_arrived(FW_PACKET_EAGER, match_of(0, 1), loop_payload(1),
                                               900);
        struct fw_req *recv = start_recv(1, 0, ANY, inbox[0], room);
        settle();
        ck_assert(!fw_req_done(recv));
        ck_assert_uint_eq(fw_unexpected_count(at[1].fw), 0);
        rest_arrives(m, loop_payload(1), NIC_HEAD_BYTES);
        ck_assert(fw_req_done(recv));
        finish_recv(1, recv, room, 0, 1, loop_payload(1), 900);
    }
    ranks_end(0);
}
END_TEST

START_TEST(landed_before_it_is_matched)
{
    ranks_start(2);
    struct fw_unexpected *m = half_arrived(FW_PACKET_EAGER, match_of(0, 1), loop_payload(1), 900);
    rest_arrives(m, loop_payload(1), NIC_HEAD_BYTES);
    struct fw_req *recv = start_recv(1, 0, 1, inbox[0], 1000);
    ck_assert(fw_req_done(recv));
    finish_recv(1, recv, 1000, 0, 1, loop_payload(1), 900);
    ranks_end(0);
}
END_TEST

START_TEST(extracted_while_landing)
{
    unsigned char head[NIC_HEAD_BYTES];
    uint64_t found;
    size_t bytes;

    ranks_start(2);
    /* whose acknowledgment the message below asks for too */
    struct fw_req *send = start_send_as(0, 1, 99, NULL, 0, true);
    finish_recv(1, start_recv(1, 0, 99, NULL, 0), 0, 0, 99, NULL, 0);
    finish_send(0, send);
    struct fw_origin origin = { .source = 0, .request = fw_req_id(send) };
    memcpy(head, &origin, sizeof origin);
    memcpy(head + sizeof origin, loop_payload(2), sizeof head - sizeof origin);
    struct fw_unexpected *m = half_arrived(FW_PACKET_SYNC, match_of(0, 2), head,
                                           700 + sizeof origin);
    nic_enter(at[1].nic);
    ck_assert_ptr_eq(mpi_fw_extract(at[1].fw, match_of(0, 2), 0, &found, &bytes), m);
    ck_assert_uint_eq(bytes, 700);
    struct fw_req *recv = new_request(1, FW_RECV, inbox[0], 1000);
    mpi_fw_receive_message(at[1].fw, m, recv);
    nic_leave(at[1].nic);
    settle();
    ck_assert(!fw_req_done(recv));
    rest_arrives(m, loop_payload(2), sizeof head - sizeof origin);
    finish_recv(1, recv, 1000, 0, 2, loop_payload(2), 700);
    ranks_end(1);       /* the acknowledgment of a send that had gone */
}
END_TEST

/* Its sender has it back before all of it is here: it lands
 * nowhere that matters, and is gone then. */
START_TEST(withdrawn_while_landing)
{
    ranks_start(2);
    /* whose message the one below is */
    struct fw_req *send = start_send_as(0, 1, 99, NULL, 0, true);
    finish_recv(1, start_recv(1, 0, 99, NULL, 0), 0, 0, 99, NULL, 0);
    finish_send(0, send);
    struct fw_origin origin = { .source = 0, .request = fw_req_id(send) };
    unsigned char head[NIC_HEAD_BYTES] = { 0 };
    memcpy(head, &origin, sizeof origin);
    struct fw_unexpected *m = half_arrived(FW_PACKET_SYNC, match_of(0, 2), head,
                                           700 + sizeof origin);
    struct nic_packet p = { .type = FW_PACKET_WITHDRAW, .length = sizeof origin,
                            .match = match_of(0, 2), .head = &origin,
                            .head_bytes = sizeof origin };
    nic_enter(at[1].nic);
    mpi_fw_program.packet(at[1].nic, at[1].fw, &p);
    nic_leave(at[1].nic);
    ck_assert_uint_eq(fw_unexpected_count(at[1].fw), 0);
    ck_assert(m->object.kind == FW_UNEXPECTED);
    rest_arrives(m, loop_payload(2), sizeof head - sizeof origin);
    ck_assert(m->object.kind == FW_FREE);
    ranks_end(1);       /* the answer to a send that had gone */
}
END_TEST

/* -- cancelling and forgetting */

START_TEST(cancel)
{
    ranks_start(2);
    struct fw_req *first = start_recv(1, 0, 1, inbox[0], 100),
        *second = start_recv(1, 0, 1, inbox[1], 5000);
    nic_enter(at[1].nic);
    ck_assert(mpi_fw_cancel(at[1].fw, first));
    ck_assert(fw_req_done(first) && first->cancelled && !second->cancelled);
    ck_assert(!mpi_fw_cancel(at[1].fw, first));
    ck_assert_uint_eq(fw_posted_count(at[1].fw), 1);
    nic_leave(at[1].nic);
    struct fw_req *send = start_send(0, 1, 1, loop_payload(1), 100);
    finish_recv(1, second, 5000, 0, 1, loop_payload(1), 100);
    finish_send(0, send);
    free_request(1, first);
    second = start_recv(1, 0, 1, inbox[1], 5000);       /* one that counts as service, cancelled */
    send = start_send_as(0, 1, 2, loop_payload(1), 10, true);
    settle();
    nic_enter(at[1].nic);
    ck_assert(mpi_fw_cancel(at[1].fw, second));
    nic_leave(at[1].nic);
    nic_enter(at[0].nic);
    ck_assert(mpi_fw_cancel(at[0].fw, send));               /* more of that in test_withdraw */
    nic_leave(at[0].nic);
    free_request(1, second);
    free_request(0, send);
    ranks_end(0);
}
END_TEST

/* A request that the host forgets goes by itself, told once, before or after it is done. */
START_TEST(detach)
{
    ranks_start(2);
    struct fw_req *done = start_send(0, 1, 1, loop_payload(1), 10),
        *sync = start_send_as(0, 1, 2, loop_payload(2), 20, true);
    struct fw_req *recv = start_recv(1, 0, 3, inbox[2], 100);
    uint32_t index = sync->index, generation = sync->generation;
    nic_enter(at[0].nic);
    mpi_fw_detach(at[0].fw, done);
    ck_assert_uint_eq(retired_count, 1);
    mpi_fw_detach(at[0].fw, sync);
    ck_assert_uint_eq(retired_count, 1);
    ck_assert_ptr_eq(fw_req_at(at[0].fw, index), sync);
    nic_leave(at[0].nic);
    nic_enter(at[1].nic);
    mpi_fw_detach(at[1].fw, recv);
    nic_leave(at[1].nic);
    settle();
    ck_assert_uint_eq(retired_count, 1);
    finish_recv(1, start_recv(1, 0, 1, inbox[0], 100), 100, 0, 1, loop_payload(1), 10);
    finish_recv(1, start_recv(1, 0, 2, inbox[1], 100), 100, 0, 2, loop_payload(2), 20);
    settle();
    ck_assert_uint_eq(retired_count, 2);
    ck_assert_ptr_null(fw_req_at(at[0].fw, index));
    ck_assert_uint_eq(sync->generation, generation + 1);
    finish_send(0, start_send(0, 1, 3, loop_payload(3), 60));
    settle();
    ck_assert_uint_eq(retired_count, 3);
    ck_assert_mem_eq(inbox[2], loop_payload(3), 60);
    ranks_end(0);
}
END_TEST

/* -- packets that wait for room */

enum { MANY = 70000 };      /* more than the ring holds and than 16 bits count */
static struct fw_req *flood[MANY];

/* More sends than the inbox has room: in order per peer, nothing
 * overtakes, peers with room are not held up. */
START_TEST(full_inbox)
{
    static uint32_t number[MANY + 1];
    struct fw_req *last = NULL;

    ranks_start(3);
    number[MANY] = MANY;
    for (uint32_t i = 0; i < MANY; i++) {
        number[i] = i;
        flood[i] = start_send(0, 1, 4, &number[i], sizeof number[i]);
    }
    ck_assert(!mpi_fw_quiet(at[0].fw));
    ck_assert(!fw_req_done(flood[MANY - 1]));
    nic_enter(at[0].nic);
    ck_assert(!mpi_fw_send_now(at[0].fw, 1, match_of(0, 4), NULL, 0));
    ck_assert(mpi_fw_send_now(at[0].fw, 2, match_of(0, 5), NULL, 0));
    nic_leave(at[0].nic);
    struct fw_req *other = start_send(0, 2, 6, loop_payload(6), 60);
    ck_assert(fw_req_done(other));
    for (uint32_t i = 0; i <= MANY; i++) {
        uint32_t got = UINT32_MAX;
        if (i == 1000) {        /* room again: what comes now must still go behind what waits */
            nic_enter(at[0].nic);
            must(!mpi_fw_send_now(at[0].fw, 1, match_of(0, 4), NULL, 0));
            nic_leave(at[0].nic);
            last = start_send(0, 1, 4, &number[MANY], sizeof number[MANY]);
        }
        struct fw_req *recv = start_recv(1, 0, 4, &got, sizeof got);
        while (!fw_req_done(recv)) {
            step(1);
            if (!fw_req_done(recv) && !fw_unexpected_count(at[1].fw))
                step(0);
        }
        must(got == i);
        free_request(1, recv);
    }
    for (uint32_t i = 0; i < MANY; i++)
        finish_send(0, flood[i]);
    finish_send(0, last);
    finish_recv(2, start_recv(2, 0, 5, NULL, 0), 0, 0, 5, NULL, 0);
    finish_recv(2, start_recv(2, 0, 6, inbox[0], 100), 100, 0, 6, loop_payload(6), 60);
    free_request(0, other);
    ranks_end(0);
}
END_TEST

/* Two full inboxes, of which one empties; messages of several
 * lines, heads and acknowledgments among them. */
START_TEST(two_full_inboxes)
{
    enum { EACH = 3000 };
    ranks_start(3);
    for (unsigned i = 0; i < EACH; i++)
        for (unsigned to = 1; to <= 2; to++)
            flood[2 * i + to - 1] = start_send_as(0, to, i, loop_payload(i * to), i % 900,
                                                  i % 7 == 0);
    for (unsigned to = 2; to; to--)
        for (unsigned i = 0; i < EACH; i++) {
            finish_recv(to, start_recv(to, 0, ANY, inbox[to], EAGER_MAX), EAGER_MAX, 0, i,
                        loop_payload(i * to), i % 900);
            if (to == 2 && i == EACH - 1)
                must(!mpi_fw_quiet(at[0].fw));
        }
    for (unsigned i = 0; i < 2 * EACH; i++)
        finish_send(0, flood[i]);
    ranks_end(0);
}
END_TEST

/* Peers that never look do not hold up the others, however many
 * they are and however old what waits for them. */
START_TEST(full_for_good)
{
    enum { EACH = MANY / 2 };
    ranks_start(4);
    for (unsigned to = 1; to <= 3; to++)
        for (unsigned i = 0; i < EACH; i++) {
            struct fw_req *send = start_send(0, to, i, loop_payload(i), 40);
            if (to == 3)
                flood[i] = send;
        }
    ck_assert(!fw_req_done(flood[EACH - 1]));
    for (unsigned i = 0; i < EACH; i++) {
        struct fw_req *recv = start_recv(3, 0, ANY, inbox[0], 40);
        for (unsigned long turns = 0; !fw_req_done(recv); turns++) {
            step(0);
            step(3);
            must(turns < TURNS_MAX);
        }
        finish_recv(3, recv, 40, 0, i, loop_payload(i), 40);
    }
    for (unsigned i = 0; i < EACH; i++)
        must(fw_req_done(flood[i]));
    for (unsigned to = 1; to <= 2; to++)
        for (unsigned i = 0; i < EACH; i++)
            finish_recv(to, start_recv(to, 0, (int)i, inbox[0], 40), 40, 0, i, loop_payload(i), 40);
    ranks_end(0);
}
END_TEST

/* -- the short ways */

START_TEST(short_ways)
{
    struct nic_received taken;

    ranks_start(2);
    for (uint32_t bytes = 0; bytes <= EAGER_MAX; bytes += 9) {
        ck_assert(fw_send_short(at[0].nic, 1, match_of(0, (int)bytes), loop_payload(bytes), bytes));
        ck_assert(fw_recv_short(at[1].fw, at[1].nic, match_of(0, ANY), FW_ANY_TAG, inbox[0],
                                EAGER_MAX, &taken));
        ck_assert(taken.match == match_of(0, (int)bytes) && taken.length == bytes);
        must(loop_is_payload(inbox[0], bytes, bytes));
    }
    /* what is posted comes first */
    struct fw_req *recv = start_recv(1, 0, 1, inbox[0], 10);
    ck_assert(fw_send_short(at[0].nic, 1, match_of(0, 1), loop_payload(1), 10));
    ck_assert(!fw_recv_short(at[1].fw, at[1].nic, match_of(0, 1), 0, inbox[1], 10, &taken));
    finish_recv(1, recv, 10, 0, 1, loop_payload(1), 10);
    ck_assert(fw_send_short(at[0].nic, 1, match_of(0, 2), loop_payload(2), 10));
    /* and so does what has arrived */
    settle();
    ck_assert(fw_send_short(at[0].nic, 1, match_of(0, 2), loop_payload(3), 10));
    ck_assert(!fw_recv_short(at[1].fw, at[1].nic, match_of(0, 2), 0, inbox[1], 10, &taken));
    finish_recv(1, start_recv(1, 0, 2, inbox[0], 10), 10, 0, 2, loop_payload(2), 10);
    ck_assert(fw_recv_short(at[1].fw, at[1].nic, match_of(0, 2), 0, inbox[1], 10, &taken));
    ck_assert_mem_eq(inbox[1], loop_payload(3), 10);
    ranks_end(0);
}
END_TEST

/* Requests started by command. */
START_TEST(commands)
{
    struct nic_command c = { .op = FW_COMMAND_START };

    ranks_start(2);
    struct fw_req *send = new_request(0, FW_SEND, loop_payload(1), 700),
        *recv = new_request(1, FW_RECV, inbox[0], 1000);
    send->peer = 1;
    send->match = recv->match = match_of(0, 1);
    recv->mask = 0;
    c.object = recv;
    nic_submit(at[1].nic, &c);
    ck_assert_uint_eq(fw_posted_count(at[1].fw), 1);
    c.object = send;
    nic_submit(at[0].nic, &c);
    finish_recv(1, recv, 1000, 0, 1, loop_payload(1), 700);
    finish_send(0, send);
    c.op = 77;          /* no such command */
    nic_submit(at[0].nic, &c);
    ranks_end(0);
}
END_TEST

/* -- requests */

START_TEST(requests)
{
    enum { COUNT = 1000 };
    struct fw_req *r[COUNT];

    ranks_start(1);
    nic_enter(at[0].nic);
    for (unsigned i = 0; i < COUNT; i++) {
        r[i] = new_request(0, FW_RECV, NULL, 0);
        must(fw_req_at(at[0].fw, r[i]->index) == r[i]);
        must(mpi_fw_req_by_id(at[0].fw, fw_req_id(r[i]), FW_RECV) == r[i]);
        must(!mpi_fw_req_by_id(at[0].fw, fw_req_id(r[i]), FW_SEND));
        must(!mpi_fw_req_by_id(at[0].fw, fw_req_id(r[i]) + (UINT64_C(1) << 32), FW_RECV));
        for (unsigned k = i > 20 ? i - 20 : 0; k < i; k++)
            must(r[k] != r[i] && r[k]->index != r[i]->index);
    }
    ck_assert_ptr_null(fw_req_at(at[0].fw, COUNT + 1000));
    ck_assert_ptr_null(fw_req_at(at[0].fw, UINT32_MAX));
    uint64_t old = fw_req_id(r[5]);
    for (unsigned i = 0; i < COUNT; i++)
        mpi_fw_req_free(at[0].fw, r[i]);
    ck_assert_ptr_null(fw_req_at(at[0].fw, (uint32_t)old));
    struct fw_req *spare = mpi_fw_req_spare(at[0].fw);
    ck_assert_ptr_nonnull(spare);
    spare->object.kind = FW_RECV;
    for (unsigned i = 0; i < COUNT; i++) {
        struct fw_req *again = mpi_fw_req_new(at[0].fw);
        if (!again || again == spare)
            break;
        again->object.kind = FW_RECV;
    }
    /* whoever has the place now */
    ck_assert_ptr_null(mpi_fw_req_by_id(at[0].fw, old, FW_RECV));
    nic_leave(at[0].nic);
    ranks_end(0);
}
END_TEST

/* A receive that may become a rendezvous keeps its NIC in service from its posting to its end. */
START_TEST(long_receives_are_served)
{
    static unsigned char in[EAGER_MAX + 1];

    ranks_start(2);
    for (size_t capacity = EAGER_MAX; capacity <= EAGER_MAX + 1; capacity++) {
        struct fw_req *recv = start_recv(1, 0, 1, in, capacity);
        ck_assert_int_eq(at[1].nic->service, capacity > EAGER_MAX);
        finish_send(0, start_send(0, 1, 1, loop_payload(1), 100));
        finish_recv(1, recv, capacity, 0, 1, loop_payload(1), 100);
        ck_assert_int_eq(at[1].nic->service, 0);
    }
    ranks_end(0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("firmware");
    TCase *tcase = tcase_create("firmware");

    tcase_add_loop_test(tcase, one_message, 0, 4);
    tcase_add_test(tcase, self);
    tcase_add_test(tcase, far_sources);
    tcase_add_test(tcase, order_of_posting);
    tcase_add_test(tcase, order_of_arrival);
    tcase_add_test(tcase, contexts);
    tcase_add_test(tcase, probe_and_extract);
    tcase_add_test(tcase, never_received);
    tcase_add_test(tcase, matched_while_landing);
    tcase_add_test(tcase, landed_before_it_is_matched);
    tcase_add_test(tcase, extracted_while_landing);
    tcase_add_test(tcase, withdrawn_while_landing);
    tcase_add_test(tcase, cancel);
    tcase_add_test(tcase, detach);
    tcase_add_test(tcase, full_inbox);
    tcase_add_test(tcase, two_full_inboxes);
    tcase_add_test(tcase, full_for_good);
    tcase_add_test(tcase, short_ways);
    tcase_add_test(tcase, commands);
    tcase_add_test(tcase, requests);
    tcase_add_test(tcase, long_receives_are_served);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
