/* Reads of memory on other machines, by a wire whose reads are ours: what is asked of it, how they
 * end and in which order, what it refuses; and long messages of the firmware that go another way.
 */
#include <errno.h>

#include "machines.h"
#include "ranks.h"
#include "wire/state.h"

enum { READS = 16, OFFERS = 40, LONG = 2 * 1024 * 1024 + 17 };

/* The wire below, with reads that end when the test says so. */
static struct {
    const struct nic_wire_ops *behind;
    struct nic_wire_ops ops;
    const struct nic_wire *reader;          /* whose reads these are */
    struct nic_wire_read read[READS];       /* under way, or to end */
    const char *why[READS];                 /* of those that fail */
    unsigned reads, order[READS], ends, told;   /* `order` up to `ends`: they end, as told so far */
    int refusal;                            /* of the next reads; 0: they are taken */
    unsigned accepted;                      /* reads that are taken before a refusal */
    bool at_once;                           /* all end at once */
    unsigned offers, let_go;
    int no_offer;
} fake;

static int fake_read(struct nic_wire *w, const struct nic_wire_read *read)
{
    if (fake.refusal && !fake.accepted)
        return fake.refusal;
    fake.reader = w;
    fake.accepted -= fake.accepted > 0;
    must(fake.reads < READS);
    fake.read[fake.reads++] = *read;
    if (fake.at_once)
        fake.order[fake.ends++] = fake.reads - 1;
    return 0;
}

static unsigned fake_poll(struct nic_wire *w, struct nic_wire_event *events, unsigned most)
{
    unsigned n = 0;
    for (; w == fake.reader && n < most && fake.told < fake.ends; n++) {
        unsigned i = fake.order[fake.told++];
        const struct nic_wire_read *r = &fake.read[i];
        if (!fake.why[i])
            memcpy(r->to, (const void *)(uintptr_t)r->from, r->bytes);
        events[n] = (struct nic_wire_event){ .kind = NIC_WIRE_READ, .owner = r->owner,
                                             .why = fake.why[i] };
    }
    return n + (n < most ? fake.behind->poll(w, events + n, most - n) : 0);
}

/* Addresses are this process', as both machines are. */
static int fake_offer(struct nic_wire *w, const void *memory, size_t bytes,
                      struct nic_wire_region *region)
{
    (void)w;
    must(bytes > 0);
    if (fake.no_offer)
        return fake.no_offer;
    *region = (struct nic_wire_region){ .own = &fake, .address = (uintptr_t)memory,
                                        .key = ++fake.offers };
    return 0;
}

static void fake_let_go(struct nic_wire *w, const struct nic_wire_region *region)
{
    (void)w;
    must(region->own == &fake && region->key);
    fake.let_go++;
}

static bool fake_may_sleep(struct nic_wire *w)
{
    return (w != fake.reader || fake.told == fake.ends) && fake.behind->may_sleep(w);
}

static void fill(unsigned char *to, size_t bytes, unsigned seed)
{
    for (size_t i = 0; i < bytes; i++)
        to[i] = (unsigned char)(i * 7 + i / 253 + seed);
}

static void read_with(struct nic *n)
{
    struct nic_wires *w = n->wires;
    if (!fake.behind) {
        fake.behind = w->ops;
        fake.ops = *w->ops;
        fake.ops.read = fake_read;
        fake.ops.poll = fake_poll;
        fake.ops.offer = fake_offer;
        fake.ops.let_go = fake_let_go;
        fake.ops.may_sleep = fake_may_sleep;
    }
    w->ops = &fake.ops;
}

/* -- one rank that reads */

static struct ended { uint64_t cookie; int rc; } ended[READS];
static unsigned ends;

static void note_end(struct nic *nic, void *context, uint64_t cookie, int rc)
{
    must(nic && context == ended && ends < READS);
    ended[ends++] = (struct ended){ cookie, rc };
}

static bool nothing(struct nic *nic, void *context) { (void)nic, (void)context; return false; }

static void begin(struct machines *m)
{
    memset(&fake, 0, sizeof fake);
    ends = 0;
    machines_open(m, 2, 2, NIC_PROGRESS_HOST);
    for (unsigned r = 0; r < 2; r++) {
        read_with(m->nic[r]);
        nic_on_patrol(m->nic[r], nothing, NULL);
        nic_on_far_read(m->nic[r], note_end, ended);
    }
}

/* A packet to and fro. */
static void talk(struct machines *m)
{
    struct nic_tx t = { .type = 1, .data = loop_payload(1), .data_bytes = 100 };
    for (unsigned r = 0; r < 2; r++) {
        unsigned long before = m->catcher[!r]->packets;
        machines_send(m, r, !r, &t);
        machines_await(m, !r, before + 1);
    }
}

