/* Copies between ranks that fail, on either side and at any piece: both ends hear of it, and all
 * that was lent comes back. */
#include <errno.h>

#include "core/nic.h"
#include "ranks.h"

enum { BYTES = 1200000, PIECES = 5 };

static unsigned char source[BYTES], sink[BYTES];
static struct nic_link_ops failing;
static const struct nic_link_ops *sound;
static unsigned good;               /* copies that still work */

static int fails_to_read(struct nic *n, unsigned peer, uint64_t from, void *to, size_t bytes)
{
    return good ? good--, sound->read(n, peer, from, to, bytes) : -EFAULT;
}

static int fails_to_write(struct nic *n, unsigned peer, const void *from, uint64_t to, size_t bytes)
{
    return good ? good--, sound->write(n, peer, from, to, bytes) : -EFAULT;
}

/* From rank 0 to rank 1, whose copies fail, or those of rank 0. */
static struct fw_req *transfer(const char *protocol, unsigned bad, struct fw_req **recv)
{
    ranks_open_as(2, NIC_PROGRESS_HOST, protocol, NULL);
    sound = at[bad].nic->link;
    failing = *sound;
    failing.read = fails_to_read;
    failing.write = fails_to_write;
    at[bad].nic->link = &failing;
    *recv = start_recv(1, 0, 1, sink, BYTES);
    struct fw_req *send = start_send(0, 1, 1, source, BYTES);
    settle();
    must(fw_req_done(send) && fw_req_done(*recv));
    ck_assert_str_eq(mpi_fw_protocol_of(*recv), protocol);
    return send;
}

static void end(unsigned bad, struct fw_req *send, struct fw_req *recv)
{
    at[bad].nic->link = sound;
    free_request(0, send);
    free_request(1, recv);
    finish_send(0, start_send(0, 1, 2, loop_payload(2), 100));
    finish_recv(1, start_recv(1, 0, 2, sink, 100), 100, 0, 2, loop_payload(2), 100);
    ranks_end(0);
}

static uint64_t figure(unsigned rank, const char *name)
{
    struct nic *n = at[rank].nic;
    nic_enter(n);
    uint64_t value = nic_stat_read(n, (unsigned)nic_stat_find(n, name));
    nic_leave(n);
    return value;
}

/* Who copies, by which protocol. */
static const struct { const char *protocol; unsigned bad; } cases[] = { { "get", 1 }, { "put", 0 },
        { "both", 0 }, { "both", 1 } };
enum { CASES = sizeof cases / sizeof *cases };

START_TEST(both_ends_hear)
{
    struct fw_req *recv;
    good = 0;
    struct fw_req *send = transfer(cases[_i].protocol, cases[_i].bad, &recv);
    ck_assert_int_eq(send->error, FW_COPY_FAILED);
    ck_assert_int_eq(recv->error, FW_COPY_FAILED);
    /* counted as what failed, and no byte as copied */
    ck_assert_uint_gt(figure(cases[_i].bad, "rdma_failures"), 0);
    ck_assert_uint_eq(figure(cases[_i].bad, "bytes_direct"), 0);
    end(cases[_i].bad, send, recv);
}
END_TEST

/* What is pulled piece by piece says how much has come. */
START_TEST(as_far_as_it_came)
{
    struct fw_req *recv;
    for (unsigned pieces = 0; pieces < PIECES; pieces++) {
        good = pieces;
        memset(sink, 0, sizeof sink);
        memset(source, 7, sizeof source);
        struct fw_req *send = transfer("get", 1, &recv);
        ck_assert_int_eq(recv->error, FW_COPY_FAILED);
        ck_assert_uint_lt(recv->count, BYTES);
        ck_assert_int_eq(recv->count > 0, pieces > 0);
        ck_assert(!memcmp(sink, source, recv->count) && !sink[recv->count]);
        end(1, send, recv);
    }
}
END_TEST

/* Of chunks that both ends copied nothing counts, as nobody knows which are there. */
START_TEST(nothing_counts)
{
    struct fw_req *recv;
    for (unsigned bad = 0; bad < 2; bad++) {
        good = 0;
        struct fw_req *send = transfer("both", bad, &recv);
        ck_assert_uint_eq(recv->count, 0);
        end(bad, send, recv);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("copy_fails");
    TCase *tcase = tcase_create("copy_fails");

    tcase_add_loop_test(tcase, both_ends_hear, 0, CASES);
    tcase_add_test(tcase, as_far_as_it_came);
    tcase_add_test(tcase, nothing_counts);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
