/* Transfers: every path and shape against a byte-by-byte oracle,
 * sizes, the cost on a modelled clock. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>
#include "modelled.h"
#include "shapes.h"
#include "transfers.h"

enum { GUARD = 4096, ROUNDS = 600 };

/* -- paths and shapes */

struct arenas {
    unsigned char *local, *remote;          /* ARENA bytes between guards */
    unsigned char want_local[ARENA + 2 * GUARD], want_remote[ARENA + 2 * GUARD];
    struct nic_address address;             /* of the remote arena's guard */
};

static void expect_as_wanted(const struct arenas *a)
{
    must(!memcmp(a->local, a->want_local, ARENA + 2 * GUARD));
    must(!memcmp(a->remote, a->want_remote, ARENA + 2 * GUARD));
}

/* `overlap`: the source may read bytes twice. */
static void one_random(struct arenas *a, uint64_t *random)
{
    static struct side local, remote;
    bool put = loop_below(random, 2);
    uint64_t total = random_total(random);
    random_side(&local, total, random, put);
    random_side(&remote, total, random, !put);
    struct nic_transfer t = nic_transfer_of(a->local + GUARD + local.start, a->address, 0);
    t.local_shape = local.shape;
    t.remote_shape = remote.shape;
    t.remote.offset += GUARD + remote.start;
    if (put)
        move_bytes(&remote, a->want_remote + GUARD, &local, a->want_local + GUARD, total);
    else
        move_bytes(&local, a->want_local + GUARD, &remote, a->want_remote + GUARD, total);
    must(transfer(0, put, &t) == 0);
    expect_as_wanted(a);
}

static void random_shapes(enum nic_path path, unsigned target, bool registered)
{
    struct arenas *a = malloc(sizeof *a);
    uint64_t random = seed + path * 7 + target;
    uint32_t key = NIC_KEY_SCRATCHPAD;
    begin_job(2);
    must(a && (a->local = malloc(ARENA + 2 * GUARD)));
    uint64_t offset = 0;
    if (registered) {
        must((a->remote = malloc(ARENA + 2 * GUARD)));
        key = open_memory(target, a->remote, ARENA + 2 * GUARD, NIC_RIGHT_READ | NIC_RIGHT_WRITE);
    } else {
        offset = scratchpad(target, ARENA + 2 * GUARD, &a->remote);
    }
    a->address = (struct nic_address){ target, key, offset };
    fill_random(a->local, ARENA + 2 * GUARD, &random);
    fill_random(a->remote, ARENA + 2 * GUARD, &random);
    memcpy(a->want_local, a->local, ARENA + 2 * GUARD);
    memcpy(a->want_remote, a->remote, ARENA + 2 * GUARD);
    allow(0, path);
    for (unsigned i = 0; i < ROUNDS; i++)
        one_random(a, &random);
    for (unsigned p = 0; p < NIC_PATH_COUNT; p++)
        must(!l.nic[0]->counts.path_bytes[p] == (p != (unsigned)path));
    must(l.nic[0]->counts.transfers == ROUNDS && !l.nic[0]->counts.transfer_errors
         && !l.nic[target]->counts.hw_dropped);
    if (registered) {
        must(!close_memory(target, key));
        free(a->remote);
    }
    end_job();
    free(a->local);
    free(a);
}

START_TEST(shapes_direct) { random_shapes(NIC_PATH_DIRECT, 1, false); } END_TEST
START_TEST(shapes_self) { random_shapes(NIC_PATH_DIRECT, 0, true); } END_TEST
START_TEST(shapes_kernel) { random_shapes(NIC_PATH_KERNEL, 1, true); } END_TEST
START_TEST(shapes_staged) { random_shapes(NIC_PATH_STAGED, 1, true); } END_TEST
START_TEST(shapes_staged_scratchpad) { random_shapes(NIC_PATH_STAGED, 1, false); } END_TEST
START_TEST(shapes_staged_self) { random_shapes(NIC_PATH_STAGED, 0, true); } END_TEST

/* -- sizes */

enum { LARGE = 3000000 };

static void large(enum nic_path path)
{
    unsigned char *local = malloc(LARGE), *remote = malloc(LARGE + 2);
    uint64_t random = seed;
    begin_job(2);
    must(local && remote);
    uint32_t key = open_memory(1, remote + 1, LARGE, NIC_RIGHT_ALL);
    struct nic_transfer t = nic_transfer_of(local, (struct nic_address){ 1, key, 0 }, LARGE);
    allow(0, path);
    for (int put = 0; put < 2; put++) {
        fill_random(local, LARGE, &random);
        fill_random(remote, LARGE + 2, &random);
        unsigned char before = remote[0], after = remote[LARGE + 1];
        must(transfer(0, put, &t) == 0);
        must(!memcmp(local, remote + 1, LARGE) && remote[0] == before
             && remote[LARGE + 1] == after);
    }
    must(l.nic[0]->counts.path_bytes[path] == 2 * LARGE);
    must(!close_memory(1, key));
    end_job();
    free(local);
    free(remote);
}

