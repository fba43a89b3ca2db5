/* Hardware queues, messages and remote stores: bounds, order, full and empty, damaged memory, many
 * writers and several readers, both ways. */
#include "offload/queues.h"
#include "offload.h"

#include <errno.h>
#include <sched.h>

static struct offload o;

static uint64_t queue_of(unsigned rank, unsigned capacity)
{
    uint64_t queue = NIC_SPAD_NONE;
    must(AT(o.nic[rank], nic_queue_create(o.nic[rank], capacity, &queue)) == 0);
    return queue;
}

static int send_to(unsigned from, unsigned rank, uint64_t queue, const uint64_t *words,
                   unsigned count)
{
    return AT(o.nic[from], nic_queue_send(o.nic[from], rank, queue, words, count));
}

static int receive(unsigned rank, uint64_t queue, struct nic_words *m)
{
    return AT(o.nic[rank], nic_queue_receive(o.nic[rank], queue, m));
}

static uint64_t space(unsigned rank, size_t bytes) { return offload_space(&o, rank, bytes, 0xee); }

/* -- words into a scratchpad */

START_TEST(stores)
{
    offload_open(&o, 2, NIC_PROGRESS_HOST, (enum way)_i);
    uint64_t at = space(1, 64), *w = nic_spad_at(o.nic[1], 1, at, 64), size = 1 << 20;
    struct nic *n = o.nic[0];
    ck_assert_int_eq(AT(n, nic_store(n, 1, at, UINT64_C(0x1122334455667788), 8)), 0);
    ck_assert_int_eq(AT(n, nic_store(n, 1, at + 12, UINT64_C(0x99aabbccddeeff00), 4)), 0);
    settle(&o);
    ck_assert_uint_eq(w[0], UINT64_C(0x1122334455667788));
    ck_assert_uint_eq(w[1], UINT64_C(0xddeeff00eeeeeeee));
    ck_assert_int_eq(AT(n, nic_store(n, 2, at, 1, 8)), -EINVAL);
    ck_assert_int_eq(AT(n, nic_store(n, 1, at + 4, 1, 8)), -EINVAL);
    ck_assert_int_eq(AT(n, nic_store(n, 1, at + 2, 1, 4)), -EINVAL);
    ck_assert_int_eq(AT(n, nic_store(n, 1, at, 1, 2)), -EINVAL);
    ck_assert_int_eq(AT(n, nic_store(n, 1, at, 1, 0)), -EINVAL);
    ck_assert_int_eq(AT(n, nic_store(n, 1, size, 1, 8)), -EINVAL);
    ck_assert_int_eq(AT(n, nic_store(n, 1, UINT64_MAX - 7, 1, 8)), -EINVAL);
    settle(&o);
    ck_assert_uint_eq(w[0], UINT64_C(0x1122334455667788));
    for (unsigned i = 2; i < 8; i++)
        ck_assert_uint_eq(w[i], UINT64_C(0xeeeeeeeeeeeeeeee));
    offload_close(&o);
}
END_TEST

START_TEST(messages_to_memory)
{
    offload_open(&o, 2, NIC_PROGRESS_HOST, (enum way)_i);
    uint64_t at = space(1, 64), *w = nic_spad_at(o.nic[1], 1, at, 64),
        words[] = { 1, 2, 3, 4, 5, 6 }, size = 1 << 20;
    struct nic *n = o.nic[0];
    for (unsigned count = 0; count <= NIC_WORDS_MAX; count++) {
        memset(w, 0xee, 64);
        ck_assert_int_eq(AT(n, nic_message_write(n, 1, at + 8, words, count)), 0);
        settle(&o);
        for (unsigned i = 0; i < 8; i++)
            ck_assert_uint_eq(w[i], i && i <= count ? i : UINT64_C(0xeeeeeeeeeeeeeeee));
    }
    ck_assert_int_eq(AT(n, nic_message_write(n, 1, at, words, NIC_WORDS_MAX + 1)), -EMSGSIZE);
    ck_assert_int_eq(AT(n, nic_message_write(n, 2, at, words, 1)), -EINVAL);
    ck_assert_int_eq(AT(n, nic_message_write(n, 1, at + 4, words, 1)), -EINVAL);
    ck_assert_int_eq(AT(n, nic_message_write(n, 1, size - 32, words, 5)), -EINVAL);
    settle(&o);
    ck_assert_uint_eq(o.nic[1]->counts.hw_dropped, 0);
    offload_close(&o);
}
END_TEST

