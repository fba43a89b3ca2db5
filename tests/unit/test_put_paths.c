/* A sender that is told to push, and may not write into its peer's
 * memory, streams through the inbox instead. */
#include "core/nic.h"
#include "ranks.h"

enum { BYTES = 300000 };

static unsigned char source[BYTES], sink[BYTES];

static const struct nic_link_ops *loop;
static struct nic_link_ops narrow;
static unsigned allowed;

static unsigned probe(struct nic *n, unsigned peer) { (void)n, (void)peer; return allowed; }

static int write_if_allowed(struct nic *n, unsigned peer, const void *from, uint64_t to,
                            size_t bytes)
{
    must(allowed & NIC_RDMA_WRITE);
    return loop->write(n, peer, from, to, bytes);
}

static const struct { unsigned allowed; uint64_t through_the_inbox; } cases[] = {
    { NIC_RDMA_WRITE, 0 }, { NIC_RDMA_READ | NIC_RDMA_WRITE, 0 }, { NIC_RDMA_READ, BYTES },
    { 0, BYTES },
};
enum { CASES = sizeof cases / sizeof *cases };

START_TEST(push)
{
    ranks_open_as(2, NIC_PROGRESS_HOST, "put", NULL);
    allowed = cases[_i].allowed;
    loop = at[0].nic->link;
    narrow = *loop;
    narrow.probe = probe;
    narrow.write = write_if_allowed;
    at[0].nic->link = &narrow;
    for (unsigned i = 0; i < BYTES; i++)
        source[i] = (unsigned char)(i * 3 + i / 256);
    memset(sink, 0, sizeof sink);
    struct fw_req *recv = start_recv(1, 0, 1, sink, BYTES);
    finish_send(0, start_send(0, 1, 1, source, BYTES));
    finish_recv(1, recv, BYTES, 0, 1, source, BYTES);
    ck_assert_uint_eq(at[0].fw->stats.value[FW_STAT_bytes_staged], cases[_i].through_the_inbox);
    at[0].nic->link = loop;
    ranks_end(0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("put_paths");
    TCase *tcase = tcase_create("put_paths");

    tcase_add_loop_test(tcase, push, 0, CASES);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
