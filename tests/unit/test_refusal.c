/* Transfers that are refused: by the target, without a byte moved, or by the call itself. */
#include "shapes.h"
#include "transfers.h"

/* -- what is refused */

struct refusal { struct nic_address address; struct nic_shape shape; bool put; int status; };

static void expect_refused(enum nic_path path, const struct refusal *r, unsigned char *remote,
                           size_t bytes)
{
    static unsigned char local[200000];
    static unsigned char before[200000];
    must(bytes <= sizeof before);
    memcpy(before, remote, bytes);
    memset(local, 0x5a, sizeof local);
    struct nic_transfer t = nic_transfer_of(local, r->address, 0);
    t.remote_shape = r->shape;
    uint64_t total = r->shape.block * r->shape.count;
    for (uint64_t i = 0; r->shape.list && i < r->shape.count; i++)
        total = (i ? total : 0) + r->shape.list[i].bytes;
    t.local_shape = nic_contiguous(total);
    must(total && total <= sizeof local);
    allow(0, path);
    int status = transfer(0, r->put, &t);
    if (status != r->status)
        fprintf(stderr, "path %s, put %d, key %u: status %d in place of %d\n", nic_path_name(path),
                r->put, r->address.key, status, r->status);
    must(status == r->status);
    must(!memcmp(before, remote, bytes));
    for (size_t i = 0; i < sizeof local; i++)
        must(local[i] == 0x5a);
}

/* Good blocks stand in front of each bad one: they must not be touched either. */
static void refusals(enum nic_path path, unsigned target)
{
    enum { BYTES = 100000 };
    static unsigned char memory[BYTES + 20];
    uint64_t random = seed;
    begin_job(2);
    fill_random(memory, sizeof memory, &random);
    uint32_t all = open_memory(target, memory + 10, BYTES, NIC_RIGHT_ALL),
        reads = open_memory(target, memory + 10, BYTES, NIC_RIGHT_READ);
    uint32_t writes = open_memory(target, memory + 10, BYTES, NIC_RIGHT_WRITE | NIC_RIGHT_ATOMIC),
        old = open_memory(target, memory, BYTES, NIC_RIGHT_ALL);
    must(!close_memory(target, old));
    uint32_t again = open_memory(target, memory + 10, BYTES, NIC_RIGHT_ALL);
    must(again != old);
    const struct nic_shape one = nic_contiguous(1), big = nic_contiguous(90000);
    const struct nic_block past[] = { { 0, 50 }, { 60000, 30000 }, { BYTES - 10, 11 } },
        far[] = { { 5, 5 }, { UINT64_MAX / 2, 5 } };
    const struct refusal r[] = {
        { { target, old, 0 }, one, true, -ENOKEY }, { { target, old, 0 }, big, false, -ENOKEY },
        { { target, all + NIC_REGIONS_MAX, 0 }, big, true, -ENOKEY },
        { { target, UINT32_MAX, 0 }, one, false, -ENOKEY },
        { { target, 2, 0 }, one, true, -ENOKEY },
        { { target, NIC_KEY_FIRST - 1, 0 }, one, false, -ENOKEY },
        { { target, reads, 0 }, big, true, -EACCES },
        { { target, writes, 0 }, big, false, -EACCES },
        { { target, reads, 0 }, one, true, -EACCES },
        { { target, all, BYTES }, one, true, -ERANGE },
        { { target, all, BYTES - 89999 }, big, true, -ERANGE },
        { { target, all, BYTES - 89999 }, big, false, -ERANGE },
        { { target, all, 1 }, { 1000, 1000, 100, NULL }, true, -ERANGE },
        { { target, all, 11 }, { 10, 12500, 9, NULL }, true, -ERANGE },
        { { target, all, 0 }, { .count = 3, .list = past }, true, -ERANGE },
        { { target, all, 0 }, { .count = 3, .list = past }, false, -ERANGE },
        { { target, all, 0 }, { .count = 2, .list = far }, true, -ERANGE },
        { { target, all, UINT64_MAX - 100 }, one, true, -ERANGE },
        { { target, all, UINT64_MAX / 2 }, big, false, -ERANGE },
    };
    for (unsigned i = 0; i < sizeof r / sizeof *r; i++) {
        expect_refused(path, &r[i], memory, sizeof memory);
        must(l.nic[0]->counts.transfer_errors == i + 1);
    }
    unsigned char last[90];
    struct nic_transfer inside = nic_transfer_of(last, (struct nic_address){ target, all, 10 },
                                                 sizeof last);
    inside.remote_shape = (struct nic_shape){ 10, 12000, 9, NULL };
    must(transfer(0, false, &inside) == 0 && !memcmp(last + 80, memory + 10 + 10 + 8 * 12000, 10));
    end_job();
}

