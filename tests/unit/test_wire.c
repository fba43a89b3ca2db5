/* Jobs of several machines: who is where, frames, and NICs that reach each other by packets only.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>

#include "core/baton.h"
#include "machines.h"
#include "nicemu/remote.h"
#include "wire/address.h"
#include "wire/directory.h"
#include "wire/frame.h"
#include "wire/state.h"

/* -- who is where */

START_TEST(test_places)
{
    struct machines m;
    machines_deal(&m, 5, 2);
    machines_jobs(&m);
    for (unsigned i = 0; i < 2; i++) {
        struct nic_job *view;
        must(nic_job_attach(dup(nic_job_fd(m.job[i])), &view) == 0);
        ck_assert_uint_eq(nic_job_ranks(view), 5);
        ck_assert_uint_eq(nic_job_machines(view), 2);
        for (unsigned r = 0; r < 5; r++) {
            ck_assert_uint_eq(nic_job_machine(view, r), r % 2);
            ck_assert(nic_job_is_here(view, r) == (r % 2 == i));
        }
        ck_assert(!nic_job_is_here(view, 5));
        nic_job_scratchpad(m.job[i], i + 2)[100] = (unsigned char)(i + 7);
        ck_assert_uint_eq(nic_job_scratchpad(view, i + 2)[100], i + 7);
        ck_assert_ptr_eq(nic_job_scratchpad(view, i),
                         nic_job_scratchpad(view, i + 2) - view->layout.scratchpad_stride);
        ck_assert_uint_eq(view->layout.here, i ? 2 : 3);
        nic_job_close(view);
        nic_job_close(m.job[i]);
    }
}
END_TEST

/* Tables that cannot be; one machine in a table is the same as no table. */
START_TEST(test_tables)
{
    uint16_t of[] = { 0, 1, 1, 0 }, wild[] = { 0, 2 }, same[] = { 1, 1 };
    struct nic_model_config model = { 0 };
    struct nic_machines one = { same, 1 }, none_here = { of, 2 }, bad = { wild, 0 };
    struct nic_machines two = { of, 1 };
    struct nic_job *job;
    ck_assert_int_eq(nic_job_create(&(struct nic_job_config){ .ranks = 4, .machines = &none_here },
                                    &job), -EINVAL);
    ck_assert_int_eq(nic_job_create(&(struct nic_job_config){ .ranks = 2, .machines = &bad }, &job),
                     -EINVAL);
    ck_assert_int_eq(nic_job_create(&(struct nic_job_config){ .ranks = 4, .machines = &two,
                                                              .model = &model }, &job), -EINVAL);
    ck_assert_ptr_nonnull(strstr(nic_job_step(), "one machine"));
    must(nic_job_create(&(struct nic_job_config){ .ranks = 2, .machines = &one }, &job) == 0);
    ck_assert_uint_eq(nic_job_machines(job), 1);
    ck_assert(nic_job_is_here(job, 0) && nic_job_is_here(job, 1));
    nic_job_close(job);
}
END_TEST

/* A foreign file whose table has more ranks here than it has memory for, or fewer: it is no job,
 * and its descriptor stays with whoever has it. */
START_TEST(test_wrong_table)
{
    uint16_t of[] = { 0, 1, 0 };
    struct nic_machines machines = { of, 0 };
    struct nic_job *job, *view = NULL;
    must(nic_job_create(&(struct nic_job_config){ .ranks = 3, .machines = &machines }, &job) == 0);
    uint16_t *table = (uint16_t *)(void *)(job->base + job->layout.machines);
    int fd = dup(nic_job_fd(job));
    for (unsigned rank = 0; rank < 2; rank++) {
        table[rank] ^= 1;
        ck_assert_int_eq(nic_job_attach(fd, &view), -EPROTO);
        ck_assert_ptr_null(view);
        ck_assert_int_ge(fcntl(fd, F_GETFD), 0);
        table[rank] ^= 1;
    }
    ck_assert_int_eq(nic_job_attach(fd, &view), 0);
    nic_job_close(view);
    nic_job_close(job);
}
END_TEST

/* -- addresses */

/* A machine's name behind an address, where there is room for all of it; what is no name is not
 * taken for one. */
