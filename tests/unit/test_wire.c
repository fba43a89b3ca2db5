/* Jobs of several machines: NICs that reach each other by packets only. */
#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>

#include "core/baton.h"
#include "machines.h"
#include "nicemu/remote.h"
#include "wire/frame.h"
#include "wire/state.h"

/* -- packets */

/* All sizes, between all pairs, near and far. */
START_TEST(test_sizes)
{
    static const uint32_t sizes[] = { 0, 1, 7, 8, 9, 47, 48, 49, 63, 64, 65, 100, 1000, 4095, 4096,
                                      5000, 16383, NIC_MESSAGE_BYTES_MAX };
    struct machines m;
    machines_open(&m, 5, 3, NIC_PROGRESS_HOST);
    for (unsigned from = 0; from < 5; from++)
        for (unsigned to = 0; to < 5; to++)
            for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
                uint64_t head[2] = { from, i };
                unsigned long before = m.catcher[to]->packets;
                struct nic_tx t = { .type = 5, .flags = 2, .match = from * 100 + i, .head = head,
                                    .head_bytes = i % 2 * 16, .data = loop_payload(i),
                                    .data_bytes = sizes[i] };
                machines_send(&m, from, to, &t);
                machines_await(&m, to, before + 1);
                struct catcher *c = m.catcher[to];
                must(c->packet.type == 5 && c->packet.flags == 2 && c->packet.match == t.match);
                must(c->packet.length == t.head_bytes + t.data_bytes);
                must(!memcmp(c->data, head, t.head_bytes));
                must(loop_is_payload(c->data + t.head_bytes, t.data_bytes, i));
                must(nic_packet_source(m.nic[to]) == from);
            }
    machines_close(&m);
}
END_TEST

/* -- longer ones, to other machines, where the wire takes them */

static unsigned char long_in[NIC_FRAME_PACKET_LONG], long_out[NIC_FRAME_PACKET_LONG];

static void take_long(struct nic *nic, void *context, const struct nic_packet *p)
{
    struct catcher *c = context;
    c->packet = *p;
    memcpy(long_in, p->head, p->head_bytes);
    if (p->length > p->head_bytes)
        nic_receive_body(nic, long_in + p->head_bytes, p->length - p->head_bytes, c);
    else
        c->packets++;
}

static void long_landed(struct nic *nic, void *context, void *cookie)
{
    (void)nic, (void)cookie;
    ((struct catcher *)context)->packets++;
}

static bool is_stream(const struct nic *n)
{
    const char *provider = n->wires->ops->provider(n->wires->wire);
    return !strcmp(provider, "net") || !strcmp(provider, "tcp");
}

START_TEST(test_long)
{
    static const struct nic_program program = {
        .name = "long", .packet = take_long, .landed = long_landed,
        .command = catcher_command, .advance = catcher_advance,
    };
    struct machines m;
    uint64_t head[2] = { 8, 9 };
    machines_open_as(&m, 2, 2, NIC_PROGRESS_HOST, &program);
    const uint32_t most = nic_far_bytes_max(m.nic[0]);
    must(most == (is_stream(m.nic[0]) ? 64 * 1024 : NIC_MESSAGE_BYTES_MAX));
    const uint32_t sizes[] = { 8, NIC_MESSAGE_BYTES_MAX, most / 4 + 1, most / 2, most - 1, most,
                               100 };
    for (unsigned i = 0; i < 4 * sizeof sizes / sizeof *sizes; i++) {
        uint32_t bytes = sizes[i / 4];
        for (uint32_t k = 0; k < bytes; k++)
            long_out[k] = (unsigned char)(k * 7 + k / 251 + i);
        struct nic_tx t = { .type = 5, .match = i, .head = head, .head_bytes = i % 3 * 8,
                            .data = long_out, .data_bytes = bytes };
        machines_send(&m, 0, 1, &t);
        machines_await(&m, 1, i + 1);
        must(m.catcher[1]->packet.match == i);
        must(m.catcher[1]->packet.length == t.head_bytes + bytes);
        must(!memcmp(long_in, head, t.head_bytes));
        must(!memcmp(long_in + t.head_bytes, long_out, bytes));
    }
    const struct nic_tx over = { .type = 5, .data = long_out, .data_bytes = most + 65 };
    nic_enter(m.nic[0]);
    must(nic_send(m.nic[0], 1, &over) == -EMSGSIZE);
    nic_leave(m.nic[0]);
    machines_close(&m);
}
END_TEST