START_TEST(messages_to_the_program)
{
    offload_open(&o, 2, NIC_PROGRESS_HOST, (enum way)_i);
    uint64_t words[] = { 10, 20, 30, 40, 50, 60 };
    for (unsigned count = 0; count <= NIC_WORDS_MAX; count++)
        for (unsigned to = 0; to < 2; to++) {
            ck_assert_int_eq(AT(o.nic[0], nic_message_send(o.nic[0], to, words, count)), 0);
            settle(&o);
            ck_assert_uint_eq(atomic_load(&o.program[to].messages), count + 1);
            ck_assert_uint_eq(o.program[to].words.source, 0);
            ck_assert_uint_eq(o.program[to].words.count, count);
            ck_assert_mem_eq(o.program[to].words.word, words, count * sizeof *words);
        }
    ck_assert_int_eq(AT(o.nic[0], nic_message_send(o.nic[0], 2, words, 1)), -EINVAL);
    ck_assert_int_eq(AT(o.nic[0], nic_message_send(o.nic[0], 1, words, 6)), -EMSGSIZE);
    offload_close(&o);
}
END_TEST

/* -- queues, one thread */

START_TEST(queue_arguments)
{
    offload_open(&o, 2, NIC_PROGRESS_HOST, (enum way)_i);
    struct nic *n = o.nic[0];
    uint64_t queue = 5, words[6] = { 0 }, size = 1 << 20;
    struct nic_words m;
    unsigned bad[] = { 0, 1, 3, 6, 100, 2 * NIC_QUEUE_CAPACITY_MAX, UINT32_MAX };
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_int_eq(AT(n, nic_queue_create(n, bad[i], &queue)), -EINVAL);
    ck_assert_int_eq(AT(n, nic_queue_create(n, 1 << 15, &queue)), -ENOMEM);
    ck_assert_uint_eq(queue, 5);
    queue = queue_of(1, 4);
    ck_assert_int_eq(send_to(0, 1, queue, words, 6), -EMSGSIZE);
    ck_assert_int_eq(send_to(0, 2, queue, words, 1), -EINVAL);
    ck_assert_int_eq(send_to(0, 1, queue + 8, words, 1), -EINVAL);
    ck_assert_int_eq(send_to(0, 1, size, words, 1), -EINVAL);
    ck_assert_int_eq(send_to(0, 1, size - 64, words, 1), -EINVAL);
    int rc = send_to(0, 1, queue + 64, words, 1);          /* no queue there */
    ck_assert_int_eq(rc, _i == DIRECT ? -EINVAL : 0);
    settle(&o);
    if (_i != DIRECT)
        ck_assert_int_eq(send_to(0, 1, queue + 64, words, 1), -EINVAL);        /* now it is known */
    ck_assert_int_eq(receive(1, queue, &m), -EAGAIN);
    ck_assert_int_eq(receive(0, queue, &m), -EINVAL);
    ck_assert_int_eq(receive(1, queue + 64, &m), -EINVAL);
    ck_assert_int_eq(AT(o.nic[1], nic_queue_destroy(o.nic[1], queue)), 0);
    ck_assert_int_eq(AT(o.nic[1], nic_queue_destroy(o.nic[1], queue)), -EINVAL);
    ck_assert_int_eq(receive(1, queue, &m), -EINVAL);
    offload_close(&o);
}
END_TEST

