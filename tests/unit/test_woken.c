/* A host that sleeps until something changes in its memory
 * is woken, whatever a peer changes it with. */
#include <pthread.h>

#include "nicemu/atomic.h"
#include "nicemu/queue.h"
#include "offload.h"
#include "remote/region.h"

enum { ROUNDS = 20, LONG_BYTES = 64 * 1024, CAPACITY = 2 };

static struct offload o;
static uint64_t place, queue;           /* of rank 0, and the queue that an act is about */
static uint32_t key;
static unsigned char memory[LONG_BYTES], bytes[LONG_BYTES];
static const uint64_t one = 1;

/* -- what rank 0 waits for; each returns 0 */

static int word_changes(struct nic *n)
{
    uint64_t value;
    return nic_word_wait(n, place, 8, 0, &value);
}

/* Of half a word only the lower half of what it was before counts. */
static int half_changes(struct nic *n)
{
    uint64_t value;
    return nic_word_wait(n, place, 4, UINT64_C(1) << 32, &value);
}

/* What comes with long data changes before: only that the data are there makes the host look. */
static atomic_bool changed;

static bool has_changed(void *argument) { (void)argument; return atomic_load(&changed); }

static int bytes_come(struct nic *n)
{
    struct nic_wait w = { .ready = has_changed };
    while (!has_changed(NULL))
        nic_wait_turn(n, &w);
    return 0;
}

static int message_comes(struct nic *n)
{
    struct nic_words m;
    return nic_queue_receive_wait(n, queue, &m);
}

static int room_comes(struct nic *n) { return nic_queue_send_wait(n, 1, queue, &one, 1); }

/* -- what rank 1 does meanwhile */

static int store(struct nic *n) { return nic_store(n, 0, place, 1, 8); }
static int store_half(struct nic *n) { return nic_store(n, 0, place, 1, 4); }
static int write_words(struct nic *n) { return nic_message_write(n, 0, place, &one, 1); }

static int add(struct nic *n)
{
    struct nic_atomic a = { .op = NIC_ATOMIC_ADD, .type = NIC_ATOMIC_UINT64,
                            .target = { 0, NIC_KEY_SCRATCHPAD, place }, .operand = 1,
                                .counter = NIC_SPAD_NONE };
    return nic_atomic_wait(n, &a);
}

static int put_to(struct nic *n, struct nic_address to, const void *from, size_t size)
{
    struct nic_outcome outcome = { .done = NULL };
    struct nic_transfer t = nic_transfer_of((void *)(uintptr_t)from, to, size);
    atomic_store(&changed, true);
    int rc = nic_put(n, &t, &outcome);
    return rc ? rc : nic_outcome_wait(n, &outcome);
}

static int put_word(struct nic *n)
{
    return put_to(n, (struct nic_address){ 0, NIC_KEY_SCRATCHPAD, place }, &one, 8);
}
static int put_long(struct nic *n)
{
    return put_to(n, (struct nic_address){ 0, NIC_KEY_SCRATCHPAD, place }, bytes, LONG_BYTES);
}
static int put_by_kernel(struct nic *n)
{
    return put_to(n, (struct nic_address){ 0, key, 0 }, bytes, LONG_BYTES);
}
static int send_message(struct nic *n) { return nic_queue_send(n, 0, queue, &one, 1); }

static int take_message(struct nic *n)
{
    struct nic_words m;
    return nic_queue_receive(n, queue, &m);
}

/* -- before each round */

static void clear(void)
{
    memset(nic_spad_at(o.nic[0], 0, place, LONG_BYTES), 0, LONG_BYTES);
    atomic_store(&changed, false);
}

static void fill_queue(void)
{
    while (AT(o.nic[0], nic_queue_send(o.nic[0], 1, queue, &one, 1)) == 0)
        ;
}

