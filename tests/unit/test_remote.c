/* The end of a transfer: counters, full inboxes, memory that goes, NIC threads, words that are
 * polled. */
#include <pthread.h>

#include "shapes.h"
#include "transfers.h"

/* -- the end of a transfer */

static unsigned ends;
static int end_status;

static void count_end(void *context, int status)
{
    must(context == &ends);
    ends++;
    end_status = status;
}

/* Counters at both ends move once, and only if all went
 * well; the callback comes once in any case. */
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
        struct nic_transfer t = nic_transfer_of(local,
                                                (struct nic_address){ 1,
                                                                      bad ? key + NIC_REGIONS_MAX
                                                                          : key, i }, i * 1000);
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

/* Both ranks put and get, in both directions, and nobody takes turns for a while: inboxes fill up,
 * replies wait, nothing is lost. */
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
            struct nic_transfer t = nic_transfer_of(local[r][i],
                                                    (struct nic_address){ 1 - r, key[1 - r],
                                                                          (uint64_t)i * BYTES },
                                                                              BYTES);
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

/* An inbox is full of requests for bytes, and whoever asked does
 * not take the answers: these wait, in order. */
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
        struct nic_transfer t = nic_transfer_of(local[i],
                                                (struct nic_address){ 1, key,
                                                                      (uint64_t)i * BYTES }, BYTES);
        must(begin(0, false, &t, &o[i]) == 0);
    }
    /* its requests go out, one a turn; there is nothing to take in */
    for (unsigned i = 0; i < 100; i++)
        turn(0);
    for (unsigned i = 0; i < 100; i++)
        turn(1);
    must(l.nic[1]->counts.hw_waited > OPS / 2 && l.nic[1]->remote->backlogs);
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
        /* the last answer may have been on its way */
        must(finish(&o) == (before == -EINPROGRESS ? -ENOKEY : 0)
             || (before == -EINPROGRESS && !put));
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
    /* one gets, the other puts, the halves of the same memory */
    for (unsigned r = 0; r < 2; r++)
        for (unsigned i = r; i < OPS; i += 2) {
            struct nic_transfer t = nic_transfer_of(local[r][i],
                                                    (struct nic_address){ 1 - r, key[1 - r],
                                                                          (uint64_t)i * BYTES },
                                                                              BYTES);
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

/* -- words that one rank stores while another loads them: whole at each look, and no data race */

struct poll { unsigned rank, shift; bool put; size_t bytes; struct nic_address at; };

/* One transfer of the word; a put's is `value` in each byte, and a get returns what it was. */
static unsigned char move_word(const struct poll *p, unsigned char value)
{
    _Alignas(8) unsigned char local[16];
    memset(local, value, sizeof local);
    struct nic_transfer t = nic_transfer_of(local + p->shift, p->at, p->bytes);
    struct nic_outcome o = { .status = 1 };
    must(begin(p->rank, p->put, &t, &o) == 0 && nic_outcome_status(&o) == 0);
    for (unsigned i = 1; i < p->bytes; i++)
        must(local[p->shift + i] == local[p->shift]);
    return local[p->shift];
}

enum { LAST_WORD = 200 };

static void *poll_word(void *argument)
{
    while (move_word(argument, 0) != LAST_WORD)
        ;
    return NULL;
}

START_TEST(polled)
{
    const size_t bytes = (size_t)1 << _i / 2;
    unsigned char *memory;
    pthread_t thread;
    begin_job(2);
    const struct nic_address at = { 0, NIC_KEY_SCRATCHPAD, scratchpad(0, 64, &memory) };
    struct poll put = { 0, _i % 2, true, bytes, at }, get = { 1, _i % 2, false, bytes, at };
    memset(memory, 0, 64);
    for (unsigned r = 0; r < 2; r++)
        allow(r, NIC_PATH_DIRECT);
    must(!pthread_create(&thread, NULL, poll_word, &get));
    for (unsigned i = 1; i <= LAST_WORD; i++)
        move_word(&put, (unsigned char)i);
    must(!pthread_join(thread, NULL));
    for (unsigned i = 0; i < 64; i++)
        ck_assert_uint_eq(memory[i], i < bytes ? LAST_WORD : 0);
    end_job();
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("remote");
    TCase *c = tcase_create("ends");
    suite_add_tcase(s, c);
    tcase_add_test(c, counted_kernel);
    tcase_add_test(c, counted_staged);
    tcase_add_test(c, full_inboxes);
    tcase_add_test(c, answers_wait);
    tcase_add_test(c, deregister_under_way);
    tcase_add_test(c, threads_staged);
    tcase_add_test(c, threads_kernel);
    tcase_add_test(c, served_while_away);
    tcase_add_loop_test(c, polled, 0, 8);
    return s;
}

int main(void) { return transfers_run(suite()); }
