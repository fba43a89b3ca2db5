/* The module for other machines by itself, between two ends in one process: what comes of frames,
 * how many there are, reads, and what tells whoever sleeps. */
#include <errno.h>
#include <poll.h>
#include <sys/wait.h>

#include "machines.h"

enum { FRAME = 16 * 1024, EVENTS = 8, READS_MOST = 64 };

static const struct nic_wire_ops *ops;

/* From the first end to the second one. */
static struct nic_wire *here, *there;
static uint64_t to;
static bool loses, is_stream;

static unsigned came, given;    /* frames, each with its number; buffers that were given back */
static unsigned bad_reads;      /* those that have failed */
static bool holds;              /* a buffer is kept, and this is it */
static void *held;

static struct nic_wire *open_end(void)
{
    const struct nic_wire_config c = { .frame_bytes = FRAME,
                                       .provider = getenv("NICEMU_OFI_PROVIDER") };
    struct nic_wire *w;
    char why[256] = "";
    ck_assert_msg(ops->open(&c, &w, why, sizeof why) == 0, "%s", why);
    return w;
}

static void open_ends(void)
{
    unsigned char address[256];
    size_t bytes;
    here = open_end();
    there = open_end();
    must(ops->address(there, address, sizeof address, &bytes) == 0 && bytes <= sizeof address);
    must(ops->insert(here, address, &to) == 0);
    const char *provider = ops->provider(here);
    is_stream = !strcmp(provider, "net") || !strcmp(provider, "tcp");
    loses = ops->limits(here).loses;
    must(loses || ops->limits(here).frame_bytes == FRAME);
    came = given = bad_reads = 0;
    held = NULL;
}

static void close_ends(void)
{
    ops->close(here);
    ops->close(there);
}

static bool readable(struct nic_wire *w, int patience_ms)
{
    struct pollfd p = { .fd = ops->fd(w), .events = POLLIN };
    return poll(&p, 1, patience_ms) == 1;
}

/* Owners count what they are told. */
static void take(struct nic_wire *w, const struct nic_wire_event *e)
{
    if (e->kind != NIC_WIRE_CAME) {
        must(e->kind != NIC_WIRE_LOST);
        ++*(unsigned *)e->owner;
        bad_reads += e->kind == NIC_WIRE_READ && e->why;
        return;
    }
    if (e->bytes) {
        unsigned number;
        memcpy(&number, e->data, sizeof number);
        must(number == came);
        came++;
    }
    if (e->buffer && holds && !held)
        held = e->buffer;
    else if (e->buffer) {
        given++;
        ops->give_back(w, e->buffer);
    }
}

static unsigned look(struct nic_wire *w, unsigned most)
{
    struct nic_wire_event event[EVENTS];
    unsigned n = ops->poll(w, event, most);
    /* more may be left: whoever sleeps is to see it */
    must(n < most || !is_stream || readable(w, 0));
    for (unsigned i = 0; i < n; i++)
        take(w, &event[i]);
    return n;
}

static void turn(void)
{
    look(here, EVENTS);
    look(there, EVENTS);
}

/* What `send` returns, when there is room. */
static int send_frame(unsigned number, uint32_t bytes, bool told, unsigned *owner)
{
    struct nic_wire_frame *f;
    int rc;
    while (!(f = ops->frame(here)))
        turn();
    memset(f->data, 0x55, bytes);
    memcpy(f->data, &number, sizeof number);
    f->bytes = bytes;
    f->told = told;
    f->owner = owner;
    while ((rc = ops->send(here, to, f)) == -EAGAIN)
        turn();
    return rc;
}

/* -- frames */

/* Whoever asked is told, once, of a short one too, which may have left at once; of others an event
 * tells unless that is so. */