static int far_read(struct machines *m, const void *from, size_t offset, void *to, size_t bytes,
                    uint64_t cookie)
{
    const struct nic_far_memory memory = { (uintptr_t)from, 7 };
    nic_enter(m->nic[0]);
    int rc = nic_far_read(m->nic[0], 1, &memory, offset, to, bytes, cookie);
    nic_leave(m->nic[0]);
    return rc;
}

static void end_in_order(struct machines *m, const unsigned *order, unsigned count)
{
    memcpy(fake.order + fake.ends, order, count * sizeof *order);
    fake.ends += count;
    while (fake.told < fake.ends)
        machines_step(m->nic[0]);
    machines_step(m->nic[0]);
}

static uint32_t under_way(struct machines *m) { return m->nic[0]->peer[1].wire->reads; }

/* They end as the wire says, in any order, and each says which it was. */
START_TEST(test_order)
{
    static const unsigned cookies[] = { 72, 70, 71 };
    static unsigned char from[300], to[300];
    struct machines m;
    begin(&m);
    fill(from, sizeof from, 3);
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_int_eq(far_read(&m, from, 100 * i, to + 100 * i, 100, 70 + i), 0);
        ck_assert_uint_eq(fake.read[i].key, 7);
        ck_assert_uint_eq(fake.read[i].peer, m.nic[0]->peer[1].wire->to);
    }
    ck_assert_uint_eq(under_way(&m), 3);
    talk(&m);
    ck_assert_uint_eq(ends, 0);
    end_in_order(&m, (unsigned[]){ 2, 0 }, 2);
    ck_assert_uint_eq(ends, 2);
    ck_assert_uint_eq(under_way(&m), 1);
    end_in_order(&m, (unsigned[]){ 1 }, 1);
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_uint_eq(ended[i].cookie, cookies[i]);
        ck_assert_int_eq(ended[i].rc, 0);
    }
    ck_assert_int_eq(memcmp(from, to, sizeof to), 0);
    ck_assert_uint_eq(under_way(&m), 0);
    ck_assert_uint_eq(m.nic[0]->stats.value[NIC_STAT_wire_reads], 3);
    ck_assert_uint_eq(m.nic[0]->stats.value[NIC_STAT_wire_bytes_read], 300);
    machines_close(&m);
}
END_TEST

/* One that fails loses the peer; one that is under way then is told all the same, and no other
 * begins. */
START_TEST(test_fails)
{
    static unsigned char from[64], to[64];
    struct machines m;
    begin(&m);
    talk(&m);
    ck_assert_int_eq(far_read(&m, from, 0, to, 32, 1), 0);
    ck_assert_int_eq(far_read(&m, from, 32, to + 32, 32, 2), 0);
    fake.why[0] = "the cable is cut";
    end_in_order(&m, (unsigned[]){ 0 }, 1);
    ck_assert_uint_eq(ends, 1);
    ck_assert_uint_eq(ended[0].cookie, 1);
    ck_assert_int_eq(ended[0].rc, -EHOSTDOWN);
    ck_assert_ptr_nonnull(strstr(nic_lost(m.nic[0], 1), "the cable is cut"));
    ck_assert_int_eq(far_read(&m, from, 0, to, 32, 3), -EHOSTUNREACH);
    ck_assert_uint_eq(fake.reads, 2);
    ck_assert_uint_eq(under_way(&m), 1);
    end_in_order(&m, (unsigned[]){ 1 }, 1);
    ck_assert_uint_eq(ends, 2);
    ck_assert_uint_eq(ended[1].cookie, 2);
    ck_assert_uint_eq(under_way(&m), 0);
    machines_close(&m);
}
END_TEST

/* What the wire has no room or no memory for is nobody's fault: the peer stays. */
START_TEST(test_refused)
{
    static unsigned char from[64], to[64];
    struct machines m;
    begin(&m);
    for (unsigned i = 0; i < 2; i++) {
        fake.refusal = (int[]){ -EAGAIN, -ENOMEM }[i];
        ck_assert_int_eq(far_read(&m, from, 0, to, 64, 1), fake.refusal);
        ck_assert_uint_eq(under_way(&m), 0);
        ck_assert_uint_eq(m.nic[0]->stats.value[NIC_STAT_wire_reads], i);
        fake.refusal = 0;
        ck_assert_int_eq(far_read(&m, from, 0, to, 64, 2), 0);
        end_in_order(&m, (unsigned[]){ i }, 1);
        ck_assert_uint_eq(ends, i + 1);
        talk(&m);
    }
    ck_assert_ptr_null(nic_lost(m.nic[0], 1));
    fake.refusal = -EIO;
    ck_assert_int_eq(far_read(&m, from, 0, to, 64, 3), -EHOSTUNREACH);
    ck_assert_ptr_nonnull(strstr(nic_lost(m.nic[0], 1), strerror(EIO)));
    ck_assert_uint_eq(under_way(&m), 0);
    machines_close(&m);
}
END_TEST