START_TEST(test_host_names)
{
    char host[65] = "";
    unsigned char address[200] = { 1, 2, 3, 4 };
    must(gethostname(host, 64) == 0);
    const size_t whole = 4 + strlen(host) + 2;
    ck_assert_uint_eq(nic_address_add_host(address, 4, whole - 1), 4);
    ck_assert_ptr_null(nic_address_host(address, 4));
    ck_assert_uint_eq(nic_address_add_host(address, 4, whole), whole);
    ck_assert_str_eq(nic_address_host(address, whole), host);
    ck_assert_ptr_null(nic_address_host(address, 0));
    ck_assert_ptr_null(nic_address_host(address, whole - 1));
    for (unsigned i = 0; i < 3; i++) {
        static const unsigned char wrong[] = { ' ', 127, '\n' };
        address[5] = wrong[i];
        ck_assert_ptr_null(nic_address_host(address, whole));
    }
}
END_TEST

/* Addresses of ranks that count as elsewhere, in the memory that they share. */
START_TEST(test_posted)
{
    const struct nic_directory *d = &nic_directory_in_job;
    unsigned char address[NIC_ADDRESS_MAX + 1] = "here", read[NIC_ADDRESS_MAX];
    struct loop l;
    size_t bytes = 77;
    loop_open(&l, 2);
    ck_assert_int_eq(d->get(l.nic[0], 1, read, sizeof read, &bytes), -ENOENT);
    ck_assert_int_eq(d->put(l.nic[1], address, sizeof address), -ENOSPC);
    ck_assert_int_eq(d->put(l.nic[1], address, 5), 0);
    ck_assert_int_eq(d->get(l.nic[0], 1, read, 4, &bytes), -ENOSPC);
    ck_assert_int_eq(d->get(l.nic[0], 1, read, 5, &bytes), 0);
    ck_assert_uint_eq(bytes, 5);
    ck_assert_mem_eq(read, address, 5);
    ck_assert_int_eq(d->get(l.nic[1], 0, read, sizeof read, &bytes), -ENOENT);
    loop_close(&l);
}
END_TEST

/* -- frames */

START_TEST(test_frame)
{
    static unsigned char frame[NIC_FRAME_BYTES];
    uint64_t head[2] = { 3, 4 };
    uint32_t end = 8, at = 8;
    for (unsigned i = 0; i < 60; i++) {
        struct nic_tx t = { .type = (uint8_t)i, .flags = 3, .match = i * 5, .head = head,
                            .head_bytes = i % 3 * 8, .data = loop_payload(i), .data_bytes = i * 7 };
        memcpy(nic_frame_add(frame, end, &t), t.data, t.data_bytes);
        end += nic_frame_room(t.head_bytes + t.data_bytes);
        ck_assert_uint_eq(end % 8, 0);
    }
    struct nic_packet p;
    for (unsigned i = 0; i < 60; i++) {
        uint32_t skip = i % 3 * 8;
        must(nic_frame_next(frame, end, &at, &p));
        must(p.type == i && p.flags == 3 && p.match == i * 5 && p.length == skip + i * 7);
        must(p.head_bytes == (p.length < NIC_HEAD_BYTES ? p.length : NIC_HEAD_BYTES));
        must(loop_is_payload((const char *)p.head + skip, p.length - skip, i));
    }
    must(!nic_frame_next(frame, end, &at, &p) && at == end);
}
END_TEST

/* Whatever stands in a frame, nothing behind its end is read, and it ends. */
START_TEST(test_garbage)
{
    uint64_t random = loop_seed(11);
    for (unsigned round = 0; round < 3000; round++) {
        uint32_t bytes = loop_below(&random, 300), at = 0, before = 0;
        unsigned char *frame = malloc(bytes + !bytes);
        for (uint32_t i = 0; i < bytes; i++)
            frame[i] = loop_below(&random, 3) ? 0 : (unsigned char)loop_random(&random);
        struct nic_packet p;
        while (nic_frame_next(frame, bytes, &at, &p)) {
            must(at > before && at <= bytes && p.length <= NIC_FRAME_PACKET_LONG);
            must(p.length <= NIC_LENGTH_MAX || p.type < NIC_HW_FIRST);
            must((const unsigned char *)p.head + p.length <= frame + bytes);
            before = at;
        }
        free(frame);
    }
}
END_TEST