START_TEST(refused_direct) { refusals(NIC_PATH_DIRECT, 0); } END_TEST
START_TEST(refused_kernel) { refusals(NIC_PATH_KERNEL, 1); } END_TEST
START_TEST(refused_staged) { refusals(NIC_PATH_STAGED, 1); } END_TEST

/* The scratchpad's and the heap's ranges, too. */
START_TEST(refused_scratchpad)
{
    unsigned char *at;
    begin_job(2);
    uint64_t size = l.job->layout.scratchpad;
    scratchpad(1, 1000, &at);
    const struct refusal r[] = {
        { { 1, NIC_KEY_SCRATCHPAD, size }, nic_contiguous(1), true, -ERANGE },
        { { 1, NIC_KEY_SCRATCHPAD, size - 999 }, nic_contiguous(1000), false, -ERANGE },
        { { 1, NIC_KEY_SCRATCHPAD, 0 }, { 8, (int64_t)size, 2, NULL }, true, -ERANGE },
        { { 1, NIC_KEY_SCRATCHPAD, UINT64_MAX - 7 }, nic_contiguous(4), true, -ERANGE },
    };
    for (unsigned i = 0; i < sizeof r / sizeof *r; i++) {
        expect_refused(NIC_PATH_DIRECT, &r[i], at, 1000);
        expect_refused(NIC_PATH_STAGED, &r[i], at, 1000);
    }
    end_job();
}
END_TEST

/* What makes no sense is refused by the call itself. */
START_TEST(senseless)
{
    unsigned char local[64] = { 0 };
    const struct nic_block wraps[] = { { UINT64_MAX - 3, 8 } },
        sums[] = { { 0, UINT64_MAX }, { 0, 2 } };
    struct nic_outcome o = { .status = 99 };
    begin_job(2);
    const struct nic_transfer good = nic_transfer_of(local, (struct nic_address){ 1, 0, 0 }, 8);
    struct nic_transfer t[10];
    for (unsigned i = 0; i < 10; i++)
        t[i] = good;
    t[0].remote.rank = 2;
    t[1].remote_shape.block = 9;
    t[2].remote_shape = (struct nic_shape){ .count = 1, .list = wraps };
    t[3].local_shape = t[3].remote_shape = (struct nic_shape){ .count = 2, .list = sums };
    t[4].local_shape = t[4].remote_shape = (struct nic_shape){ UINT64_MAX, 0, 3, NULL };
    t[5].local_shape = t[5].remote_shape = (struct nic_shape){ 4, INT64_MAX, 3, NULL };
    t[6].local_counter = 64;
    t[7].remote_counter = UINT64_MAX - 127;
    t[8].local = NULL;
    t[9].remote_shape = (struct nic_shape){ 4, -1, 2, NULL };      /* before the start */
    t[9].remote_shape.stride = INT64_MIN;
    for (unsigned i = 0; i < 10; i++)
        for (int put = 0; put < 2; put++)
            must(begin(0, put, &t[i], &o) == -EINVAL && o.status == 99);
    end_job();
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("refusal");
    TCase *c = tcase_create("refusals");
    suite_add_tcase(s, c);
    tcase_add_test(c, refused_direct);
    tcase_add_test(c, refused_kernel);
    tcase_add_test(c, refused_staged);
    tcase_add_test(c, refused_scratchpad);
    tcase_add_test(c, senseless);
    return s;
}

int main(void) { return transfers_run(suite()); }