static bool read_of_far(struct nic *n)
{
    const struct nic_far_memory memory = { 1, 1 };
    char to;
    return nic_far_reads(n) || nic_far_read(n, 1, &memory, 0, &to, 1, 0) != -ENOTSUP
           || nic_far_offer(n, &to, 1, &(struct nic_far_memory){ 0, 0 });
}

START_TEST(test_none)
{
    struct machines m;
    begin(&m);
    nic_enter(m.nic[0]);
    ck_assert(nic_far_reads(m.nic[0]));
    fake.ops.read = NULL;
    ck_assert(!read_of_far(m.nic[0]));
    nic_leave(m.nic[0]);
    ck_assert_uint_eq(fake.offers, 0);
    machines_close(&m);
}
END_TEST

/* Numbers are used again; what is still offered at the end is let go, and nothing twice. */
START_TEST(test_offers)
{
    static char memory[OFFERS];
    uint32_t number[OFFERS];
    bool used[2 * OFFERS + 1] = { false };
    struct nic_far_memory name;
    struct machines m;
    begin(&m);
    nic_enter(m.nic[0]);
    fake.no_offer = -ENOMEM;
    ck_assert_uint_eq(nic_far_offer(m.nic[0], memory, 1, &name), 0);
    fake.no_offer = 0;
    for (unsigned i = 0; i < OFFERS; i++) {
        number[i] = nic_far_offer(m.nic[0], memory + i, 1, &name);
        ck_assert(number[i] && number[i] <= 2 * OFFERS && !used[number[i]]);
        used[number[i]] = true;
        ck_assert_uint_eq(name.address, (uintptr_t)memory + i);
        ck_assert_uint_eq(name.key, i + 1);
    }
    nic_far_let_go(m.nic[0], number[5]);
    nic_far_let_go(m.nic[0], number[7]);
    ck_assert_uint_eq(nic_far_offer(m.nic[0], memory, 1, &name), number[7]);
    ck_assert_uint_eq(nic_far_offer(m.nic[0], memory, 1, &name), number[5]);
    ck_assert_uint_eq(fake.let_go, 2);
    nic_far_let_go(m.nic[0], number[3]);
    nic_leave(m.nic[0]);
    machines_close(&m);
    ck_assert_uint_eq(fake.let_go, fake.offers);
}
END_TEST

/* -- the firmware's long messages */

static void open_firmware(struct machines *m)
{
    memset(&fake, 0, sizeof fake);
    fake.at_once = true;
    machines_deal(m, 2, 2);
    machines_jobs(m);
    retired_count = 0;
    ranks_open = 2;
    for (unsigned r = 0; r < 2; r++) {
        must((at[r].fw = mpi_fw_new(retired)));
        m->place[r] = (struct place){ m, r, { &m->place[r], machines_put, machines_fence,
                                              machines_get } };
        struct nic_config c = { .job = m->job[r], .rank = r, .link = "loop",
                                .progress = NIC_PROGRESS_HOST, .program = &mpi_fw_program,
                                .context = at[r].fw, .directory = &m->place[r].directory };
        must(nic_open(&c, &m->nic[r]) == 0);
        at[r].nic = m->nic[r];
        read_with(at[r].nic);
    }
}

/* The wire takes so many reads of each message, and then has no memory for more; the rest, or all,
 * comes in packets.  room: of the receive. */
static void send_long(struct machines *m, unsigned accepted, size_t room)
{
    static unsigned char from[LONG], to[LONG];
    fill(from, sizeof from, accepted + 1);
    memset(to, 0, sizeof to);
    fake.accepted = accepted;
    fake.refusal = -ENOMEM;
    fake.reads = fake.ends = fake.told = 0;
    struct fw_req *send = start_send(0, 1, 3, from, LONG);
    struct fw_req *recv = start_recv(1, 0, 3, to, room);
    finish_recv(1, recv, room, 0, 3, from, LONG);
    finish_send(0, send);
    ck_assert_uint_eq(fake.reads, accepted);
    ck_assert_ptr_null(nic_lost(m->nic[1], 0));
}

START_TEST(test_in_packets)
{
    struct machines m;
    open_firmware(&m);
    for (unsigned accepted = 0; accepted < 4; accepted++) {
        send_long(&m, accepted, LONG);
        send_long(&m, accepted, LONG - 100);
    }
    ck_assert_uint_eq(fake.let_go, fake.offers);
    for (unsigned r = 0; r < 2; r++)
        expect_clean(at[r].fw);
    machines_close(&m);
    for (unsigned r = 0; r < 2; r++)
        mpi_fw_delete(at[r].fw);
}
END_TEST

int main(void)
{
    if (!machines_possible())
        return 77;
    Suite *s = suite_create("wire_read");
    TCase *t = tcase_create("wire_read");
    tcase_add_test(t, test_order);
    tcase_add_test(t, test_fails);
    tcase_add_test(t, test_refused);
    tcase_add_test(t, test_none);
    tcase_add_test(t, test_offers);
    tcase_add_test(t, test_in_packets);
    suite_add_tcase(s, t);
    return loop_run(s);
}