/* The longest packets of the program's and of the hardware's, and longer ones. */
START_TEST(test_frame_limits)
{
    static const struct { uint8_t type; uint32_t length; bool sound; } cases[] = {
        { 5, NIC_LENGTH_MAX + 1, true }, { 5, NIC_FRAME_PACKET_LONG, true },
        { 5, NIC_FRAME_PACKET_LONG + 1, false }, { 5, UINT32_MAX, false },
        { 5, UINT32_MAX - 7, false }, { NIC_HW_FIRST, NIC_LENGTH_MAX, true },
        { NIC_HW_FIRST, NIC_LENGTH_MAX + 1, false },
    };
    static unsigned char frame[2 * NIC_FRAME_BYTES_LONG];
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct nic_frame_packet head = { .type = cases[i].type, .length = cases[i].length };
        struct nic_packet p;
        uint32_t at = 8;
        memcpy(frame + at, &head, sizeof head);
        must(nic_frame_next(frame, sizeof frame, &at, &p) == cases[i].sound);
        must(cases[i].sound ? p.length == cases[i].length : at == 8);
    }
}
END_TEST

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

/* -- frames that nobody should send */

/* Of rank 2, whom nobody hears of otherwise, or of a source that cannot be. */
static uint32_t make_garbage(uint64_t *random, unsigned char *frame, uint32_t *sequence)
{
    static const uint16_t sources[] = { 0, 2, 2, 2, 2, 2, 2, 3, 65535 };
    uint32_t bytes = loop_below(random, 200);
    struct nic_frame_head head = { .kind = NIC_FRAME_PACKETS, .source = sources[loop_below(random,
                                                                                          9)] };
    for (uint32_t i = 0; i < bytes; i++)
        frame[i] = loop_below(random, 2) ? 0 : (unsigned char)loop_random(random);
    if (!loop_below(random, 8))
        head.kind = (uint16_t)loop_random(random);
    if (loop_below(random, 8))
        head.sequence = *sequence;
    else
        head.sequence = (uint32_t)loop_random(random);
    if (bytes >= sizeof head)
        memcpy(frame, &head, sizeof head);
    *sequence += bytes >= sizeof head && head.kind == NIC_FRAME_PACKETS && head.source == 2
                 && head.sequence == *sequence;
    return bytes;
}

START_TEST(test_hostile)
{
    enum { ROUNDS = LOOP_SANITIZED ? 300 : 1500 };
    struct machines m;
    uint64_t random = loop_seed(3), to;
    char why[256];
    struct nic_wire *wire;
    struct nic_wire_event events[8];
    const struct nic_wire_ops *ops = nic_wire_load(why, sizeof why);
    struct nic_wire_config config = { .frame_bytes = NIC_FRAME_BYTES,
                                      .provider = getenv("NICEMU_OFI_PROVIDER") };
    uint32_t sequence = 0;
    machines_open(&m, 3, 3, NIC_PROGRESS_HOST);
    must(ops->open(&config, &wire, why, sizeof why) == 0);
    must(ops->insert(wire, m.address[0], &to) == 0);
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct nic_wire_frame *f;
        while (!(f = ops->frame(wire))) {
            ops->poll(wire, events, 8);
            machines_step(m.nic[0]);
        }
        f->bytes = make_garbage(&random, f->data, &sequence);
        while (ops->send(wire, to, f) == -EAGAIN) {
            ops->poll(wire, events, 8);
            machines_step(m.nic[0]);
        }
    }
    for (unsigned i = 0; i < 1000; i++) {
        ops->poll(wire, events, 8);
        machines_step(m.nic[0]);
    }
    must(m.nic[0]->stats.value[NIC_STAT_packets_malformed] > 0);
    unsigned long before = m.catcher[0]->packets;
    struct nic_tx t = { .type = 7, .data = loop_payload(4), .data_bytes = 3000 };
    machines_send(&m, 1, 0, &t);
    while (m.catcher[0]->packet.type != 7 || m.catcher[0]->packet.length != 3000)
        machines_await(&m, 0, ++before);
    must(loop_is_payload(m.catcher[0]->data, 3000, 4));
    ops->close(wire);
    machines_close(&m);
}
END_TEST

/* -- frames by their numbers: somebody says that he is rank 2 */

static struct { const struct nic_wire_ops *ops; struct nic_wire *wire; uint64_t to; } stranger;

static void open_stranger(struct machines *m)
{
    char why[256];
    struct nic_wire_config config = { .frame_bytes = NIC_FRAME_BYTES,
                                      .provider = getenv("NICEMU_OFI_PROVIDER") };
    stranger.ops = nic_wire_load(why, sizeof why);
    must(stranger.ops->open(&config, &stranger.wire, why, sizeof why) == 0);
    must(stranger.ops->insert(stranger.wire, m->address[0], &stranger.to) == 0);
}

