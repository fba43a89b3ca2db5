/* One packet to many ranks: everybody in the list gets each once, whole, from its sender, whatever
 * the tree, the length and the clock; hosts between them need not be there. */
#include <errno.h>
#include <pthread.h>

#include "core/nic.h"
#include "modelled.h"
#include "nicemu/multi.h"
#include "remote/packets.h"

enum { RANKS = 6, EACH = 12, HEAD = 16 };

static const uint32_t lengths[] = { 0, 8, 32, 33, 200, 5000, NIC_MESSAGE_BYTES_MAX - HEAD - 16 };
static const unsigned latencies[] = { 0, 1, 2, 3, 200 };
enum { LENGTHS = sizeof lengths / sizeof *lengths,
       LATENCIES = sizeof latencies / sizeof *latencies };

struct rank {
    struct nic *nic;
    unsigned me, got, wants;
    unsigned seen[RANKS][EACH];
    unsigned char body[NIC_MESSAGE_BYTES_MAX];
    uint32_t length;
    unsigned source, number;
};

static unsigned char byte_of(unsigned source, unsigned number, uint32_t place)
{
    return (unsigned char)(source * 31 + number * 7 + place * 13 + place / 256);
}

static void check_body(struct rank *r)
{
    for (uint32_t i = 0; i < r->length; i++)
        must(r->body[i] == byte_of(r->source, r->number, i));
    r->seen[r->source][r->number]++;
    __atomic_fetch_add(&r->got, 1, __ATOMIC_RELEASE);
}

static void on_packet(struct nic *nic, void *context, const struct nic_packet *p)
{
    struct rank *r = context;
    uint64_t head[2];
    must(p->type == 5 && p->flags == 3 && p->head_bytes >= sizeof head);
    memcpy(head, p->head, sizeof head);
    r->source = nic_packet_source(nic);
    r->number = (unsigned)head[1];
    r->length = p->length - HEAD;
    must(head[0] == r->source && r->number < EACH && p->match == 1000 * r->source + r->number);
    must(r->length == lengths[r->number % LENGTHS]);
    const uint32_t here = p->head_bytes - HEAD;
    memcpy(r->body, (const char *)p->head + HEAD, here);
    if (here == r->length)
        check_body(r);
    else
        nic_receive_body(nic, r->body + here, r->length - here, r);
}

static void on_landed(struct nic *nic, void *context, void *cookie)
{
    (void)nic;
    must(context == cookie);
    check_body(context);
}

static const struct nic_program program = { .name = "multi", .packet = on_packet,
                                            .landed = on_landed, .command = idle_command,
                                            .advance = idle_advance };

static int send_one(struct rank *r, unsigned number, unsigned latency)
{
    unsigned char data[NIC_MESSAGE_BYTES_MAX];
    unsigned list[RANKS], count = 0;
    const uint64_t head[2] = { r->me, number };
    const struct nic_tx m = { .type = 5, .flags = 3, .match = 1000 * r->me + number, .head = head,
                              .head_bytes = HEAD, .data = data,
                              .data_bytes = lengths[number % LENGTHS] };
    for (uint32_t i = 0; i < m.data_bytes; i++)
        data[i] = byte_of(r->me, number, i);
    for (unsigned i = 1; i < RANKS; i++)
        list[count++] = (r->me + number + i * (number % 2 ? 1 : RANKS - 1)) % RANKS;
    for (unsigned i = 0; i < count; i++)        /* all but itself */
        if (list[i] == r->me)
            list[i] = (r->me + number) % RANKS;
    return nic_multi_send(r->nic, list, count, latency, &m);
}

static void all_came(const struct rank *r)
{
    for (unsigned s = 0; s < RANKS; s++)
        for (unsigned i = 0; i < EACH; i++)
            must(r->seen[s][i] == (s != r->me));
}

static unsigned latency_wanted;

static void *send_all(void *argument)
{
    struct rank *r = argument;
    struct nic_wait wait = { 0 };
    nic_enter(r->nic);
    for (unsigned i = 0; i < EACH; i++)
        must(send_one(r, i, latency_wanted) == 0);
    while (__atomic_load_n(&r->got, __ATOMIC_ACQUIRE) < (RANKS - 1) * EACH)
        nic_wait_turn(r->nic, &wait);
    all_came(r);
    nic_leave(r->nic);
    nic_close(r->nic);
    return NULL;
}