/* Full refuses; what was refused is not in it; around the ring many times. */
START_TEST(full_and_empty)
{
    offload_open(&o, 2, NIC_PROGRESS_HOST, DIRECT);
    for (unsigned capacity = 2; capacity <= 64; capacity *= 2) {
        uint64_t queue = queue_of(1, capacity), next = 0, want = 0, random = capacity;
        struct nic_words m;
        for (unsigned round = 0; round < 300; round++) {
            unsigned fill = loop_below(&random, 3) ? loop_below(&random, capacity) : capacity + 1;
            for (unsigned i = 0; i < fill; i++) {
                uint64_t words[5] = { next, ~next, next * 3, next * 5, next * 7 };
                int rc = send_to(0, 1, queue, words, (unsigned)(next % 6));
                must(rc == (next - want == capacity ? -EAGAIN : 0));
                next += !rc;
            }
            for (unsigned take = loop_below(&random, 3) ? loop_below(&random, capacity)
                 : capacity + 1; take--; want++) {
                int rc = receive(1, queue, &m);
                must(rc == (next == want ? -EAGAIN : 0));
                if (rc)
                    break;
                must(m.source == 0 && m.count == want % 6);
                for (unsigned k = 0; k < m.count; k++)
                    must(m.word[k] == (k == 0 ? want : k == 1 ? ~want : want * (2 * k - 1)));
            }
        }
        ck_assert_uint_gt(want, 8 * capacity);
        ck_assert_int_eq(AT(o.nic[1], nic_queue_destroy(o.nic[1], queue)), 0);
    }
    offload_close(&o);
}
END_TEST

/* Three writers by their ways, steps of everybody in random order: each writer's messages come once
 * and in order, and -EAGAIN only where it may. */
START_TEST(random_program)
{
    offload_open(&o, 4, NIC_PROGRESS_HOST, (enum way)_i);
    uint64_t random = 77 + _i, queue = queue_of(0, 8), sent[4] = { 0 }, got[4] = { 0 }, refused = 0;
    struct nic_words m;
    for (unsigned step = 0; step < 60000; step++) {
        unsigned who = loop_below(&random, 4), times = 1 + loop_below(&random, 12);
        switch (loop_below(&random, 3)) {
        case 0:
            for (; who && times; times--) {
                int rc = send_to(who, 0, queue, &sent[who], 1);
                must(rc == 0 || rc == -EAGAIN);
                sent[who] += !rc;
                refused += rc != 0;
                must(sent[who] - got[who] <= 8 + NIC_QUEUE_WINDOW);
            }
            break;
        case 1:
            for (; times && !receive(0, queue, &m); times--)
                must(m.source && m.source < 4 && m.count == 1 && m.word[0] == got[m.source]++);
            break;
        default:
            AT(o.nic[who], nic_step(o.nic[who]));
        }
    }
    for (unsigned idle = 0; idle < 3;) {
        settle(&o);
        idle = receive(0, queue, &m) ? idle + 1 : 0;
        must(idle || m.word[0] == got[m.source]++);
    }
    for (unsigned r = 1; r < 4; r++)
        ck_assert_uint_eq(sent[r], got[r]);
    ck_assert_uint_gt(refused, 1000);
    ck_assert_uint_gt(sent[1] + sent[2] + sent[3], 10000);
    offload_close(&o);
}
END_TEST

/* Destroyed with messages on their way: their writers are told, and have their credits back. */
START_TEST(destroyed_with_messages)
{
    offload_open(&o, 2, NIC_PROGRESS_HOST, PACKET);
    uint64_t queue = queue_of(1, 2), word = 4;
    for (unsigned i = 0; i < NIC_QUEUE_WINDOW; i++)
        ck_assert_int_eq(send_to(0, 1, queue, &word, 1), 0);
    settle(&o);             /* two have found their places and gave credits back */
    ck_assert_int_eq(send_to(0, 1, queue, &word, 1), 0);
    ck_assert_int_eq(send_to(0, 1, queue, &word, 1), 0);
    ck_assert_int_eq(send_to(0, 1, queue, &word, 1), -EAGAIN);
    settle(&o);
    ck_assert_int_eq(AT(o.nic[1], nic_queue_destroy(o.nic[1], queue)), 0);
    settle(&o);
    ck_assert_int_eq(send_to(0, 1, queue, &word, 1), -EINVAL);
    offload_close(&o);
}
END_TEST