static void turn_stranger(struct machines *m)
{
    struct nic_wire_event events[8];
    stranger.ops->poll(stranger.wire, events, 8);
    machines_step(m->nic[0]);
}

/* With a packet that has the frame's number in its match bits, and so many senseless bytes. */
static void send_numbered(struct machines *m, enum nic_frame_kind kind, uint32_t sequence,
                          uint32_t senseless)
{
    const struct nic_frame_head head = { .kind = (uint16_t)kind, .source = 2,
                                         .sequence = sequence };
    const struct nic_tx packet = { .type = 5, .match = sequence };
    struct nic_wire_frame *f;
    while (!(f = stranger.ops->frame(stranger.wire)))
        turn_stranger(m);
    memcpy(f->data, &head, sizeof head);
    nic_frame_add(f->data, sizeof head, &packet);
    f->bytes = (uint32_t)sizeof head + nic_frame_room(0);
    memset(f->data + f->bytes, 0xff, senseless);
    f->bytes += senseless;
    while (stranger.ops->send(stranger.wire, stranger.to, f) == -EAGAIN)
        turn_stranger(m);
}

static void count_up(struct catcher *c, const struct nic_packet *p)
{
    must(nic_packet_source(c->nic) == 2 && p->match == c->packets - 1);
}

/* Until so many packets have come, and so many frames and rests of frames been dropped. */
static void expect_came(struct machines *m, unsigned long packets, uint64_t dropped)
{
    const uint64_t *malformed = &m->nic[0]->stats.value[NIC_STAT_packets_malformed];
    while (m->catcher[0]->packets < packets || *malformed < dropped)
        turn_stranger(m);
    must(m->catcher[0]->packets == packets && *malformed == dropped);
}

/* What comes before its turn waits for it, however often that happens; what comes twice, or too
 * long before, is dropped, as is what makes no sense at the end of a frame, and all behind a
 * good-bye. */
START_TEST(test_numbers)
{
    enum { ROUNDS = NIC_WIRE_EARLY };
    struct machines m;
    uint32_t next = 0;
    machines_open(&m, 3, 3, NIC_PROGRESS_HOST);
    m.catcher[0]->caught = count_up;
    open_stranger(&m);
    for (unsigned i = 0; i < ROUNDS; i++, next += 3) {
        static const uint32_t order[] = { 2, 1, 2, 0 };
        for (unsigned k = 0; k < 4; k++)
            send_numbered(&m, NIC_FRAME_PACKETS, next + order[k], 0);
        expect_came(&m, next + 3, i + 1);
    }
    send_numbered(&m, NIC_FRAME_PACKETS, next + NIC_WIRE_EARLY + 1, 0);
    expect_came(&m, next, ROUNDS + 1);
    send_numbered(&m, NIC_FRAME_PACKETS, next, 4);
    expect_came(&m, ++next, ROUNDS + 2);
    ck_assert_int_ne(nic_job_rank_state(m.job[0], 2), NIC_RANK_CLOSED);
    send_numbered(&m, NIC_FRAME_BYE, next, 0);
    expect_came(&m, ++next, ROUNDS + 2);
    ck_assert_int_eq(nic_job_rank_state(m.job[0], 2), NIC_RANK_CLOSED);
    send_numbered(&m, NIC_FRAME_PACKETS, next, 0);
    expect_came(&m, next, ROUNDS + 3);
    stranger.ops->close(stranger.wire);
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
    tcase_add_test(t, test_places);
    tcase_add_test(t, test_tables);
    tcase_add_test(t, test_wrong_table);
    tcase_add_test(t, test_host_names);
    tcase_add_test(t, test_posted);
    tcase_add_test(t, test_frame);
    tcase_add_test(t, test_garbage);
    tcase_add_test(t, test_frame_limits);
    if (machines_possible()) {
        tcase_add_test(t, test_death);          /* first: it forks */
        tcase_add_test(t, test_sizes);
        tcase_add_test(t, test_long);
        tcase_add_test(t, test_gathered);
        tcase_add_test(t, test_streams);
        tcase_add_test(t, test_full);
        tcase_add_test(t, test_hostile);
        tcase_add_test(t, test_numbers);
        tcase_add_test(t, test_operations);
        tcase_add_test(t, test_closing);
        tcase_add_test(t, test_refused);
    }
    suite_add_tcase(s, t);
    return loop_run(s);
}