static void all_to_all(struct nic_job *job, unsigned latency)
{
    struct rank *r = calloc(RANKS, sizeof *r);
    pthread_t thread[RANKS];
    must(r);
    latency_wanted = latency;
    for (unsigned i = 0; i < RANKS; i++) {
        r[i].me = i;
        r[i].nic = loop_nic(job, i, NIC_PROGRESS_AUTO, &program, &r[i]);
    }
    for (unsigned i = 0; i < RANKS; i++)
        must(!pthread_create(&thread[i], NULL, send_all, &r[i]));
    for (unsigned i = 0; i < RANKS; i++)
        must(!pthread_join(thread[i], NULL));
    nic_job_close(job);
    free(r);
}

START_TEST(live) { all_to_all(loop_job(RANKS), latencies[_i]); } END_TEST
START_TEST(modelled) { all_to_all(model_job(RANKS, false, NULL), latencies[_i]); } END_TEST

/* Latency 1, so a chain of services: only the NICs of those who pass it on take turns, no host of
 * theirs asks for anything; and what makes no sense is refused. */
START_TEST(hosts_are_away)
{
    struct nic_job *job = loop_job(RANKS);
    struct rank *r = calloc(RANKS, sizeof *r);
    unsigned alien[] = { 1, RANKS }, self[] = { 1, 0 };
    struct nic_tx bad = { .type = NIC_HW_FIRST }, good = { .type = 5 };
    static char data[NIC_MESSAGE_BYTES_MAX];
    must(r);
    for (unsigned i = 0; i < RANKS; i++) {
        r[i].me = i;
        r[i].nic = loop_nic(job, i, i ? NIC_PROGRESS_THREAD : NIC_PROGRESS_HOST, &program, &r[i]);
    }
    nic_enter(r[0].nic);
    must(nic_multi_send(r[0].nic, self, 1, 0, &bad) == -EINVAL);
    must(nic_multi_send(r[0].nic, self, 2, 0, &good) == -EINVAL);
    must(nic_multi_send(r[0].nic, alien, 2, 0, &good) == -EINVAL);
    must(nic_multi_send(r[0].nic, alien, 1, NIC_MULTI_LATENCY + 1, &good) == -EINVAL);
    good.data = data;
    good.data_bytes = sizeof data;
    must(nic_multi_send(r[0].nic, alien, 1, 0, &good) == -EMSGSIZE);
    must(nic_multi_send(r[0].nic, alien, NIC_MULTI_RANKS + 1, 0, &good) == -EMSGSIZE);
    must(nic_multi_send(r[0].nic, alien, 0, 0, &bad) == -EINVAL);
    for (unsigned i = 0; i < EACH; i++)
        must(send_one(&r[0], i, 1) == 0);
    nic_leave(r[0].nic);
    for (unsigned i = 1; i < RANKS; i++)
        while (__atomic_load_n(&r[i].got, __ATOMIC_ACQUIRE) < EACH) {
            nic_enter(r[0].nic);
            nic_step(r[0].nic);         /* what found no room */
            nic_leave(r[0].nic);
        }
    for (unsigned i = 0; i < RANKS; i++)
        nic_close(r[i].nic);
    nic_job_close(job);
    free(r);
}
END_TEST

/* -- a NIC that forwards: the host writes the packet once, and the NIC copies it.  In ps, by the
 * profile of modelled.h: the call takes 20,000, crossing the bus 50,000 and 10 for each of 64
 * bytes, the NIC's part 22,000.  Of 216 bytes the engine sends a copy in 17,000 + 21,600, while the
 * processor gets the next ready in 23,000; of none it sends one in 17,000, and waits for the
 * processor.  The wire has 200,000.  A packet takes the receiver's NIC 21,000, and 5,000 while 216
 * bytes land in 15,000 + 19,440; its host hears 50,000 and 16 times 10 later.
 * Where reading host memory takes 7,000 the first copy waits for that, and the others behind it;
 * where the host writes a byte in 100, its command of 64 and what is short enough to go with it. */
