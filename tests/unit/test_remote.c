/* Transfers between NICs of one process: every path and shape against a byte-by-byte oracle, what the target refuses,
 * counters, full inboxes, garbage. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>
#include "counters.h"
#include "remote.h"
#include "shapes.h"

enum { GUARD = 4096, ROUNDS = 600, TURNS_MAX = 1000000 };

static struct loop l;
static uint64_t seed = 88172645463325252u;

/* -- ranks in turn */

static bool turn(unsigned rank)
{
    nic_enter(l.nic[rank]);
    bool moved = nic_step(l.nic[rank]);
    nic_leave(l.nic[rank]);
    return moved;
}

static void settle(void)
{
    for (unsigned idle = 0, turns = 0; idle < 3; turns++) {
        bool moved = false;
        for (unsigned r = 0; r < l.ranks; r++)
            moved |= turn(r);
        idle = moved ? 0 : idle + 1;
        must(turns < TURNS_MAX);
    }
}

static int begin(unsigned rank, bool put, const struct nic_transfer *t, struct nic_outcome *o)
{
    nic_enter(l.nic[rank]);
    int rc = put ? nic_put(l.nic[rank], t, o) : nic_get(l.nic[rank], t, o);
    nic_leave(l.nic[rank]);
    return rc;
}

static int finish(const struct nic_outcome *o)
{
    for (unsigned long turns = 0; nic_outcome_status(o) == -EINPROGRESS; turns++) {
        for (unsigned r = 0; r < l.ranks; r++)
            turn(r);
        must(turns < TURNS_MAX);
    }
    return nic_outcome_status(o);
}

static int transfer(unsigned rank, bool put, const struct nic_transfer *t)
{
    struct nic_outcome o = { .status = 1 };
    must(begin(rank, put, t, &o) == 0);
    return finish(&o);
}

static uint32_t open_memory(unsigned rank, void *base, size_t bytes, unsigned rights)
{
    uint32_t key = 0;
    nic_enter(l.nic[rank]);
    must(nic_register(l.nic[rank], base, bytes, rights, &key) == 0);
    nic_leave(l.nic[rank]);
    must(key >= NIC_KEY_FIRST);
    return key;
}

static int close_memory(unsigned rank, uint32_t key)
{
    nic_enter(l.nic[rank]);
    int rc = nic_deregister(l.nic[rank], key);
    nic_leave(l.nic[rank]);
    return rc;
}

static void allow(unsigned rank, enum nic_path path)
{
    nic_enter(l.nic[rank]);
    nic_remote_allow(l.nic[rank], 1u << path);
    nic_leave(l.nic[rank]);
}

static uint64_t scratchpad(unsigned rank, size_t bytes, unsigned char **at)
{
    nic_enter(l.nic[rank]);
    uint64_t offset = nic_spad_alloc(l.nic[rank], NIC_SPAD_USER, bytes, 64);
    must(offset != NIC_SPAD_NONE);
    must((*at = nic_spad_at(l.nic[rank], rank, offset, bytes)));
    nic_leave(l.nic[rank]);
    return offset;
}

static void begin_job(unsigned ranks)
{
    unsetenv("NICEMU_RDMA");
    loop_open(&l, ranks);
}

/* At the end nothing is under way, waits or has been dropped. */
static void end_job(void)
{
    settle();
    for (unsigned r = 0; r < l.ranks; r++) {
        must(!nic_outstanding(l.nic[r]) && !l.nic[r]->active && !l.nic[r]->hw_busy && !l.nic[r]->remote->queues && !l.nic[r]->remote->pending_count);
        must(!l.nic[r]->remote->ops);
    }
    loop_close(&l);
}

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
    must(l.nic[0]->counts.transfers == ROUNDS && !l.nic[0]->counts.transfer_errors && !l.nic[target]->counts.hw_dropped);
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
        must(!memcmp(local, remote + 1, LARGE) && remote[0] == before && remote[LARGE + 1] == after);
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
        struct nic_transfer t = nic_transfer_of(at + (put ? from : to), (struct nic_address){ 0, NIC_KEY_SCRATCHPAD, offset + (put ? to : from) }, BYTES);
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
    unsigned char *all = mmap(NULL, window * count, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    must(fd >= 0 && !ftruncate(fd, (off_t)window) && all != MAP_FAILED);
    for (size_t i = 0; i < count; i++)
        must(mmap(all + i * window, window, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED);
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
            struct nic_transfer t = nic_transfer_of((void *)(uintptr_t)loop_payload(bytes), a, bytes), g = nic_transfer_of(back, a, bytes);
            must(transfer(0, true, &t) == 0);
            must(loop_is_payload(at + 8 + shift, bytes, bytes) && at[7 + shift] == 0xee && at[8 + shift + bytes] == 0xee);
            must(transfer(0, false, &g) == 0 && loop_is_payload(back, bytes, bytes));
        }
    end_job();
}
END_TEST

