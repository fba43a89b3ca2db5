/* Which ranks of the job a request waits for: whose loss ends it. */
#include "alone.h"
#include "core/lost.h"
#include "core/match.h"
#include "core/stream.h"

enum { RANKS = 5 };

static const int members[] = { 4, 2, 3 };
static struct mpi_comm comm;

static void setup(void)
{
    mpi_comm_world.peers = mpi_comm_world.size = RANKS;
    mpi_comm_self.context = 2;
    comm = (struct mpi_comm){ .context = 8, .size = 3, .peers = 3, .world = members,
                              .peer_world = members };
}

static struct fw_req receive(struct mpi_comm *c, uint64_t match)
{
    struct fw_req r = { .object.kind = FW_RECV, .match = match };
    r.host.comm = c;
    return r;
}

static void waits_for(struct fw_req r, int rank)
{
    ck_assert_int_eq(mpi_lost_partner(&r, 0), rank);
    ck_assert_int_eq(mpi_lost_partner(&r, 1), -1);
}

START_TEST(messages)
{
    waits_for(receive(&comm, fw_match_bits(8, 1, 7)), 2);
    struct fw_req any = receive(&comm, fw_match_bits(8, 0, 7));
    any.mask = FW_ANY_SOURCE;
    for (unsigned i = 0; i < 3; i++)
        ck_assert_int_eq(mpi_lost_partner(&any, i), members[i]);
    ck_assert_int_eq(mpi_lost_partner(&any, 3), -1);
    struct fw_req send = { .object.kind = FW_SEND, .peer = 3, .match = fw_match_bits(8, 1, 7) };
    send.host.comm = &comm;
    waits_for(send, 3);
}
END_TEST

/* Of partitioned communication: whatever their match bits say. */
START_TEST(streams)
{
    struct fw_req r = receive(&mpi_comm_world, mpi_stream_match(5, 0));
    r.host.extra = FW_EXTRA_PORTION;
    r.peer = 3;
    waits_for(r, 3);
    r.match = mpi_stream_match(UINT64_C(1) << 13, MPI_STREAM_ANSWER);
    waits_for(r, 3);
    r.match = fw_match_bits(8, 1, 7) | FW_OWN_TAG;
    r.peer = 2;
    waits_for(r, 2);
}
END_TEST

/* Where ranks have no communicator in common yet. */
START_TEST(among)
{
    struct fw_req r = receive(&comm, fw_match_bits(8, mpi_match_world(4), 7) | FW_OWN_TAG);
    r.host.empty = true;
    waits_for(r, 4);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lost");
    TCase *tcase = tcase_create("lost");
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_test(tcase, messages);
    tcase_add_test(tcase, streams);
    tcase_add_test(tcase, among);
    suite_add_tcase(suite, tcase);
    return alone_run(suite);
}