/* -- data that the program copies: every other byte of its memory */

static void gather(struct nic *nic, void *context, const struct nic_tx *t, size_t place, void *to,
                   size_t bytes)
{
    (void)nic, (void)context;
    for (size_t i = 0; i < bytes; i++)
        ((unsigned char *)to)[i] = ((const unsigned char *)t->data)[2 * (place + i)];
}

static unsigned char scattered[2 * NIC_MESSAGE_BYTES_MAX];

static void scatter(struct nic *nic, void *context, void *cookie, size_t place, const void *from,
                    size_t bytes)
{
    (void)nic;
    must(cookie == context);
    for (size_t i = 0; i < bytes; i++)
        scattered[2 * (place + i)] = ((const unsigned char *)from)[i];
}

static void take_scattered(struct nic *nic, void *context, const struct nic_packet *p)
{
    struct catcher *c = context;
    c->packet = *p;
    scatter(nic, context, c, 0, p->head, p->head_bytes);
    if (p->length > p->head_bytes)
        nic_receive_scattered(nic, p->head_bytes, p->length - p->head_bytes, c);
    else
        c->packets++;
}

static void count_landed(struct nic *nic, void *context, void *cookie)
{
    (void)nic, (void)cookie;
    ((struct catcher *)context)->packets++;
}

START_TEST(test_gathered)
{
    static const struct nic_gaps gaps = { gather, scatter };
    static const struct nic_program program = {
        .name = "gaps", .packet = take_scattered, .landed = count_landed,
        .command = catcher_command, .advance = catcher_advance, .gaps = &gaps,
    };
    static const uint32_t sizes[] = { 1, 8, 48, 49, 2000, 4096, 8000 };
    struct machines m;
    machines_open_as(&m, 2, 2, NIC_PROGRESS_HOST, &program);
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct nic_tx t = { .type = 5, .gathered = true, .data = loop_payload(i),
                            .data_bytes = sizes[i] };
        machines_send(&m, 0, 1, &t);
        machines_await(&m, 1, i + 1);
        must(m.catcher[1]->packet.length == sizes[i]);
        for (unsigned k = 0; k < sizes[i]; k++)
            must(scattered[2 * k] == loop_payload(i)[2 * k]);
    }
    machines_close(&m);
}
END_TEST

/* -- streams */

struct stream { unsigned next[LOOP_MAX]; };
static struct stream streams[LOOP_MAX];

static uint32_t size_of(unsigned i) { return i % 50 ? i * 37 % 200 : i * 371 % 16000; }

/* Number i of its source, which stands in the match bits. */
static void in_order(struct catcher *c, const struct nic_packet *p)
{
    unsigned source = nic_packet_source(c->nic);
    unsigned i = streams[nic_rank(c->nic)].next[source]++;
    must(p->match == i && p->length == size_of(i));
    must(loop_is_payload(p->head, p->length, i + source));
}

static int stream_one(struct machines *m, unsigned from, unsigned to, unsigned i)
{
    struct nic_tx t = { .type = 1, .match = i, .data = loop_payload(i + from),
                        .data_bytes = size_of(i) };
    return loop_send(m->nic[from], to, &t);
}

/* Everybody sends to everybody else, in random turns. */
START_TEST(test_streams)
{
    enum { PACKETS = LOOP_SANITIZED ? 300 : 1500, RANKS = 4 };
    uint64_t random = loop_seed(5);
    struct machines m;
    unsigned sent[RANKS][RANKS] = { { 0 } }, left = RANKS * RANKS * PACKETS;
    memset(streams, 0, sizeof streams);
    machines_open(&m, RANKS, 2, NIC_PROGRESS_HOST);
    for (unsigned r = 0; r < RANKS; r++)
        m.catcher[r]->caught = in_order;
    while (left) {
        unsigned from = loop_below(&random, RANKS), to = loop_below(&random, RANKS);
        for (unsigned burst = loop_below(&random, 30); burst && sent[from][to] < PACKETS; burst--) {
            if (stream_one(&m, from, to, sent[from][to]))
                break;
            sent[from][to]++;
            left--;
        }
        machines_step(m.nic[loop_below(&random, RANKS)]);
    }
    for (unsigned r = 0; r < RANKS; r++)
        machines_await(&m, r, RANKS * PACKETS);
    for (unsigned r = 0; r < RANKS; r++)
        for (unsigned s = 0; s < RANKS; s++)
            must(streams[r].next[s] == PACKETS);
    machines_close(&m);
}
END_TEST