enum { COPIES = 3 };
static const struct forwarded {
    uint32_t bytes;
    uint64_t read, short_bytes, later;  /* of reading; that go with the command; heard so much */
    uint64_t heard[COPIES];
} forwarded[] = {
    { 216, 0, 0, 0, { 436840, 475440, 514040 } },
    { 0, 0, 0, 0, { 385800, 408800, 431800 } },
    { 216, 7000, 0, 7000, { 436840, 475440, 514040 } },
    { 216, 7000, 215, 7000 + 6400, { 436840, 475440, 514040 } },
    { 216, 7000, 216, 21600 + 6400, { 436840, 475440, 514040 } },
};

struct forwarder { struct nic *nic; unsigned me, got; uint32_t bytes; uint64_t heard; };

static int on_host(struct nic *nic, void *context)
{
    (void)context;
    nic_host_runs_handlers(nic, true);
    return 0;
}

static void hear(struct nic *nic, void *context, const struct nic_packet *p)
{
    struct forwarder *f = context;
    must(p->type == 7 && p->length == f->bytes && nic_packet_source(nic) == 0);
    for (uint32_t i = 0; i < p->head_bytes; i++)
        must(((const unsigned char *)p->head)[i] == byte_of(0, 1, i));
    f->heard = nic_moment(nic);
    f->got++;
}

static const struct nic_program forwarding = { .name = "forwarder", .attach = on_host,
                                               .packet = hear, .landed = idle_landed,
                                               .command = idle_command, .advance = idle_advance };

static void *forward_once(void *argument)
{
    struct forwarder *f = argument;
    struct nic_wait wait = { 0 };
    unsigned char data[256];
    const unsigned list[COPIES] = { 3, 1, 2 };
    const struct nic_tx m = { .type = 7, .data = data, .data_bytes = f->bytes };
    for (uint32_t i = 0; i < sizeof data; i++)
        data[i] = byte_of(0, 1, i);
    nic_enter(f->nic);
    must(f->me || nic_moment(f->nic) == 0);
    must(f->me || nic_multi_send(f->nic, list, 0, 0, &m) == 0);      /* to nobody: a call */
    must(f->me || nic_multi_send(f->nic, list, COPIES, 0, &m) == 0);
    memset(data, 0, sizeof data);
    while (f->me && !f->got)
        nic_wait_turn(f->nic, &wait);
    nic_leave(f->nic);
    nic_close(f->nic);
    return NULL;
}

START_TEST(a_forwarding_nic_copies)
{
    const struct forwarded *wanted = &forwarded[_i];
    struct nic_profile p = *test_profile();
    struct nic_model_config model = { .profile = &p };
    struct nic_job_config config = { .ranks = COPIES + 1, .cores = 1, .model = &model };
    struct nic_job *job;
    p.bus.read = wanted->read;
    p.bus.pio_bytes = wanted->short_bytes;
    p.bus.pio_byte = wanted->short_bytes ? 100 * 1024 : 0;
    must(nic_job_create(&config, &job) == 0);
    struct forwarder f[COPIES + 1];
    pthread_t thread[COPIES + 1];
    for (unsigned i = 0; i <= COPIES; i++) {
        f[i] = (struct forwarder){ .me = i, .bytes = wanted->bytes };
        f[i].nic = loop_nic(job, i, NIC_PROGRESS_AUTO, &forwarding, &f[i]);
    }
    for (unsigned i = 0; i <= COPIES; i++)
        must(!pthread_create(&thread[i], NULL, forward_once, &f[i]));
    for (unsigned i = 0; i <= COPIES; i++)
        must(!pthread_join(thread[i], NULL));
    ck_assert_uint_eq(f[3].heard, wanted->heard[0] + wanted->later);
    ck_assert_uint_eq(f[1].heard, wanted->heard[1] + wanted->later);
    ck_assert_uint_eq(f[2].heard, wanted->heard[2] + wanted->later);
    nic_job_close(job);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("multi");
    TCase *tcase = tcase_create("multi");
    tcase_add_loop_test(tcase, live, 0, LATENCIES);
    tcase_add_loop_test(tcase, modelled, 0, LATENCIES);
    tcase_add_test(tcase, hosts_are_away);
    tcase_add_loop_test(tcase, a_forwarding_nic_copies, 0, sizeof forwarded / sizeof *forwarded);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