/* -- what is refused */

struct refusal { struct nic_address address; struct nic_shape shape; bool put; int status; };

static void expect_refused(enum nic_path path, const struct refusal *r, unsigned char *remote, size_t bytes)
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
        fprintf(stderr, "path %s, put %d, key %u: status %d in place of %d\n", nic_path_name(path), r->put, r->address.key, status, r->status);
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
    uint32_t all = open_memory(target, memory + 10, BYTES, NIC_RIGHT_ALL), reads = open_memory(target, memory + 10, BYTES, NIC_RIGHT_READ);
    uint32_t writes = open_memory(target, memory + 10, BYTES, NIC_RIGHT_WRITE | NIC_RIGHT_ATOMIC), old = open_memory(target, memory, BYTES, NIC_RIGHT_ALL);
    must(!close_memory(target, old));
    uint32_t again = open_memory(target, memory + 10, BYTES, NIC_RIGHT_ALL);
    must(again != old);
    const struct nic_shape one = nic_contiguous(1), big = nic_contiguous(90000);
    const struct nic_block past[] = { { 0, 50 }, { 60000, 30000 }, { BYTES - 10, 11 } }, far[] = { { 5, 5 }, { UINT64_MAX / 2, 5 } };
    const struct refusal r[] = {
        { { target, old, 0 }, one, true, -ENOKEY }, { { target, old, 0 }, big, false, -ENOKEY },
        { { target, all + NIC_REGIONS_MAX, 0 }, big, true, -ENOKEY }, { { target, UINT32_MAX, 0 }, one, false, -ENOKEY },
        { { target, 2, 0 }, one, true, -ENOKEY }, { { target, NIC_KEY_FIRST - 1, 0 }, one, false, -ENOKEY },
        { { target, reads, 0 }, big, true, -EACCES }, { { target, writes, 0 }, big, false, -EACCES }, { { target, reads, 0 }, one, true, -EACCES },
        { { target, all, BYTES }, one, true, -ERANGE }, { { target, all, BYTES - 89999 }, big, true, -ERANGE }, { { target, all, BYTES - 89999 }, big, false, -ERANGE },
        { { target, all, 1 }, { 1000, 1000, 100, NULL }, true, -ERANGE }, { { target, all, 10 }, { 10, 12000, 9, NULL }, false, 0 },
        { { target, all, 11 }, { 10, 12500, 9, NULL }, true, -ERANGE }, { { target, all, 0 }, { .count = 3, .list = past }, true, -ERANGE },
        { { target, all, 0 }, { .count = 3, .list = past }, false, -ERANGE }, { { target, all, 0 }, { .count = 2, .list = far }, true, -ERANGE },
        { { target, all, UINT64_MAX - 100 }, one, true, -ERANGE }, { { target, all, UINT64_MAX / 2 }, big, false, -ERANGE },
    };
    uint64_t errors = 0;
    for (unsigned i = 0; i < sizeof r / sizeof *r; i++)
        if (r[i].status) {
            expect_refused(path, &r[i], memory, sizeof memory);
            must(l.nic[0]->counts.transfer_errors == ++errors);
        }
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
    uint64_t size = l.job->header->scratchpad;
    scratchpad(1, 1000, &at);
    const struct refusal r[] = {
        { { 1, NIC_KEY_SCRATCHPAD, size }, nic_contiguous(1), true, -ERANGE }, { { 1, NIC_KEY_SCRATCHPAD, size - 999 }, nic_contiguous(1000), false, -ERANGE },
        { { 1, NIC_KEY_SCRATCHPAD, 0 }, { 8, (int64_t)size, 2, NULL }, true, -ERANGE }, { { 1, NIC_KEY_SCRATCHPAD, UINT64_MAX - 7 }, nic_contiguous(4), true, -ERANGE },
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
    const struct nic_block wraps[] = { { UINT64_MAX - 3, 8 } }, sums[] = { { 0, UINT64_MAX }, { 0, 2 } };
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

/* -- the end of a transfer */

static unsigned ends;
static int end_status;

static void count_end(void *context, int status)
{
    must(context == &ends);
    ends++;
    end_status = status;
}

static uint64_t new_counter(unsigned rank)
{
    const struct nic_counter_config config = { .bits = 64, .size = 1000 };
    uint64_t counter = 0;
    nic_enter(l.nic[rank]);
    must(nic_counter_create(l.nic[rank], &config, &counter) == 0);
    nic_leave(l.nic[rank]);
    return counter;
}

static int64_t count_of(unsigned rank, uint64_t counter)
{
    int64_t value = 0;
    nic_enter(l.nic[rank]);
    must(nic_counter_read(l.nic[rank], counter, &value) == 0);
    nic_leave(l.nic[rank]);
    return value;
}

/* Counters at both ends move once, and only if all went well; the callback comes once in any case. */
static void counted(enum nic_path path)
{
    static unsigned char local[70000], memory[70000];
    struct nic_outcome o = { .done = count_end, .context = &ends };
    begin_job(2);
    uint32_t key = open_memory(1, memory, sizeof memory, NIC_RIGHT_ALL);
    uint64_t here = new_counter(0), there = new_counter(1);
    int64_t want_here = -1000, want_there = -1000;
    allow(0, path);
    ends = 0;
    for (unsigned i = 1; i < 60; i++) {
        bool bad = i % 3 == 0, put = i % 2;
        struct nic_transfer t = nic_transfer_of(local, (struct nic_address){ 1, bad ? key + NIC_REGIONS_MAX : key, i }, i * 1000);
        t.local_counter = here;
        t.local_amount = i;
        t.remote_counter = there;
        t.remote_amount = 2 * i;
        must(begin(0, put, &t, &o) == 0);
        int status = finish(&o);
        must(status == (bad ? -ENOKEY : 0) && ends == i && end_status == status);
        want_here += bad ? 0 : i;
        want_there += bad ? 0 : 2 * i;
        must(count_of(0, here) == want_here && count_of(1, there) == want_there);
    }
    must(!close_memory(1, key));
    end_job();
}

START_TEST(counted_kernel) { counted(NIC_PATH_KERNEL); } END_TEST
START_TEST(counted_staged) { counted(NIC_PATH_STAGED); } END_TEST

/* -- many at once */

/* Both ranks put and get, in both directions, and nobody takes turns for a while: inboxes fill up, replies wait,
 * nothing is lost. */
START_TEST(full_inboxes)
{
    enum { OPS = 60, BYTES = 50000 };
    static unsigned char memory[2][OPS][BYTES], local[2][OPS][BYTES];
    static struct nic_outcome o[2][OPS];
    uint64_t random = seed;
    uint32_t key[2];
    begin_job(2);
    fill_random(memory, sizeof memory, &random);
    fill_random(local, sizeof local, &random);
    for (unsigned r = 0; r < 2; r++) {
        key[r] = open_memory(r, memory[r], sizeof memory[r], NIC_RIGHT_ALL);
        allow(r, NIC_PATH_STAGED);
    }
    for (unsigned r = 0; r < 2; r++)
        for (unsigned i = 0; i < OPS; i++) {
            struct nic_transfer t = nic_transfer_of(local[r][i], (struct nic_address){ 1 - r, key[1 - r], (uint64_t)i * BYTES }, BYTES);
            must(begin(r, (i + r) % 2, &t, &o[r][i]) == 0);
        }
    must(nic_outstanding(l.nic[0]) == OPS);
    for (unsigned i = 0; i < 400; i++)      /* rank 0 alone, then rank 1 alone */
        turn(i / 200);
    for (unsigned i = 0; i < 1000; i++)
        turn(i & 1);
    for (unsigned r = 0; r < 2; r++)
        for (unsigned i = 0; i < OPS; i++)
            must(finish(&o[r][i]) == 0 && !memcmp(local[r][i], memory[1 - r][i], BYTES));
    end_job();
}
END_TEST

/* An inbox is full of requests for bytes, and whoever asked does not take the answers: these wait, in order. */
START_TEST(answers_wait)
{
    enum { OPS = 40, BYTES = 16000 };
    static unsigned char memory[OPS * BYTES], local[OPS][BYTES];
    static struct nic_outcome o[OPS];
    uint64_t random = seed;
    begin_job(2);
    fill_random(memory, sizeof memory, &random);
    uint32_t key = open_memory(1, memory, sizeof memory, NIC_RIGHT_READ);
    allow(0, NIC_PATH_STAGED);
    for (unsigned i = 0; i < OPS; i++) {
        struct nic_transfer t = nic_transfer_of(local[i], (struct nic_address){ 1, key, (uint64_t)i * BYTES }, BYTES);
        must(begin(0, false, &t, &o[i]) == 0);
    }
    for (unsigned i = 0; i < 100; i++)      /* its requests go out, one a turn; there is nothing to take in */
        turn(0);
    for (unsigned i = 0; i < 100; i++)
        turn(1);
    must(l.nic[1]->counts.hw_waited > OPS / 2 && l.nic[1]->remote->queues);
    for (unsigned i = 0; i < OPS; i++)
        must(finish(&o[i]) == 0 && !memcmp(local[i], memory + i * BYTES, BYTES));
    end_job();
}
END_TEST

/* -- deregistration while packets are on their way */

START_TEST(deregister_under_way)
{
    enum { BYTES = 600000 };
    static unsigned char memory[BYTES], local[BYTES];
    uint64_t random = seed;
    begin_job(2);
    allow(0, NIC_PATH_STAGED);
    for (unsigned round = 0; round < 60; round++) {
        struct nic_outcome o = { .status = 0 };
        bool put = round % 3;
        uint32_t key = open_memory(1, memory, BYTES, NIC_RIGHT_ALL);
        struct nic_transfer t = nic_transfer_of(local, (struct nic_address){ 1, key, 0 }, BYTES);
        if (round & 1)
            t.remote_shape = (struct nic_shape){ 50, 60, BYTES / 60, NULL };
        t.local_shape = nic_contiguous(t.remote_shape.block * t.remote_shape.count);
        must(begin(0, put, &t, &o) == 0);
        for (unsigned turns = loop_below(&random, 40); turns--;)
            turn(loop_below(&random, 2));
        int before = nic_outcome_status(&o);
        must(!close_memory(1, key));
        memset(memory, (int)round, BYTES);
        must(finish(&o) == (before == -EINPROGRESS ? -ENOKEY : 0) || (before == -EINPROGRESS && !put));     /* the last answer may have been on its way */
        settle();
        for (size_t i = 0; i < BYTES; i++)
            must(memory[i] == (unsigned char)round);
    }
    end_job();
}
END_TEST

/* -- NIC threads: each NIC has one that takes all turns, or one that serves what its host leaves */

static void threaded(enum nic_progress progress, enum nic_path path)
{
    enum { OPS = 40, BYTES = 40000 };
    static unsigned char memory[2][OPS * BYTES], local[2][OPS][BYTES];
    static struct nic_outcome o[2][OPS];
    uint64_t random = seed;
    uint32_t key[2];
    unsetenv("NICEMU_RDMA");
    loop_open_in(&l, loop_job(2), progress);
    fill_random(memory, sizeof memory, &random);
    for (unsigned r = 0; r < 2; r++) {
        key[r] = open_memory(r, memory[r], sizeof memory[r], NIC_RIGHT_ALL);
        allow(r, path);
    }
    for (unsigned r = 0; r < 2; r++)        /* one gets, the other puts, the halves of the same memory */
        for (unsigned i = r; i < OPS; i += 2) {
            struct nic_transfer t = nic_transfer_of(local[r][i], (struct nic_address){ 1 - r, key[1 - r], (uint64_t)i * BYTES }, BYTES);
            fill_random(local[r][i], 100, &random);
            must(begin(r, r, &t, &o[r][i]) == 0);
        }
    for (unsigned r = 0; r < 2; r++)
        for (unsigned i = r; i < OPS; i += 2) {
            nic_enter(l.nic[r]);
            must(nic_outcome_wait(l.nic[r], &o[r][i]) == 0);
            nic_leave(l.nic[r]);
        }
    for (unsigned r = 0; r < 2; r++)
        must(!close_memory(r, key[r]));
    for (unsigned r = 0; r < 2; r++)
        for (unsigned i = r; i < OPS; i += 2)
            must(!memcmp(local[r][i], memory[1 - r] + i * BYTES, BYTES));
    loop_close(&l);
}

START_TEST(threads_staged) { threaded(NIC_PROGRESS_THREAD, NIC_PATH_STAGED); } END_TEST
START_TEST(threads_kernel) { threaded(NIC_PROGRESS_THREAD, NIC_PATH_KERNEL); } END_TEST
START_TEST(served_while_away) { threaded(NIC_PROGRESS_AUTO, NIC_PATH_STAGED); } END_TEST

/* -- garbage */

struct wire { uint16_t source, what; uint32_t key; uint64_t offset, hull_offset, hull_bytes; };

static uint64_t near_edge(uint64_t *random, uint64_t size)
{
    switch (loop_below(random, 5)) {
    case 0: return loop_random(random);
    case 1: return size + loop_below(random, 9) - 4;
    case 2: return UINT64_MAX - loop_below(random, 20000);
    case 3: return loop_below(random, 20);
    default: return loop_below(random, (uint32_t)size);
    }
}

/* Past the program's door, which refuses such types. */
static void send_raw(const struct nic_message *m)
{
    nic_enter(l.nic[0]);
    while (l.nic[0]->link->send(l.nic[0], 1, m, true)) {
        nic_leave(l.nic[0]);
        turn(1);
        turn(0);
        nic_enter(l.nic[0]);
    }
    nic_leave(l.nic[0]);
}

/* A list that is sound but for the places of some blocks. */
static void send_bad_list(uint64_t *random, uint32_t key, uint64_t size)
{
    struct { uint64_t counter, amount; struct nic_block block[20]; unsigned char data[2000]; } body = { .counter = NIC_SPAD_NONE };
    bool put = loop_below(random, 2), last = put && loop_below(random, 2);
    unsigned count = 1 + loop_below(random, 20);
    uint64_t sum = 0;
    for (unsigned i = 0; i < count; i++) {
        body.block[i] = (struct nic_block){ loop_below(random, (uint32_t)size - 100), 1 + loop_below(random, 99) };
        if (loop_below(random, count) == 0)
            body.block[i].offset = near_edge(random, size);
        sum += body.block[i].bytes;
    }
    memmove(&body.block[count], body.data, sum);        /* what is behind the blocks does not matter */
    struct wire w = { .source = 0, .what = (uint16_t)(0x8000 | (last ? 0x4000 : 0) | (put ? 0 : sum)), .key = key, .offset = count, .hull_bytes = size };
    unsigned char *from = last ? (unsigned char *)&body : (unsigned char *)body.block;
    struct nic_message m = { .type = put ? NIC_HW_PUT : NIC_HW_GET, .head = &w, .head_bytes = sizeof w, .data = from,
                             .data_bytes = (uint32_t)((last ? 16 : 0) + count * sizeof *body.block + (put ? sum : 0)) };
    send_raw(&m);
}

/* A packet that is almost right, or not at all. */
static void send_garbage(uint64_t *random, const uint32_t *keys, unsigned count, uint64_t size)
{
    unsigned char data[1200];
    struct wire w = { .source = (uint16_t)(loop_below(random, 8) ? loop_below(random, 2) : loop_random(random)), .what = (uint16_t)loop_random(random),
                      .key = loop_below(random, 6) ? keys[loop_below(random, count)] : (uint32_t)loop_random(random), .offset = near_edge(random, size),
                      .hull_offset = near_edge(random, size), .hull_bytes = near_edge(random, size) };
    fill_random(data, sizeof data, random);
    if (loop_below(random, 2))
        for (unsigned i = 0; i < 40; i++) {
            struct nic_block b = { near_edge(random, size), near_edge(random, 60) };
            memcpy(data + i * sizeof b, &b, sizeof b);
        }
    if (loop_below(random, 3) == 0)
        w.offset = loop_below(random, 60);      /* as a number of blocks */
    if (loop_below(random, 2))
        w.hull_offset = 0, w.hull_bytes = size;
    struct nic_message m = { .type = (uint8_t)(NIC_HW_FIRST + loop_below(random, NIC_HW_END - NIC_HW_FIRST + 2)), .match = loop_random(random) >> loop_below(random, 64),
                             .flags = loop_below(random, 4) ? 0 : (uint8_t)loop_random(random), .head = &w, .head_bytes = (uint16_t)(8 * loop_below(random, 5)),
                             .data = data, .data_bytes = loop_below(random, loop_below(random, 2) ? 64 : sizeof data) };
    if (loop_below(random, 16) == 0)
        m.type = (uint8_t)(NIC_HW_FIRST + loop_below(random, 256 - NIC_HW_FIRST));
    send_raw(&m);
}

START_TEST(garbage)
{
    enum { BYTES = 5000, PACKETS = 60000 };
    static unsigned char fixed[BYTES], open_to_all[BYTES + 2 * GUARD], local[BYTES], copy[BYTES];
    uint64_t random = seed;
    struct nic_outcome o = { .done = NULL };
    begin_job(3);
    fill_random(fixed, BYTES, &random);
    memcpy(copy, fixed, BYTES);
    memset(open_to_all, 0xab, sizeof open_to_all);
    const uint32_t keys[] = { open_memory(1, fixed, BYTES, NIC_RIGHT_READ), open_memory(1, open_to_all + GUARD, BYTES, NIC_RIGHT_ALL), NIC_KEY_HEAP };
    allow(2, NIC_PATH_STAGED);
    for (unsigned i = 0; i < PACKETS; i++) {
        send_garbage(&random, keys, 3, BYTES);
        if (i % 8 == 0)
            send_bad_list(&random, keys[loop_below(&random, 2)], BYTES);
        if (i % 16 == 0)
            settle();
        if (i % 1000 == 0) {        /* in between an honest rank gets what it asks for */
            struct nic_transfer t = nic_transfer_of(local, (struct nic_address){ 1, keys[0], 0 }, BYTES);
            must(begin(2, false, &t, &o) == 0 && finish(&o) == 0 && !memcmp(local, copy, BYTES));
        }
    }
    settle();
    must(!memcmp(fixed, copy, BYTES) && l.nic[1]->counts.hw_dropped > PACKETS / 4);
    for (unsigned i = 0; i < GUARD; i++)
        must(open_to_all[i] == 0xab && open_to_all[GUARD + BYTES + i] == 0xab);
    end_job();
}
END_TEST

/* Replies that nobody waits for, and replies from the wrong rank, end nothing. */
START_TEST(invented_replies)
{
    static unsigned char memory[1000], local[1000];
    struct nic_outcome o = { .done = NULL };
    begin_job(3);
    uint32_t key = open_memory(1, memory, sizeof memory, NIC_RIGHT_ALL);
    allow(0, NIC_PATH_STAGED);
    struct nic_transfer t = nic_transfer_of(local, (struct nic_address){ 1, key, 0 }, sizeof local);
    must(begin(0, false, &t, &o) == 0);
    turn(0);                            /* the request is out; its id is known here only because we look into the NIC */
    uint64_t id = nic_pending_id(&l.nic[0]->remote->pending[0][0]);
    nic_enter(l.nic[2]);
    for (unsigned i = 0; i < 4; i++) {
        struct { uint32_t source; int32_t status; } reply = { i == 0 ? 2 : 1, -EIO };
        nic_hw_send(l.nic[2], 0, i == 1 ? NIC_HW_PUT_REPLY : NIC_HW_GET_REPLY, i == 2 ? id + (UINT64_C(1) << 32) : i == 3 ? id + 1 : id, &reply, sizeof reply, NULL, 0);
    }
    nic_leave(l.nic[2]);
    while (turn(0))
        ;
    must(nic_outcome_status(&o) == -EINPROGRESS && l.nic[0]->counts.hw_dropped == 4);
    must(finish(&o) == 0);
    must(!close_memory(1, key));
    end_job();
}
END_TEST

/* Packets that waited for room are not overtaken: each puts its number, and the numbers count up. */
START_TEST(order_of_queued)
{
    enum { BYTES = 8000, PACKETS = 200 };
    static uint32_t memory[BYTES / 4], data[BYTES / 4];
    uint64_t random = seed;
    uint32_t sent = 0, seen = 0;
    begin_job(2);
    uint32_t key = open_memory(1, memory, BYTES, NIC_RIGHT_WRITE);
    while (seen < PACKETS) {
        for (unsigned n = loop_below(&random, 30); n-- && sent < PACKETS;) {
            struct wire w = { .key = key, .hull_bytes = BYTES };
            sent++;
            for (unsigned i = 0; i < BYTES / 4; i++)
                data[i] = sent;
            nic_enter(l.nic[0]);
            nic_hw_send(l.nic[0], 1, NIC_HW_PUT, 0, &w, sizeof w, data, BYTES);
            nic_leave(l.nic[0]);
        }
        if (loop_below(&random, 2))
            turn(0);
        for (unsigned n = loop_below(&random, 12); n--;) {
            nic_enter(l.nic[1]);
            l.nic[1]->link->poll(l.nic[1]);     /* one packet */
            nic_leave(l.nic[1]);
            must(memory[0] == memory[BYTES / 4 - 1] && (memory[0] == seen || memory[0] == seen + 1));
            seen = memory[0];
        }
    }
    must(l.nic[0]->counts.hw_waited > 10 && !l.nic[1]->counts.hw_dropped);
    must(!close_memory(1, key));
    end_job();
}
END_TEST

/* The first chunk of a packet is in the memory, the rest still on its way, when the memory's key ends: the rest goes
 * nowhere. */
START_TEST(deregister_in_a_packet)
{
    enum { BYTES = 12000 };
    static unsigned char memory[BYTES], data[BYTES];
    struct nic_ring *ring;
    uint64_t pos, head_seen = 0;
    begin_job(2);
    memset(data, 0xdd, BYTES);
    uint32_t key = open_memory(1, memory, BYTES, NIC_RIGHT_WRITE);
    const struct wire w = { .key = key, .hull_bytes = BYTES };
    ring = nic_job_ring(l.job, 1);
    must(nic_ring_reserve(ring, nic_ring_lines_for(sizeof w + BYTES), &head_seen, &pos));
    memcpy(nic_ring_at(ring, pos)->head, &w, sizeof w);
    memset(nic_ring_at(ring, pos)->head + sizeof w, 0xdd, NIC_HEADER_DATA - sizeof w);
    memset((void *)nic_ring_at(ring, pos + 1), 0xdd, NIC_INTERIOR_DATA);
    nic_ring_publish(ring, pos, nic_word0(pos, NIC_HW_PUT, 0, sizeof w + BYTES));
    turn(1);
    must(l.nic[1]->landing.bytes && memory[NIC_INTERIOR_DATA] == 0xdd);
    must(!close_memory(1, key));
    memset(memory, 0, BYTES);
    for (uint32_t left = sizeof w + BYTES - NIC_HEADER_DATA - NIC_INTERIOR_DATA; left;) {
        uint32_t chunk = left < NIC_CONTINUATION_DATA + NIC_INTERIOR_DATA ? left : NIC_CONTINUATION_DATA + NIC_INTERIOR_DATA;
        pos += NIC_CHUNK_LINES;
        memset(nic_ring_at(ring, pos)->body, 0xdd, NIC_CONTINUATION_DATA);
        if (chunk > NIC_CONTINUATION_DATA)
            memset((void *)nic_ring_at(ring, pos + 1), 0xdd, chunk - NIC_CONTINUATION_DATA);
        nic_ring_publish(ring, pos, nic_ring_stamp(pos));
        left -= chunk;
    }
    settle();
    must(!l.nic[1]->landing.bytes);
    for (unsigned i = 0; i < BYTES; i++)
        must(!memory[i]);
    end_job();
}
END_TEST

/* Types of the hardware are not for programs. */
START_TEST(types_are_reserved)
{
    begin_job(2);
    for (unsigned type = NIC_HW_FIRST; type < 256; type++) {
        struct nic_message m = { .type = (uint8_t)type };
        must(loop_send(l.nic[0], 1, &m) == -EINVAL);
        nic_enter(l.nic[0]);
        must(nic_send_service(l.nic[0], 1, &m) == -EINVAL);
        nic_leave(l.nic[0]);
        must(!nic_send_now(l.nic[0], 1, (uint8_t)type, 0, NULL, 0));
    }
    settle();
    must(!l.catcher[1]->packets);
    end_job();
}
END_TEST

/* -- model clock: the target's hardware does it, and every run takes the same time */

static void modelled(struct nic_clock *clocks)
{
    static unsigned char memory[40000], local[40000];
    uint64_t random = 5;
    begin_job(2);
    for (unsigned r = 0; r < 2; r++) {
        clocks[r] = (struct nic_clock){ .now = 0 };
        for (unsigned c = 0; c < NIC_COST_COUNT; c++)
            clocks[r].cost[c] = 3 + 2 * c;
        nic_enter(l.nic[r]);
        l.nic[r]->clock = &clocks[r];
        nic_active(l.nic[r], 0);
        nic_leave(l.nic[r]);
    }
    uint32_t key = open_memory(1, memory, sizeof memory, NIC_RIGHT_ALL);
    uint64_t there = new_counter(1);
    fill_random(memory, sizeof memory, &random);
    for (unsigned i = 1; i < 30; i++) {
        bool put = i & 1, spread = i % 3 == 0;
        struct nic_transfer t = nic_transfer_of(local, (struct nic_address){ 1, key, i }, i * 1000);
        if (spread)
            t.remote_shape = (struct nic_shape){ 100, 110, 10 * i, NULL };
        t.remote_counter = there;
        t.remote_amount = 1;
        fill_random(local, sizeof local, &random);
        must(transfer(0, put, &t) == 0 && count_of(1, there) == (int64_t)i - 1000);
        for (unsigned b = 0; b < i * 1000; b += 50)
            must(local[b] == memory[i + (spread ? b / 100 * 110 + b % 100 : b)]);
    }
    must(!l.nic[0]->counts.path_bytes[NIC_PATH_DIRECT] && !l.nic[0]->counts.path_bytes[NIC_PATH_KERNEL]);
    must(clocks[1].charged[NIC_COST_TRANSLATE] && clocks[0].charged[NIC_COST_RDMA] == 29 && clocks[0].charged[NIC_COST_RDMA_BLOCK]);
    end_job();
}

START_TEST(model_clock)
{
    struct nic_clock a[2], b[2];
    modelled(a);
    modelled(b);
    for (unsigned r = 0; r < 2; r++)
        must(a[r].now == b[r].now && a[r].now && !memcmp(a[r].charged, b[r].charged, sizeof a[r].charged));
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("remote");
    TCase *c = tcase_create("transfers");
    suite_add_tcase(s, c);
    tcase_add_test(c, shapes_direct);
    tcase_add_test(c, shapes_self);
    tcase_add_test(c, shapes_kernel);
    tcase_add_test(c, shapes_staged);
    tcase_add_test(c, shapes_staged_scratchpad);
    tcase_add_test(c, shapes_staged_self);
    tcase_add_test(c, large_kernel);
    tcase_add_test(c, large_staged);
    tcase_add_test(c, no_bytes);
    tcase_add_test(c, overlap);
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
    tcase_add_test(c, past_2_gib);
#endif
    tcase_add_test(c, words);
    c = tcase_create("refusals");
    suite_add_tcase(s, c);
    tcase_add_test(c, refused_direct);
    tcase_add_test(c, refused_kernel);
    tcase_add_test(c, refused_staged);
    tcase_add_test(c, refused_scratchpad);
    tcase_add_test(c, senseless);
    c = tcase_create("ends");
    suite_add_tcase(s, c);
    tcase_add_test(c, counted_kernel);
    tcase_add_test(c, counted_staged);
    tcase_add_test(c, full_inboxes);
    tcase_add_test(c, answers_wait);
    tcase_add_test(c, deregister_under_way);
    tcase_add_test(c, model_clock);
    tcase_add_test(c, threads_staged);
    tcase_add_test(c, threads_kernel);
    tcase_add_test(c, served_while_away);
    c = tcase_create("garbage");
    suite_add_tcase(s, c);
    tcase_add_test(c, garbage);
    tcase_add_test(c, invented_replies);
    tcase_add_test(c, order_of_queued);
    tcase_add_test(c, deregister_in_a_packet);
    tcase_add_test(c, types_are_reserved);
    return s;
}

int main(void)
{
    const char *given = getenv("TEST_SEED");
    if (given)
        seed = strtoull(given, NULL, 0);
    printf("TEST_SEED=%llu\n", (unsigned long long)seed);
    return loop_run(suite());
}