START_TEST(large_kernel) { large(NIC_PATH_KERNEL); } END_TEST
START_TEST(large_staged) { large(NIC_PATH_STAGED); } END_TEST

/* No bytes: nothing is looked at, but the counters move. */
START_TEST(no_bytes)
{
    begin_job(2);
    for (int put = 0; put < 2; put++) {
        struct nic_transfer t = nic_transfer_of(NULL, (struct nic_address){ 1, 77777, 5 }, 0);
        must(transfer(0, put, &t) == 0);
        struct nic_block none[3] = { { 1, 0 }, { 2, 0 }, { UINT64_MAX, 0 } };
        t.local_shape = (struct nic_shape){ .block = 9, .stride = 1 };
        t.remote_shape = (struct nic_shape){ .count = 3, .list = none };
        must(transfer(0, put, &t) == 0);
    }
    end_job();
}
END_TEST

/* Source and destination overlap in one scratchpad: as by memmove, also in several pieces. */
START_TEST(overlap)
{
    enum { BYTES = 700000 };
    unsigned char *at, *want = malloc(BYTES + 5000);
    uint64_t random = seed;
    must(want);
    for (int which = 0; which < 4; which++) {
        bool put = which & 1, up = which & 2;
        begin_job(1);
        uint64_t offset = scratchpad(0, BYTES + 5000, &at);
        fill_random(at, BYTES + 5000, &random);
        memcpy(want, at, BYTES + 5000);
        uint64_t from = up ? 0 : 5000, to = up ? 5000 : 0;
        struct nic_transfer t = nic_transfer_of(at + (put ? from : to),
                                                (struct nic_address){ 0, NIC_KEY_SCRATCHPAD,
                                                                      offset + (put ? to : from) },
                                                                          BYTES);
        memmove(want + to, want + from, BYTES);
        must(transfer(0, put, &t) == 0);
        must(!memcmp(at, want, BYTES + 5000));
        end_job();
    }
    free(want);
}
END_TEST

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
/* A range of more than 2 GiB, of which each window shows the same few pages. */
static unsigned char *windows(size_t window, size_t count)
{
    int fd = memfd_create("windows", 0);
    unsigned char *all = mmap(NULL, window * count, PROT_NONE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    must(fd >= 0 && !ftruncate(fd, (off_t)window) && all != MAP_FAILED);
    for (size_t i = 0; i < count; i++)
        must(mmap(all + i * window, window, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
                  0) != MAP_FAILED);
    close(fd);
    return all;
}

START_TEST(past_2_gib)
{
    enum { WINDOW = 2 << 20, COUNT = 1100 };
    const uint64_t bytes = (uint64_t)WINDOW * COUNT;
    uint64_t random = seed;
    begin_job(1);
    unsigned char *from = windows(WINDOW, COUNT), *to = windows(WINDOW, COUNT);
    fill_random(from, WINDOW, &random);
    uint32_t key = open_memory(0, to, bytes, NIC_RIGHT_WRITE);
    struct nic_transfer t = nic_transfer_of(from, (struct nic_address){ 0, key, 0 }, bytes);
    must(transfer(0, true, &t) == 0);
    must(!memcmp(to, from, WINDOW) && l.nic[0]->counts.path_bytes[NIC_PATH_DIRECT] == bytes);
    must(!close_memory(0, key));
    end_job();
    munmap(from, bytes);
    munmap(to, bytes);
}
END_TEST
#endif

/* Words of the segment are written at once, also by the short way. */
START_TEST(words)
{
    unsigned char *at;
    begin_job(2);
    uint64_t offset = scratchpad(1, 64, &at);
    for (unsigned bytes = 1; bytes <= 16; bytes++)
        for (unsigned shift = 0; shift < 8; shift++) {
            unsigned char back[16];
            memset(at, 0xee, 64);
            struct nic_address a = { 1, NIC_KEY_SCRATCHPAD, offset + 8 + shift };
            struct nic_transfer t = nic_transfer_of((void *)(uintptr_t)loop_payload(bytes), a,
                                                    bytes), g = nic_transfer_of(back, a, bytes);
            must(transfer(0, true, &t) == 0);
            must(loop_is_payload(at + 8 + shift, bytes, bytes) && at[7 + shift] == 0xee
                 && at[8 + shift + bytes] == 0xee);
            must(transfer(0, false, &g) == 0 && loop_is_payload(back, bytes, bytes));
        }
    end_job();
}
END_TEST

/* -- model clock: the target's hardware does it, and every run takes the same time */

static struct { unsigned char memory[40000], local[40000]; uint32_t key; uint64_t there, end;
                } model;

static void *initiator(void *argument)
{
    struct nic *n = argument;
    uint64_t random = 5;
    nic_enter(n);
    fill_random(model.memory, sizeof model.memory, &random);
    for (unsigned i = 1; i < 30; i++) {
        bool put = i & 1, spread = i % 3 == 0;
        struct nic_transfer t = nic_transfer_of(model.local,
                                                (struct nic_address){ 1, model.key, i }, i * 1000);
        struct nic_outcome outcome = { 0 };
        if (spread)
            t.remote_shape = (struct nic_shape){ 100, 110, 10 * i, NULL };
        t.remote_counter = model.there;
        t.remote_amount = 1;
        fill_random(model.local, sizeof model.local, &random);
        must((put ? nic_put : nic_get)(n, &t, &outcome) == 0 && nic_outcome_wait(n, &outcome) == 0);
        for (unsigned b = 0; b < i * 1000; b += 50)
            must(model.local[b] == model.memory[i + (spread ? b / 100 * 110 + b % 100 : b)]);
    }
    struct nic_transfer odd = nic_transfer_of(model.local,
                                              (struct nic_address){ 1, model.key, 0 }, 8);
    odd.remote_counter = model.there + 8;           /* no counter can be there */
    must(nic_put(n, &odd, NULL) == -EINVAL && nic_get(n, &odd, NULL) == -EINVAL);
    must(!n->counts.path_bytes[NIC_PATH_DIRECT] && !n->counts.path_bytes[NIC_PATH_KERNEL]);
    must(n->clock->charged[NIC_COST_RDMA] == 29 && n->clock->charged[NIC_COST_RDMA_BLOCK]);
    must(nic_store(n, 1, model.end, 1, 8) == 0);
    nic_leave(n);
    nic_close(n);
    return NULL;
}

/* Waits for the word that comes behind everything. */
static void *target(void *argument)
{
    struct nic *n = argument;
    uint64_t value;
    int64_t count;
    nic_enter(n);
    must(nic_word_wait(n, model.end, 8, 0, &value) == 0);
    must(nic_counter_read(n, model.there, &count) == 0 && count == 29 - 1000);
    must(n->clock->charged[NIC_COST_TRANSLATE]);
    nic_leave(n);
    nic_close(n);
    return NULL;
}

static struct nic_model_result modelled(void)
{
    struct nic_model_result result;
    pthread_t thread[2];
    loop_open_in(&l, model_job(2, false, NULL), NIC_PROGRESS_HOST);
    model.key = open_memory(1, model.memory, sizeof model.memory, NIC_RIGHT_ALL);
    model.there = new_counter(1);
    model.end = nic_spad_alloc(l.nic[1], NIC_SPAD_USER, 8, 8);
    memset(nic_spad_at(l.nic[1], 1, model.end, 8), 0, 8);
    must(!pthread_create(&thread[0], NULL, initiator, l.nic[0])
         && !pthread_create(&thread[1], NULL, target, l.nic[1]));
    must(!pthread_join(thread[0], NULL) && !pthread_join(thread[1], NULL));
    must(nic_job_model_result(l.job, &result));
    for (unsigned r = 0; r < 2; r++)
        free(l.catcher[r]);
    nic_job_close(l.job);
    return result;
}

START_TEST(model_clock)
{
    struct nic_model_result a = modelled(), b = modelled();
    must(a.time && a.hash == b.hash && a.events == b.events && a.time == b.time);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("transfer");
    TCase *c = tcase_create("shapes");
    suite_add_tcase(s, c);
    tcase_add_test(c, shapes_direct);
    tcase_add_test(c, shapes_self);
    tcase_add_test(c, shapes_kernel);
    tcase_add_test(c, shapes_staged);
    tcase_add_test(c, shapes_staged_scratchpad);
    tcase_add_test(c, shapes_staged_self);
    c = tcase_create("sizes");
    suite_add_tcase(s, c);
    tcase_add_test(c, large_kernel);
    tcase_add_test(c, large_staged);
    tcase_add_test(c, no_bytes);
    tcase_add_test(c, overlap);
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
    tcase_add_test(c, past_2_gib);
#endif
    tcase_add_test(c, words);
    c = tcase_create("clock");
    suite_add_tcase(s, c);
    tcase_add_test(c, model_clock);
    return s;
}

int main(void) { return transfers_run(suite()); }