static const struct {
    int (*wait)(struct nic *n), (*act)(struct nic *n);
    void (*before)(void);
    unsigned owner;                     /* of the queue */
} cases[] = {
    { word_changes, store, clear, 0 },
    { half_changes, store_half, clear, 0 },
    { word_changes, write_words, clear, 0 },
    { word_changes, add, clear, 0 },
    { word_changes, put_word, clear, 0 },
    { bytes_come, put_long, clear, 0 },
    { bytes_come, put_by_kernel, clear, 0 },
    { message_comes, send_message, clear, 0 },
    { room_comes, take_message, fill_queue, 1 },
};
enum { CASES = sizeof cases / sizeof *cases };

static void *waits(void *argument)
{
    int (*const *wait)(struct nic *n) = argument;
    must(AT(o.nic[0], (*wait)(o.nic[0])) == 0);
    return NULL;
}

static void set_up(unsigned owner)
{
    offload_open(&o, 2, NIC_PROGRESS_HOST, DIRECT);
    place = offload_space(&o, 0, LONG_BYTES, 0);
    must(AT(o.nic[owner], nic_queue_create(o.nic[owner], CAPACITY, &queue)) == 0);
    must(AT(o.nic[0], nic_register(o.nic[0], memory, sizeof memory, NIC_RIGHT_ALL, &key)) == 0);
    memset(bytes, 1, sizeof bytes);
}

START_TEST(is_woken)
{
    pthread_t thread;
    set_up(cases[_i].owner);
    for (unsigned round = 0; round < ROUNDS; round++) {
        cases[_i].before();
        must(!pthread_create(&thread, NULL, waits, (void *)(uintptr_t)&cases[_i].wait));
        while (!(atomic_load(&o.nic[0]->own->attention) & NIC_PARKED))
            usleep(50);
        usleep(round % 4 * 100);        /* most of them past their last look */
        must(AT(o.nic[1], cases[_i].act(o.nic[1])) == 0);
        must(!pthread_join(thread, NULL));
    }
    offload_close(&o);
}
END_TEST

/* -- packets, by the short way of sending, and with no bell at all */

static bool has_packet(void *argument)
{
    const struct catcher *c = argument;
    return __atomic_load_n(&c->packets, __ATOMIC_RELAXED);
}

struct patient { struct nic *nic; struct nic_wait wait; };

static void *waits_so(void *argument)
{
    struct patient *p = argument;
    nic_enter(p->nic);
    while (!p->wait.ready(p->wait.argument))
        nic_wait_turn(p->nic, &p->wait);
    nic_leave(p->nic);
    return NULL;
}

static void start(pthread_t *thread, struct patient *p)
{
    must(!pthread_create(thread, NULL, waits_so, p));
    while (!(atomic_load(&p->nic->own->attention) & NIC_PARKED))
        usleep(50);
}

START_TEST(by_a_short_send)
{
    static const size_t sizes[] = { 8, 200, 9000 };
    for (unsigned i = 0; i < 3 * ROUNDS; i++) {
        pthread_t thread;
        struct loop l;
        loop_open(&l, 2);
        struct patient p = { .nic = l.nic[0],
                             .wait = { .ready = has_packet, .argument = l.catcher[0] } };
        start(&thread, &p);
        usleep(i % 4 * 100);
        must(nic_send_now(l.nic[1], 0, 7, 1, loop_payload(3), sizes[i % 3]));
        must(!pthread_join(thread, NULL));
        loop_close(&l);
    }
}
END_TEST

static bool is_set(void *argument) { return atomic_load((atomic_int *)argument); }

/* Nobody rings for what is polled: a sleep of that kind ends by itself. */
START_TEST(by_nobody)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        pthread_t thread;
        struct loop l;
        atomic_int set = 0;
        loop_open(&l, 1);
        struct patient p = { .nic = l.nic[0],
                             .wait = { .ready = is_set, .argument = &set, .polled = true } };
        start(&thread, &p);
        usleep(i % 4 * 100);
        atomic_store(&set, 1);
        must(!pthread_join(thread, NULL));
        loop_close(&l);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("woken");
    TCase *tcase = tcase_create("woken");

    tcase_set_timeout(tcase, 0);
    tcase_add_loop_test(tcase, is_woken, 0, CASES);
    tcase_add_test(tcase, by_a_short_send);
    tcase_add_test(tcase, by_nobody);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