START_TEST(test_told)
{
    static const uint32_t sizes[] = { 8, 64, 5000, FRAME };
    enum { FRAMES = 600 };
    static unsigned ends[FRAMES];
    unsigned expected[FRAMES], left = 0;
    memset(ends, 0, sizeof ends);
    open_ends();
    for (unsigned i = 0; i < FRAMES && !loses; i++) {
        bool told = i % 3 == 0;
        int rc = send_frame(i, sizes[i / 3 % 4], told, &ends[i]);
        must(rc == 0 || (rc == 1 && !told));
        expected[i] = rc == 0;
    }
    do {
        turn();
        left = 0;
        for (unsigned i = 0; i < FRAMES && !loses; i++)
            left += ends[i] < expected[i];
    } while (left || (!loses && came < FRAMES));
    for (unsigned i = 0; i < 100; i++)
        turn();
    for (unsigned i = 0; i < FRAMES && !loses; i++)
        ck_assert_uint_eq(ends[i], expected[i]);
    must(loses || given < FRAMES / 4);          /* a buffer takes many */
    close_ends();
}
END_TEST

/* There is an end to frames; each has room of its own; what is dropped can be had again. */
START_TEST(test_all)
{
    enum { MOST = 4096 };
    static struct nic_wire_frame *all[MOST];
    unsigned count[2] = { 0 };
    open_ends();
    const uint32_t bytes = ops->limits(here).frame_bytes;
    for (unsigned round = 0; round < 2; round++) {
        unsigned n = 0;
        for (; n < MOST && (all[n] = ops->frame(here)); n++) {
            must((uintptr_t)all[n]->data % 8 == 0);
            memset(all[n]->data, (int)(n % 251), bytes);
        }
        for (unsigned i = 0; i < n; i++) {
            must(all[i]->data[0] == i % 251 && all[i]->data[bytes - 1] == i % 251);
            ops->drop(here, all[i]);
        }
        count[round] = n;
    }
    ck_assert_uint_ge(count[0], 64);
    ck_assert_uint_lt(count[0], MOST);
    ck_assert_uint_eq(count[1], count[0]);
    close_ends();
}
END_TEST

/* -- asleep */

/* Nothing is left, and nothing is said to be. */
static void come_to_rest(void)
{
    do
        turn();
    while (!ops->may_sleep(there) || readable(there, 0));
}

/* The descriptor tells of what comes, and of what a look has left. */
START_TEST(test_sleep)
{
    enum { ROUNDS = 40, AT_ONCE = 5 };
    open_ends();
    for (unsigned round = 0; round < ROUNDS && is_stream; round++) {
        unsigned first = came, left = 0;
        come_to_rest();
        for (unsigned i = 0; i < AT_ONCE; i++)
            send_frame(first + i, 8 + round * 400, false, &left);
        while (came == first && !readable(there, 1))
            look(here, EVENTS);
        while (came < first + AT_ONCE) {
            must(ops->may_sleep(there) || readable(there, 0));
            while (ops->may_sleep(there) && !readable(there, 1))
                look(here, EVENTS);
            look(there, 1);
        }
    }
    close_ends();
}
END_TEST

/* What has waited for memory to receive in comes when that is given back, without a socket that
 * says so. */
START_TEST(test_room)
{
    unsigned left = 0, sent = 0;
    open_ends();
    holds = true;
    while (!held && is_stream) {
        send_frame(sent++, FRAME, false, &left);
        turn();
    }
    holds = false;
    if (held) {
        while (came < sent)
            turn();
        come_to_rest();
        ops->give_back(there, held);
        must(readable(there, 0));
        come_to_rest();
    }
    close_ends();
}
END_TEST

/* -- reads */

static int begin_read(const struct nic_wire_region *r, size_t at, void *place, size_t bytes,
                      unsigned *owner)
{
    const struct nic_wire_read read = { .peer = to, .from = r->address + at, .key = r->key,
                                        .to = place, .bytes = bytes, .owner = owner };
    return ops->read(here, &read);
}