/* -- damaged by a peer: no hang, no crash, nothing outside touched */

START_TEST(damaged_queues)
{
    offload_open(&o, 2, NIC_PROGRESS_HOST, DIRECT);
    uint64_t random = 13, words[5] = { 1, 2, 3, 4, 5 };
    struct nic_words m;
    for (unsigned round = 0; round < 3000; round++) {
        uint64_t queue = queue_of(0, 4);
        struct nic_queue_header *h = nic_spad_at(o.nic[1], 0, queue, sizeof *h);
        for (unsigned i = 0; i < 3; i++)
            switch (loop_below(&random, 5)) {
            case 0: atomic_store(&h->tail, loop_below(&random, 2) ? loop_random(&random)
                                 : loop_below(&random, 20)); break;
            case 1: atomic_store(&h->capacity, loop_below(&random, 2)
                                 ? (uint32_t)loop_random(&random)
                                     : 1u << loop_below(&random, 17)); break;
            case 2: atomic_store(&h->cell[loop_below(&random, 4)].sequence,
                                 loop_below(&random, 2) ? loop_random(&random)
                    : loop_below(&random, 20)); break;
            case 3: h->cell[loop_below(&random, 4)].message.count =
                (uint32_t)loop_random(&random); break;
            default: atomic_store(&h->wanted, loop_random(&random));
            }
        for (unsigned i = 0; i < 6; i++) {
            int rc = send_to(i % 2, 0, queue, words, 5);
            must(rc == 0 || rc == -EAGAIN || rc == -EINVAL || rc == -EPROTO);
            must(receive(0, queue, &m) || m.count <= NIC_WORDS_MAX);
        }
        must(AT(o.nic[0], nic_queue_destroy(o.nic[0], queue)) == 0);
    }
    offload_close(&o);
}
END_TEST

/* A capacity that a peer has made no power of two, none at all, or more than there is room for. */
START_TEST(odd_capacity)
{
    static const uint32_t odd[] = { 0, 1, 3, 6, NIC_QUEUE_CAPACITY_MAX, 2 * NIC_QUEUE_CAPACITY_MAX,
                                    UINT32_MAX };
    offload_open(&o, 2, NIC_PROGRESS_HOST, DIRECT);
    uint64_t queue = queue_of(0, 8), word = 1;
    struct nic_queue_header *h = nic_spad_at(o.nic[1], 0, queue, sizeof *h);
    for (unsigned i = 0; i < sizeof odd / sizeof *odd; i++) {
        atomic_store(&h->capacity, odd[i]);
        ck_assert_int_eq(send_to(1, 0, queue, &word, 1), -EINVAL);
    }
    atomic_store(&h->capacity, 8);
    ck_assert_int_eq(send_to(1, 0, queue, &word, 1), 0);
    offload_close(&o);
}
END_TEST

/* -- many writers, waiting for room; the reader waits for messages */

enum { EACH = 3000 };

static struct { uint64_t meeting, queue; } at;

static void prepare(struct program *p)
{
    struct nic *n = p->nic;
    nic_enter(n);
    at.meeting = nic_spad_alloc(n, NIC_SPAD_USER, 64, 64);
    must(nic_queue_create(n, 16, &at.queue) == 0);
    nic_leave(n);
}