/* A peer that does not look: its senders are told that it is full, and nothing is lost. */
START_TEST(test_full)
{
    struct machines m;
    unsigned sent = 0;
    memset(streams, 0, sizeof streams);
    machines_open(&m, 2, 2, NIC_PROGRESS_HOST);
    m.catcher[1]->caught = in_order;
    int rc = 0;
    while (!(rc = stream_one(&m, 0, 1, sent)))
        sent++;
    must(rc == -EAGAIN && sent > 100);
    machines_await(&m, 1, sent);
    must(stream_one(&m, 0, 1, sent) == 0);
    machines_await(&m, 1, sent + 1);
    machines_close(&m);
}
END_TEST

/* -- operations */

static int until(struct machines *m, struct nic_outcome *o)
{
    while (nic_outcome_status(o) == -EINPROGRESS)
        for (unsigned r = 0; r < m->ranks; r++)
            machines_step(m->nic[r]);
    return nic_outcome_status(o);
}

/* Words, counters, atomics, transfers: what is out of reach goes by packet. */
START_TEST(test_operations)
{
    enum { BYTES = 100 * 1000 };
    static unsigned char from[BYTES], to[BYTES], there[BYTES];
    struct machines m;
    machines_open(&m, 4, 2, NIC_PROGRESS_HOST);
    struct nic *a = m.nic[0], *b = m.nic[1];
    ck_assert(nic_is_here(a, 2) && !nic_is_here(a, 1));
    ck_assert_ptr_null(nic_spad_at(a, 1, 0, 8));
    ck_assert_ptr_null(nic_heap_at(a, 1, 0, 8));
    ck_assert_uint_eq(nic_rdma_paths(a, 1), 0);
    nic_enter(b);
    uint64_t word = nic_spad_take(b, 64, 64), counter;
    struct nic_counter_config config = { .bits = 64, .size = 3 };
    must(nic_counter_create(b, &config, &counter) == 0);
    uint32_t key;
    must(nic_register(b, there, sizeof there, NIC_RIGHT_ALL, &key) == 0);
    nic_leave(b);
    nic_enter(a);
    must(nic_store(a, 1, word, 77, 8) == 0);
    must(nic_store(a, 1, UINT64_MAX - 7, 77, 8) == -EINVAL);
    must(nic_counter_add(a, 1, counter, 2) == 0);
    must(nic_counter_add(a, 1, counter, 1) == 0);
    struct nic_outcome outcome = { .done = NULL };
    uint64_t old = 0;
    struct nic_atomic add = { .target = { 1, NIC_KEY_SCRATCHPAD, word }, .op = NIC_ATOMIC_ADD,
                              .type = NIC_ATOMIC_UINT64, .operand = 5, .result = &old,
                              .counter = NIC_SPAD_NONE };
    must(nic_atomic(a, &add, &outcome) == 0);
    nic_leave(a);
    must(until(&m, &outcome) == 0);
    must(old == 77 && *(uint64_t *)nic_spad_at(b, 1, word, 8) == 82);
    nic_enter(b);
    must(nic_counter_done(b, counter));
    nic_leave(b);
    memcpy(from, loop_payload(3), LOOP_BYTES);
    struct nic_transfer t = { .local = from, .remote = { 1, key, 0 },
                              .local_shape = nic_contiguous(BYTES),
                              .remote_shape = nic_contiguous(BYTES),
                              .local_counter = NIC_SPAD_NONE, .remote_counter = NIC_SPAD_NONE };
    nic_enter(a);
    must(nic_put(a, &t, &outcome) == 0);
    nic_leave(a);
    must(until(&m, &outcome) == 0 && !memcmp(from, there, BYTES));
    t.local = to;
    nic_enter(a);
    must(nic_get(a, &t, &outcome) == 0);
    nic_leave(a);
    must(until(&m, &outcome) == 0 && !memcmp(from, to, BYTES));
    t.remote.key = key + NIC_REGIONS_MAX;
    nic_enter(a);
    must(nic_get(a, &t, &outcome) == 0);
    nic_leave(a);
    must(until(&m, &outcome) == -ENOKEY);
    machines_close(&m);
}
END_TEST

/* -- the end */