/* As many as there is room for, three times. */
static void read_parts(const struct nic_wire_region *r, const unsigned char *memory)
{
    enum { PART = 3000 };
    static unsigned char place[READS_MOST * PART];
    for (unsigned round = 0; round < 3; round++) {
        unsigned ends[READS_MOST] = { 0 }, n = 0, ended = 0;
        int rc = 0;
        memset(place, 0, sizeof place);
        while (n < READS_MOST && (!n || !rc)) {
            rc = begin_read(r, n * PART, place + n * PART, PART, &ends[n]);
            must(rc == 0 || rc == -EAGAIN);
            n += rc == 0;
            if (!n)
                turn();         /* the first of all begins when they have found each other */
        }
        must(rc == -EAGAIN);
        do {
            turn();
            ended = 0;
            for (unsigned i = 0; i < n; i++)
                ended += ends[i];
        } while (ended < n);
        for (unsigned i = 0; i < n; i++)
            ck_assert_uint_eq(ends[i], 1);
        must(!memcmp(place, memory, n * PART));
        ck_assert_uint_eq(bad_reads, 0);
    }
}

/* Of memory that is offered; by another name than it has they end too, and say why. */
START_TEST(test_reads)
{
    static unsigned char memory[READS_MOST * 3000], place[64];
    struct nic_wire_region region;
    unsigned ended = 0;
    for (unsigned i = 0; i < sizeof memory; i++)
        memory[i] = (unsigned char)(i * 7 + i / 251);
    open_ends();
    int rc = ops->offer(there, memory, sizeof memory, &region);
    if (rc == -ENOTSUP) {
        ck_assert_int_eq(begin_read(&(struct nic_wire_region){ .key = 1 }, 0, place, 1, &ended),
                         -ENOTSUP);
        close_ends();
        return;
    }
    must(rc == 0 && region.key);
    read_parts(&region, memory);
    region.key ^= 0x5a5a;
    must(begin_read(&region, 0, place, sizeof place, &ended) == 0);
    while (!ended)
        turn();
    ck_assert_uint_eq(ended, 1);
    ck_assert_uint_eq(bad_reads, 1);
    ops->let_go(there, &region);
    close_ends();
}
END_TEST

/* -- providers */

/* In a process of its own, as libfabric asks but once; 77: there is no such provider. */
static int limits_with(const char *filter)
{
    struct nic_wire_config c = { .frame_bytes = FRAME };
    struct nic_wire *w;
    char why[256] = "";
    suite_limit();
    setenv("FI_PROVIDER", filter, 1);
    if (ops->open(&c, &w, why, sizeof why))
        return strstr(why, "libfabric has no provider that can be used here") ? 77 : 3;
    int rc = ops->limits(w).loses ? 1 : 0;
    ops->close(w);
    return rc;
}

/* Datagrams are taken by their provider's name alone, wherever it stands. */
START_TEST(test_filter)
{
    for (unsigned i = 0; i < 2; i++) {
        int status;
        fflush(NULL);
        pid_t child = fork();
        if (!child)
            _exit(limits_with(i ? "" : "udp"));
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert(WIFEXITED(status));
        if (WEXITSTATUS(status) != 77)
            ck_assert_int_eq(WEXITSTATUS(status), i ? 0 : 1);
    }
}
END_TEST

START_TEST(test_none)
{
    const struct nic_wire_config c = { .frame_bytes = FRAME, .provider = "none of these" };
    struct nic_wire *w;
    char why[256] = "";
    ck_assert_int_lt(ops->open(&c, &w, why, sizeof why), 0);
    ck_assert_str_eq(why, "libfabric has no provider none of these that can be used here; fi_info "
                     "lists those that there are");
}
END_TEST

int main(void)
{
    char why[256];
    if (!machines_possible())
        return 77;
    ops = nic_wire_load(why, sizeof why);
    Suite *s = suite_create("wire_module");
    TCase *t = tcase_create("wire_module");
    tcase_add_test(t, test_filter);     /* first: it forks */
    tcase_add_test(t, test_none);
    tcase_add_test(t, test_told);
    tcase_add_test(t, test_all);
    tcase_add_test(t, test_sleep);
    tcase_add_test(t, test_room);
    tcase_add_test(t, test_reads);
    suite_add_tcase(s, t);
    return loop_run(s);
}
