/* Rendezvous: which way is taken, and what becomes of it where a host is away. */
#include <unistd.h>
#include "rndv.h"

static unsigned way_number(const char *name) { return *name == 'g' ? 0 : *name == 'b' ? 1 : 2; }

/* How many of rank 1's receives have begun so, whatever became of them. */
static uint64_t begun(const char *name)
{
    const struct fw *fw = at[1].fw;
    const uint64_t figure[] = { FW_FIGURE(fw, rendezvous_get), FW_FIGURE(fw, rendezvous_both_ends),
                                FW_FIGURE(fw, rendezvous_staged) };
    return figure[way_number(name)];
}

/* Baton held, so that it is the host that chooses, and no thread. */
static void matches(unsigned rank, const struct fw_req *recv)
{
    while (!recv->protocol)
        nic_step(at[rank].nic);
}

/* Where everything works: staged, if the sender's NIC goes on without its host, through the inbox
 * only short ones; else long ones with both ends. */
START_TEST(by_size)
{
    static const struct { size_t bytes; const char *way[3]; } choices[] = {
        { 20000, { "get", "staged", "staged" } }, { 64 * 1024 - 1, { "get", "staged", "staged" } },
        { 64 * 1024, { "both", "staged", "staged" } },
        { 128 * 1024, { "both", "staged", "staged" } },
        { 128 * 1024 + 1, { "both", "staged", "both" } }, { LONGEST, { "both", "staged", "both" } },
    };
    uint64_t ways_begun[3] = { 0 };
    ranks_open_as(2, _i ? NIC_PROGRESS_AUTO : NIC_PROGRESS_HOST, NULL, NULL);
    for (unsigned r = 0; r < 2; r++)
        at[r].fw->stage = _i == 2 ? FW_STAGE_BY_INBOX : FW_STAGE_AS_FITS;
    for (unsigned i = 0; i < sizeof choices / sizeof *choices; i++) {
        size_t bytes = choices[i].bytes;
        struct fw_req *recv = start_recv(1, 0, 1, sink, bytes);
        nic_enter(at[1].nic);
        struct fw_req *send = start_send(0, 1, 1, source, bytes);
        matches(1, recv);
        nic_leave(at[1].nic);
        ck_assert_uint_eq(begun(choices[i].way[_i]), ++ways_begun[way_number(choices[i].way[_i])]);
        finish_recv(1, recv, bytes, 0, 1, source, bytes);
        finish_send(0, send);
    }
    ranks_end(0);
}
END_TEST

/* -- a host that is away: its NIC's thread does the work */

static void away(unsigned gone, const char *protocol, const char *rdma)
{
    ranks_open_as(2, NIC_PROGRESS_AUTO, protocol, rdma);
    for (unsigned i = 0; i < 4; i++) {
        struct fw_req *recv, *send;
        if (i % 2) {
            recv = start_recv(1, 0, 1, sink, LONGEST);
            send = start_send(0, 1, 1, from_source(i), LONGEST);
        } else {
            send = start_send(0, 1, 1, from_source(i), LONGEST);
            recv = start_recv(1, 0, 1, sink, LONGEST);
        }
        const struct fw_req *mine = gone ? send : recv, *theirs = gone ? recv : send;
        struct nic_wait w = { .spins = 0 };
        nic_enter(at[!gone].nic);
        while (!fw_req_done(mine))
            nic_wait_turn(at[!gone].nic, &w);
        nic_leave(at[!gone].nic);
        while (!fw_req_done(theirs))        /* nobody calls for this rank */
            usleep(100);
        must(recv->error == FW_OK && recv->count == LONGEST
             && !memcmp(sink, from_source(i), LONGEST));
        nic_enter(at[1].nic);
        mpi_fw_req_free(at[1].fw, recv);
        nic_leave(at[1].nic);
        nic_enter(at[0].nic);
        mpi_fw_req_free(at[0].fw, send);
        nic_leave(at[0].nic);
    }
    ranks_end(0);
}

START_TEST(sender_away) { away(0, ways[_i].protocol, ways[_i].rdma); }
END_TEST

/* A receive, its message on the way, and the batons of both ranks held. */
static struct fw_req *begin_held(unsigned i, struct fw_req **send)
{
    struct fw_req *recv = start_recv(1, 0, 1, sink, sizes[i]);
    nic_enter(at[1].nic);
    *send = start_send(0, 1, 1, from_source(i), sizes[i]);
    nic_enter(at[0].nic);
    return recv;
}

/* With the batons of both ranks held, so that no thread of a NIC comes in between. */
static void waits_alone(unsigned rank, const struct fw_req *r)
{
    struct nic_wait w = { .spins = 0 };
    while (!fw_req_done(r))
        nic_wait_turn(at[rank].nic, &w);
}

/* A receiver does not wait for a sender that has called and is in no call now; the next transfer by
 * the same claim word is another one. */
START_TEST(taken)
{
    ranks_open_as(2, NIC_PROGRESS_AUTO, NULL, NULL);
    for (unsigned i = 0; i < SIZES; i++) {
        const uint64_t before = FW_FIGURE(at[1].fw, rendezvous_taken);
        struct fw_req *send, *recv = begin_held(i, &send);
        waits_alone(1, recv);
        ck_assert_ptr_eq(recv->protocol, &mpi_fw_protocol_get);
        ck_assert_uint_eq(FW_FIGURE(at[1].fw, rendezvous_taken), before + 1);
        must(!fw_req_done(send));
        nic_leave(at[1].nic);
        nic_leave(at[0].nic);
        finish_recv(1, recv, sizes[i], 0, 1, from_source(i), sizes[i]);
        finish_send(0, send);
        one_message(sizes[i], sizes[i], i, i % 2);
    }
    ranks_end(0);
}
END_TEST

/* A sender does not wait for a receiver that has matched and is in no call now: what the buffers do
 * not hold it writes. */
START_TEST(written)
{
    const uint64_t buffers = FW_STAGE_BUFFERS * FW_STAGE_BYTES;
    ranks_open_as(2, NIC_PROGRESS_AUTO, NULL, NULL);
    for (unsigned i = 0; i < SIZES; i++) {
        const uint64_t before = FW_FIGURE(at[0].fw, bytes_staged);
        struct fw_req *send, *recv = begin_held(i, &send);
        nic_wait_turn(at[0].nic, &(struct nic_wait){ .spins = 0 });     /* it is here, and waits */
        matches(1, recv);
        nic_leave(at[1].nic);
        nic_enter(at[1].nic);
        waits_alone(0, send);
        ck_assert_uint_eq(FW_FIGURE(at[0].fw, bytes_staged) - before,
                          sizes[i] < buffers ? sizes[i] : buffers);
        must(!fw_req_done(recv));
        nic_leave(at[1].nic);
        nic_leave(at[0].nic);
        finish_recv(1, recv, sizes[i], 0, 1, from_source(i), sizes[i]);
        finish_send(0, send);
    }
    ranks_end(0);
}
END_TEST

START_TEST(receiver_away) { away(1, ways[_i].protocol, ways[_i].rdma); }
END_TEST

int main(void)
{
    Suite *suite = suite_create("rndv_away");
    TCase *tcase = tcase_create("rndv_away");

    fill_source();
    tcase_add_loop_test(tcase, by_size, 0, 3);
    tcase_add_loop_test(tcase, sender_away, 0, WAYS);
    tcase_add_test(tcase, taken);
    tcase_add_test(tcase, written);
    tcase_add_loop_test(tcase, receiver_away, 0, WAYS);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