/* What has been taken before a NIC closes arrives, however much of it waits. */
START_TEST(test_closing)
{
    struct machines m;
    unsigned sent = 0;
    memset(streams, 0, sizeof streams);
    machines_open(&m, 2, 2, NIC_PROGRESS_HOST);
    m.catcher[1]->caught = in_order;
    while (sent < 100 && !stream_one(&m, 0, 1, sent))
        sent++;
    machines_close_in_turn(&m, sent, 0);
}
END_TEST

/* The addresses of two ranks that are in two processes: `own` tells the other what its own is. */
static void exchange(struct machines *m, unsigned own, int to, int from)
{
    must(write(to, m->address[own], NIC_ADDRESS_MAX) == NIC_ADDRESS_MAX);
    must(write(to, &m->bytes[own], sizeof *m->bytes) == sizeof *m->bytes);
    must(read(from, m->address[!own], NIC_ADDRESS_MAX) == NIC_ADDRESS_MAX);
    must(read(from, &m->bytes[!own], sizeof *m->bytes) == sizeof *m->bytes);
}

_Noreturn static void die_after_packet(struct machines *m, int to, int from)
{
    suite_limit();
    machines_open_rank(m, 1, NIC_PROGRESS_HOST, &catcher_program);
    exchange(m, 1, to, from);
    while (!m->catcher[1]->packets)
        machines_step(m->nic[1]);
    _exit(0);
}

/* In a process of its own.  Its peer's is forked before it has a thread. */
static void lose_a_peer(void)
{
    struct machines m;
    struct nic_tx t = { .type = 1, .data = loop_payload(1), .data_bytes = 100 };
    int there[2], back[2];
    setenv("NICEMU_WIRE_PATIENCE", "300", 1);
    machines_deal(&m, 2, 2);
    machines_jobs(&m);
    must(!pipe(there) && !pipe(back));
    pid_t child = fork();
    if (!child)
        die_after_packet(&m, back[1], there[0]);
    machines_open_rank(&m, 0, NIC_PROGRESS_HOST, &catcher_program);
    exchange(&m, 0, there[1], back[0]);
    must(loop_send(m.nic[0], 1, &t) == 0);
    while (waitpid(child, NULL, WNOHANG) != child)
        machines_step(m.nic[0]);
    for (;;) {
        loop_send(m.nic[0], 1, &t);
        machines_step(m.nic[0]);
    }
}

START_TEST(test_death)
{
    int status;
    pid_t pid = fork();
    if (!pid) {
        suite_limit();
        lose_a_peer();
    }
    waitpid(pid, &status, 0);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 1);
}
END_TEST

/* -- what goes wrong */

START_TEST(test_refused)
{
    struct machines m;
    machines_deal(&m, 2, 2);
    machines_jobs(&m);
    struct nic_config c = { .job = m.job[0], .rank = 0, .link = "loop",
                            .program = &catcher_program };
    struct nic *nic;
    ck_assert_int_eq(nic_open(&c, &nic), -EINVAL);
    ck_assert_ptr_nonnull(strstr(nic_open_error(), "directory"));
    c.rank = 1;
    ck_assert_int_eq(nic_open(&c, &nic), -EINVAL);
    ck_assert_ptr_nonnull(strstr(nic_open_error(), "another machine"));
    c.rank = 0;
    m.place[0] = (struct place){ &m, 0, { &m.place[0], machines_put, machines_fence,
                                          machines_get } };
    c.directory = &m.place[0].directory;
    char *before = getenv("NICEMU_OFI_PROVIDER");
    before = before ? strdup(before) : NULL;
    setenv("NICEMU_OFI_PROVIDER", "none of these", 1);
    ck_assert_int_eq(nic_open(&c, &nic), -ENOTSUP);
    ck_assert_ptr_nonnull(strstr(nic_open_error(), "none of these"));
    if (before)
        setenv("NICEMU_OFI_PROVIDER", before, 1);
    else
        unsetenv("NICEMU_OFI_PROVIDER");
    free(before);
    for (unsigned i = 0; i < 2; i++)
        nic_job_close(m.job[i]);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("wire");
    TCase *t = tcase_create("wire");
    if (machines_possible()) {
        tcase_add_test(t, test_death);          /* first: it forks */
        tcase_add_test(t, test_sizes);
        tcase_add_test(t, test_long);
        tcase_add_test(t, test_gathered);
        tcase_add_test(t, test_streams);
        tcase_add_test(t, test_full);
        tcase_add_test(t, test_operations);
        tcase_add_test(t, test_closing);
        tcase_add_test(t, test_refused);
    }
    suite_add_tcase(s, t);
    return loop_run(s);
}