static void take_all(struct nic *n)
{
    uint64_t next[LOOP_MAX] = { 0 };
    struct nic_words m;
    for (unsigned i = 0; i < EACH * (nic_ranks(n) - 1); i++) {
        must(AT(n, nic_queue_receive_wait(n, at.queue, &m)) == 0);
        must(m.source && m.source < nic_ranks(n) && m.count == 3 && m.word[0] == next[m.source]++);
        must(m.word[1] == m.source * m.word[0] && m.word[2] == ~m.word[0]);
    }
    must(AT(n, nic_queue_receive(n, at.queue, &m)) == -EAGAIN);
}

static void write_all(struct nic *n)
{
    for (uint64_t i = 0; i < EACH; i++) {
        uint64_t words[] = { i, nic_rank(n) * i, ~i };
        must(AT(n, nic_queue_send_wait(n, 0, at.queue, words, 3)) == 0);
    }
}

static void many(struct program *p)
{
    struct nic *n = p->nic;
    meet(n, at.meeting, 1);
    if (nic_rank(n))
        write_all(n);
    else
        take_all(n);
    meet(n, at.meeting, 2);
}

static const struct work work = { NIC_PROGRESS_HOST, prepare, many };


START_TEST(many_threads) { work_in_threads(4, (enum way)_i, &work); } END_TEST
START_TEST(many_processes) { work_in_processes(3, (enum way)_i, &work); } END_TEST

/* -- several threads of the owner read */

enum { READERS = 3 };

static atomic_uint taken;
static _Atomic uint64_t sum;

static void *reader(void *nic)
{
    struct nic *n = nic;
    struct nic_words m = { .count = 0 };
    for (uint64_t last = 0; m.count != 1; last = m.word[0]) {
        must(AT(n, nic_queue_receive_wait(n, at.queue, &m)) == 0);
        if (m.count == 1)
            break;
        must(m.word[0] >= last);
        atomic_fetch_add(&taken, 1);
        atomic_fetch_add(&sum, m.word[0]);
    }
    return NULL;
}

static void *writer(void *nic)
{
    write_all(nic);
    for (unsigned i = 0; i < READERS; i++)          /* one for each: the end */
        must(AT(nic, nic_queue_send_wait(nic, 0, at.queue, &(uint64_t){ 0 }, 1)) == 0);
    return NULL;
}

START_TEST(several_readers)
{
    pthread_t thread[READERS + 1];
    offload_open(&o, 2, NIC_PROGRESS_HOST, (enum way)_i);
    prepare(&o.program[0]);
    nic_enter(o.nic[0]);
    nic_share(o.nic[0]);
    nic_leave(o.nic[0]);
    atomic_store(&taken, 0);
    atomic_store(&sum, 0);
    for (unsigned i = 0; i < READERS; i++)
        must(!pthread_create(&thread[i], NULL, reader, o.nic[0]));
    must(!pthread_create(&thread[READERS], NULL, writer, o.nic[1]));
    for (unsigned i = 0; i <= READERS; i++)
        pthread_join(thread[i], NULL);
    ck_assert_uint_eq(atomic_load(&taken), EACH);
    ck_assert_uint_eq(atomic_load(&sum), (uint64_t)EACH * (EACH - 1) / 2);
    offload_close(&o);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("hwqueue");
    TCase *tcase = tcase_create("hwqueue");

    tcase_add_loop_test(tcase, stores, DIRECT, MIXED);
    tcase_add_loop_test(tcase, messages_to_memory, DIRECT, MIXED);
    tcase_add_loop_test(tcase, messages_to_the_program, DIRECT, MIXED);
    tcase_add_loop_test(tcase, queue_arguments, DIRECT, MIXED);
    tcase_add_test(tcase, full_and_empty);
    tcase_add_loop_test(tcase, random_program, DIRECT, IN_TURN);
    tcase_add_test(tcase, destroyed_with_messages);
    tcase_add_test(tcase, damaged_queues);
    tcase_add_test(tcase, odd_capacity);
    tcase_add_loop_test(tcase, many_threads, DIRECT, WAYS);
    tcase_add_loop_test(tcase, many_processes, DIRECT, WAYS);
    tcase_add_loop_test(tcase, several_readers, DIRECT, MIXED);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
