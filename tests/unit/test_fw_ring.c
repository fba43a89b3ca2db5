/* Rings of slots on the model clock: when messages arrive and sends return, against sums worked out
 * here from a small profile; what happens when a ring is full; rendezvous by write and by read;
 * hosts that are interrupted.  Ranks are threads. */
#include <errno.h>
#include <pthread.h>

#include "fw/request.h"
#include "fw/state.h"
#include "fw/stray.h"
#include "loop.h"
#include "model/state.h"

enum {
    RANKS_MOST = 4, SLOTS = 4, SLOT = 48, HEADER = 16, LIMIT = 32, LONG = 3001,
    /* picoseconds, or per byte */
    ENTER = 1000, SEND_BEFORE = 2000, RECV_BEFORE = 3000, PACKET = 40, COMMAND = 70, CONTROL = 500,
    COPY = 10000, COPY_BYTE = 10, COPY_ODD = 7, PRESET = 300, LONG_PRESET = 9000, SETUP = 400,
    START = 800, SHORT_BYTE = 20, SHORT_BYTES = 32, BYTE = 5, ODD = 90, READ = 600,
    LOCAL = 50000, REMOTE = 90000, ISSUE = 60, WAY = 200,
    LINK = 100000, INTERRUPT = 5000, HANDLER = 1111, LATE = 10000000,
};

static struct nic_profile profile;

static void setup(void)
{
    struct nic_profile *p = &profile;

    nic_profile_default(p);
    p->call.enter = ENTER;
    p->call.send_before = SEND_BEFORE;
    p->call.recv_before = RECV_BEFORE;
    p->host.packet = PACKET;
    p->host.command = COMMAND;
    p->host.control = CONTROL;
    p->host.copy = COPY;
    p->host.copy_byte = COPY_BYTE * 1024;
    p->host.copy_odd = COPY_ODD;
    p->counter.preset = PRESET;
    p->counter.local = LOCAL;
    p->counter.remote = REMOTE;
    p->tx.start = p->rx.start = 123456;         /* of packets, which have no part in this */
    p->tx.byte = p->rx.byte = 77 * 1024;
    p->rdma.setup = SETUP;
    p->rdma.start = START;
    p->rdma.short_byte = SHORT_BYTE * 1024;
    p->rdma.short_bytes = SHORT_BYTES;
    p->rdma.byte = BYTE * 1024;
    p->rdma.odd = ODD;
    p->rdma.read = READ;
    p->store.issue = ISSUE;
    p->store.latency = WAY;
    p->link.latency = LINK;
    p->scratchpad.slots = SLOTS;
    p->scratchpad.slot_bytes = SLOT;
    p->protocol.header = HEADER;
    p->protocol.control = 4;
    p->protocol.word = 4;
    p->protocol.eager = NIC_EAGER_RING;
    p->protocol.eager_limit = LIMIT;
    p->protocol.send_returns = NIC_SEND_LANDED;
    p->protocol.offload = NIC_OFFLOAD_NONE;
    p->completion.interrupt = INTERRUPT;
    p->completion.handler = HANDLER;
}

static uint64_t copy(uint64_t n) { return n ? COPY + COPY_BYTE * n + (n % 4 ? COPY_ODD : 0) : 0; }

/* From the engine's start to the last byte at the other side. */
static uint64_t flight(uint64_t n)
{
    uint64_t first = n < SHORT_BYTES ? n : SHORT_BYTES;
    return START + SHORT_BYTE * first + BYTE * (n - first) + (n % 4 ? ODD : 0) + LINK;
}

/* -- ranks */

struct rank {
    unsigned rank;
    struct nic *nic;
    struct fw *fw;
    void (*script)(struct rank *rank);
    uint64_t seen[8];       /* what the script has to say */
    struct fw_stats stats;
    uint64_t copies;
    pthread_t thread;
};

static struct nic_job *job;
static struct rank at[RANKS_MOST];
static size_t size;         /* of the message that the script is about */

static void retired(struct fw_req *r) { (void)r; }
static uint64_t now(const struct rank *r) { return r->nic->model->clock.free_at[NIC_RES_HOST]; }

static void *run(void *argument)
{
    struct rank *r = argument;
    struct nic_wait w = { 0 };

    r->script(r);
    nic_enter(r->nic);
    while (!mpi_fw_quiet(r->fw))
        nic_wait_turn(r->nic, &w);
    nic_leave(r->nic);
    r->stats = r->fw->stats;
    r->copies = r->nic->model->clock.charged[NIC_COST_COPY];
    nic_close(r->nic);
    mpi_fw_delete(r->fw);
    return NULL;
}

static int open_rank(unsigned rank, void (*script)(struct rank *rank))
{
    struct nic_config c = { .job = job, .rank = rank, .link = "loop",
                            .progress = NIC_PROGRESS_HOST, .program = &mpi_fw_program };
    struct rank *r = &at[rank];

    *r = (struct rank){ .rank = rank, .script = script };
    must(r->fw = mpi_fw_new(retired));
    c.context = r->fw;
    return nic_open(&c, &r->nic);
}

static void make_job(unsigned ranks, bool serial)
{
    struct nic_model_config model = { .profile = &profile, .serial = serial };
    struct nic_job_config config = { .ranks = ranks, .cores = 1, .model = &model };

    unsetenv("MPILITE_EAGER");
    unsetenv("MPILITE_RNDV");
    unsetenv("NICEMU_OFFLOAD");
    must(nic_job_create(&config, &job) == 0);
}

/* Rank 0 runs the first script, all others the second; returns the hash. */
static uint64_t play(unsigned ranks, bool serial, void (*first)(struct rank *rank),
                     void (*others)(struct rank *rank))
{
    struct nic_model_result result;

    make_job(ranks, serial);
    for (unsigned r = 0; r < ranks; r++)
        must(open_rank(r, r ? others : first) == 0);
    for (unsigned r = 0; r < ranks; r++)
        must(pthread_create(&at[r].thread, NULL, run, &at[r]) == 0);
    for (unsigned r = 0; r < ranks; r++)
        must(pthread_join(at[r].thread, NULL) == 0);
    must(nic_job_model_result(job, &result));
    nic_job_close(job);
    return result.hash;
}

/* -- requests */

static struct fw_req *start(struct rank *r, enum fw_kind kind, unsigned peer, uint32_t tag,
                            const void *buffer, size_t bytes, bool sync)
{
    nic_enter(r->nic);
    struct fw_req *q = mpi_fw_req_new(r->fw);
    must(q);
    q->object.kind = (uint8_t)kind;
    q->buffer = (void *)(uintptr_t)buffer;
    q->bytes = bytes;
    q->sync = sync;
    q->peer = peer;
    q->mask = 0;
    q->match = fw_match_bits(3, kind == FW_SEND ? r->rank : peer, tag);
    mpi_fw_start(r->fw, q);
    nic_leave(r->nic);
    return q;
}

static struct fw_req *send_start(struct rank *r, unsigned to, uint32_t tag, const void *data,
                                 size_t bytes)
{
    return start(r, FW_SEND, to, tag, data, bytes, false);
}

static struct fw_req *recv_start(struct rank *r, unsigned from, uint32_t tag, void *to,
                                 size_t bytes)
{
    return start(r, FW_RECV, from, tag, to, bytes, false);
}

static void finish(struct rank *r, struct fw_req *q)
{
    struct nic_wait w = { 0 };

    nic_enter(r->nic);
    while (!fw_req_done(q))
        nic_wait_turn(r->nic, &w);
    must(q->error == FW_OK);
    mpi_fw_req_free(r->fw, q);
    nic_leave(r->nic);
}

static void send_one(struct rank *r, unsigned to, uint32_t tag, size_t bytes)
{
    finish(r, send_start(r, to, tag, loop_payload(tag), bytes));
}

static void recv_one(struct rank *r, unsigned from, uint32_t tag, size_t bytes)
{
    unsigned char in[LONG];

    memset(in, 0xee, sizeof in);
    finish(r, recv_start(r, from, tag, in, bytes));
    must(loop_is_payload(in, bytes, tag));
}

/* -- times of eager messages */

static void sends_one(struct rank *r)
{
    send_one(r, 1, 7, size);
    r->seen[0] = now(r);
}

static void receives_one(struct rank *r)
{
    recv_one(r, 0, 7, size);
    r->seen[0] = now(r);
}

static const size_t eager_sizes[] = { 0, 1, 4, 15, 16, 31, 32 };

/* When the sender's processor has handed the message over. */
static uint64_t handed_over(size_t n)
{
    return ENTER + SEND_BEFORE + COMMAND + copy(n) + PRESET + SETUP;
}

START_TEST(eager_lands)
{
    size = eager_sizes[_i];
    play(2, false, sends_one, receives_one);
    uint64_t landed = handed_over(size) + flight(HEADER + size);
    ck_assert_uint_eq(at[0].seen[0], landed + LOCAL);
    ck_assert_uint_eq(at[1].seen[0], landed + REMOTE + PACKET + copy(size) + ISSUE);
    ck_assert_uint_eq(at[0].copies + at[1].copies, size ? 2 : 0);
}
END_TEST

START_TEST(eager_copied)
{
    size = eager_sizes[_i];
    profile.protocol.send_returns = NIC_SEND_COPIED;
    play(2, false, sends_one, receives_one);
    /* and the call that finds it done */
    ck_assert_uint_eq(at[0].seen[0], handed_over(size) + ENTER);
    ck_assert_uint_eq(at[1].seen[0], handed_over(size) + flight(HEADER + size) + REMOTE + PACKET
                                     + copy(size) + ISSUE);
}
END_TEST

/* Handlers on the NIC: the host's processor hands over a command and hears of the end. */
START_TEST(eager_offloaded)
{
    profile.protocol.offload = NIC_OFFLOAD_MATCH;
    profile.nic = profile.host;
    profile.nic.complete = 11;
    profile.bus.latency = 2000;
    size = 16;
    play(2, false, sends_one, receives_one);
    uint64_t landed = handed_over(size) + 2000 + flight(HEADER + size);
    ck_assert_uint_eq(at[0].seen[0], landed + LOCAL + 11 + 2000);
    ck_assert_uint_eq(at[1].seen[0], landed + REMOTE + PACKET + copy(size) + 11 + 2000);
}
END_TEST

static void sends_sync(struct rank *r)
{
    finish(r, start(r, FW_SEND, 1, 7, loop_payload(7), size, true));
    r->seen[0] = now(r);
}

/* With the name of the request that is to be acknowledged it is too long for a slot: two writes,
 * the first of them full, each with a counter of its own.  The second waits for the engine, or,
 * where a counter takes longer than the engine, for that. */
START_TEST(two_slots)
{
    uint64_t preset = _i ? LONG_PRESET : PRESET;
    profile.counter.preset = preset;
    size = LIMIT;
    play(2, false, sends_sync, receives_one);
    uint64_t first = flight(SLOT) - LINK, second = flight(2 * HEADER + LIMIT + 4 - SLOT);
    uint64_t begin = handed_over(size) - PRESET + preset, again = begin + preset + SETUP;
    uint64_t landed = (begin + first > again ? begin + first : again) + second;
    uint64_t acknowledged = landed + REMOTE + PACKET + copy(size) + preset + SETUP;
    ck_assert_uint_eq((again > begin + first), _i);
    ck_assert_uint_eq(at[1].seen[0], acknowledged + ISSUE);
    ck_assert_uint_eq(at[0].seen[0], acknowledged + flight(HEADER) + REMOTE + PACKET + ISSUE);
}
END_TEST

static void talks_to_itself(struct rank *r)
{
    for (uint32_t tag = 0; tag < 20; tag++)
        finish(r, send_start(r, 0, tag, loop_payload(tag), tag));
    for (uint32_t tag = 20; tag-- > 0;)
        recv_one(r, 0, tag, tag);
    r->seen[0] = r->nic->model->clock.charged[NIC_COST_RDMA];
    uint64_t copies = r->nic->model->clock.charged[NIC_COST_COPY];
    static unsigned char in[LONG];
    struct fw_req *posted = recv_start(r, 0, 50, in, LONG), *large = recv_start(r, 0, 51, in, LONG);
    send_one(r, 0, 50, 8);
    finish(r, posted);
    must(loop_is_payload(in, 8, 50));
    send_one(r, 0, 51, LONG);
    finish(r, large);
    must(loop_is_payload(in, LONG, 51));
    r->seen[1] = r->nic->model->clock.charged[NIC_COST_COPY] - copies;
}

START_TEST(self)
{
    play(1, false, talks_to_itself, NULL);
    ck_assert_uint_eq(at[0].seen[0], 0);    /* no network */
    ck_assert_uint_eq(at[0].seen[1], 2);    /* one copy each, eager or not */
}
END_TEST

/* Of a message that is too long no more is copied than the receive takes. */
static void sends_too_much(struct rank *r) { send_one(r, 1, 0, LIMIT); }

static void receives_too_little(struct rank *r)
{
    unsigned char in[8] = { 0 };
    struct fw_req *q = recv_start(r, 0, 0, in, sizeof in);
    nic_enter(r->nic);
    while (!fw_req_done(q))
        nic_wait_turn(r->nic, &(struct nic_wait){ 0 });
    must(q->error == FW_TRUNCATED && q->full == LIMIT);
    mpi_fw_req_free(r->fw, q);
    r->seen[0] = r->nic->model->clock.charged[NIC_COST_COPY_BYTE];
    nic_leave(r->nic);
}

START_TEST(truncated)
{
    play(2, false, sends_too_much, receives_too_little);
    ck_assert_uint_eq(at[1].seen[0], 8);
}
END_TEST

/* A head past all that was ever filled is no head. */
static void forges_a_head(struct rank *r)
{
    nic_enter(r->nic);
    nic_store_notify(r->nic, 1, &(struct nic_tx){ .type = FW_PACKET_HEAD, .match = 5 });
    nic_leave(r->nic);
    send_one(r, 1, 0, 20);
}

static void sees_through_it(struct rank *r)
{
    recv_one(r, 0, 0, 20);
    r->seen[0] = fw_strays(r->fw);
}

START_TEST(forged_head)
{
    play(2, false, forges_a_head, sees_through_it);
    ck_assert_uint_eq(at[1].seen[0], 1);
}
END_TEST

/* -- rings that are full */

static void sends_and_looks(struct rank *r)
{
    struct fw_req *q[10];
    unsigned done = 0;

    for (uint32_t tag = 0; tag < 10; tag++)
        q[tag] = send_start(r, 1, tag, loop_payload(tag), 20);
    nic_compute(r->nic, LATE / 2);
    nic_enter(r->nic);
    nic_step(r->nic);
    nic_leave(r->nic);
    for (unsigned i = 0; i < 10; i++)
        done += fw_req_done(q[i]);
    r->seen[0] = done;
    for (unsigned i = 0; i < 10; i++)
        finish(r, q[i]);
}

static void receives_late(struct rank *r)
{
    nic_compute(r->nic, LATE);
    for (uint32_t tag = 0; tag < 10; tag++)
        recv_one(r, 0, tag, 20);
}

/* One slot always stays empty.  The receiver's host is away: nobody moves anything out. */
START_TEST(full)
{
    play(2, false, sends_and_looks, receives_late);
    ck_assert_uint_eq(at[0].seen[0], SLOTS - 1);
    ck_assert_uint_eq(at[0].stats.value[FW_STAT_sends_delayed], 10 - (SLOTS - 1));
}
END_TEST

/* An unread message is copied once, from its slot. */
static void sends_two(struct rank *r)
{
    send_one(r, 1, 0, 20);
    send_one(r, 1, 1, 20);
    nic_compute(r->nic, 2 * LATE);
}

static void receives_second_first(struct rank *r)
{
    unsigned char in[20];

    nic_compute(r->nic, LATE);
    finish(r, recv_start(r, 0, 1, in, sizeof in));
    r->seen[0] = r->nic->model->clock.charged[NIC_COST_STORE_ISSUE];
    finish(r, recv_start(r, 0, 0, in, sizeof in));
    r->seen[1] = r->nic->model->clock.charged[NIC_COST_STORE_ISSUE];
}

START_TEST(unread_stays)
{
    profile.scratchpad.slots = 8;
    play(2, false, sends_two, receives_second_first);
    ck_assert_uint_eq(at[1].copies, 2);
    ck_assert_uint_eq(at[1].stats.value[FW_STAT_slots_emptied], 0);
    ck_assert_uint_eq(at[1].seen[0], 0);    /* the head cannot pass the first */
    ck_assert_uint_eq(at[1].seen[1], 1);    /* and then passes both */
}
END_TEST

/* Many messages that nobody wants yet, and then the one that is wanted: eager, or a rendezvous,
 * whose control messages have to get through. */
enum { UNWANTED = 50 };

static void sends_unwanted(struct rank *r)
{
    for (uint32_t tag = 0; tag < UNWANTED; tag++)
        send_one(r, 1, tag, tag % (LIMIT + 1));
    finish(r, start(r, FW_SEND, 1, 1000, loop_payload(1000), size, true));
}

static void receives_wanted(struct rank *r)
{
    recv_one(r, 0, 1000, size);
    for (uint32_t tag = UNWANTED; tag-- > 0;)
        recv_one(r, 0, tag, tag % (LIMIT + 1));
}

START_TEST(unwanted)
{
    static const size_t sizes[] = { 0, LIMIT, 100, LONG };

    profile.scratchpad.slots = 2 + (unsigned)_i / 4;
    size = sizes[_i % 4];
    uint64_t hash = play(2, false, sends_unwanted, receives_wanted);
    ck_assert_uint_gt(at[1].stats.value[FW_STAT_slots_emptied], 0);
    ck_assert_uint_eq(play(2, true, sends_unwanted, receives_wanted), hash);
}
END_TEST

/* Counts of slots wrap round often; everybody sends to everybody, some to themselves, all sizes. */
enum { ROUNDS = 60 };

static void everybody(struct rank *r)
{
    static unsigned char in[RANKS_MOST][RANKS_MOST][LONG];
    struct fw_req *q[2 * RANKS_MOST];
    unsigned ranks = nic_ranks(r->nic);

    for (uint32_t i = 0; i < ROUNDS; i++) {
        size_t bytes = i % 7 == 6 ? LONG : i;
        for (unsigned p = 0; p < ranks; p++) {
            q[2 * p] = send_start(r, p, i, loop_payload(i + r->rank), bytes);
            q[2 * p + 1] = recv_start(r, p, i, in[r->rank][p], LONG);
        }
        for (unsigned p = 0; p < 2 * ranks; p++)
            finish(r, q[p]);
        for (unsigned p = 0; p < ranks; p++)
            must(loop_is_payload(in[r->rank][p], bytes, i + p));
    }
}

START_TEST(all_to_all)
{
    profile.protocol.rendezvous = _i & 1 ? NIC_RENDEZVOUS_GET : NIC_RENDEZVOUS_PUT;
    profile.protocol.send_returns = _i & 2 ? NIC_SEND_COPIED : NIC_SEND_LANDED;
    profile.protocol.offload = _i & 4 ? NIC_OFFLOAD_MATCH : NIC_OFFLOAD_NONE;
    profile.completion.kind = _i & 8 ? NIC_COMPLETION_INTERRUPT : NIC_COMPLETION_POLLING;
    for (unsigned ranks = 2; ranks <= RANKS_MOST; ranks++) {
        uint64_t hash = play(ranks, false, everybody, everybody);
        ck_assert_uint_eq(play(ranks, true, everybody, everybody), hash);
    }
}
END_TEST

/* -- rendezvous */

static const size_t long_sizes[] = { 33, 100, 1000, LONG };

START_TEST(put)
{
    size = long_sizes[_i];
    play(2, false, sends_one, receives_one);
    uint64_t rts = ENTER + SEND_BEFORE + COMMAND + CONTROL + PRESET + SETUP + flight(HEADER)
                   + REMOTE;
    uint64_t cts = rts + PACKET + 2 * CONTROL + PRESET + SETUP + flight(HEADER + 4) + REMOTE;
    uint64_t landed = cts + PACKET + CONTROL + PRESET + SETUP + flight(size);
    ck_assert_uint_eq(at[0].seen[0], landed + LOCAL);
    ck_assert_uint_eq(at[1].seen[0], landed + REMOTE + PACKET);
    ck_assert_uint_eq(at[0].copies + at[1].copies, 0);
}
END_TEST

START_TEST(get)
{
    size = long_sizes[_i];
    profile.protocol.rendezvous = NIC_RENDEZVOUS_GET;
    play(2, false, sends_one, receives_one);
    uint64_t rts = ENTER + SEND_BEFORE + COMMAND + CONTROL + PRESET + SETUP + flight(HEADER + 4)
                   + REMOTE;
    uint64_t landed = rts + PACKET + CONTROL + PRESET + SETUP + LINK + READ + flight(size);
    ck_assert_uint_eq(at[1].seen[0], landed + LOCAL);
    ck_assert_uint_eq(at[0].seen[0], landed + REMOTE + PACKET);
    ck_assert_uint_eq(at[0].copies + at[1].copies, 0);
}
END_TEST

/* -- a host that computes */

static void computes(struct rank *r)
{
    static unsigned char in[LONG];
    struct fw_req *q = recv_start(r, 0, 7, in, sizeof in);

    nic_compute(r->nic, LATE);
    r->seen[0] = now(r);
    r->seen[1] = fw_req_done(q);
    finish(r, q);
    must(loop_is_payload(in, size, 7));
}

/* Polling: nothing happens outside calls. */
START_TEST(polling)
{
    size = 20;
    play(2, false, sends_one, computes);
    ck_assert_uint_eq(at[1].seen[0], ENTER + RECV_BEFORE + COMMAND + LATE);
    ck_assert_uint_eq(at[1].seen[1], 0);
}
END_TEST

/* Each packet takes its time from the computation: the message, or RTS and FIN; the sender is
 * interrupted for the CTS, in its wait. */
START_TEST(interrupts)
{
    profile.completion.kind = NIC_COMPLETION_INTERRUPT;
    size = 20;
    play(2, false, sends_one, computes);
    ck_assert_uint_eq(at[1].seen[0],
                      ENTER + RECV_BEFORE + COMMAND + LATE + HANDLER + PACKET + copy(size) + ISSUE);
    ck_assert_uint_eq(at[1].seen[1], 1);
    size = 1000;
    play(2, false, sends_one, computes);
    ck_assert_uint_eq(at[1].seen[0],
                      ENTER + RECV_BEFORE + COMMAND + LATE + 2 * (HANDLER + PACKET) + 2 * CONTROL
                          + PRESET + SETUP + ISSUE);
    ck_assert_uint_eq(at[1].seen[1], 1);
    uint64_t rts = ENTER + SEND_BEFORE + COMMAND + CONTROL + PRESET + SETUP + flight(HEADER)
                   + REMOTE + INTERRUPT;
    uint64_t cts = rts + HANDLER + PACKET + 2 * CONTROL + PRESET + SETUP + flight(HEADER + 4)
                   + REMOTE + INTERRUPT;
    ck_assert_uint_eq(at[0].seen[0],
                      cts + HANDLER + PACKET + CONTROL + PRESET + SETUP + flight(size) + LOCAL);
}
END_TEST

/* -- a word */

enum { WORD_AT = 512 * 1024 };

static void stores(struct rank *r)
{
    nic_enter(r->nic);
    must(nic_store(r->nic, 1, WORD_AT, 4711, 8) == 0);
    must(nic_store(r->nic, 1, WORD_AT + 4, 4711, 8) == -EINVAL);
    nic_leave(r->nic);
}

static void waits_for_word(struct rank *r)
{
    nic_enter(r->nic);
    must(nic_word_wait(r->nic, WORD_AT, 8, 0, &r->seen[1]) == 0);
    r->seen[0] = now(r);
    nic_leave(r->nic);
}

START_TEST(store)
{
    play(2, false, stores, waits_for_word);
    ck_assert_uint_eq(at[1].seen[0], ENTER + ISSUE + WAY + LINK);
    ck_assert_uint_eq(at[1].seen[1], 4711);
}
END_TEST

/* -- scratchpad */

static void shows_scratchpad(struct rank *r)
{
    struct nic_spad_usage u;

    nic_enter(r->nic);
    nic_spad_used(r->nic, NIC_SPAD_BUFFERS, &u);
    r->seen[0] = u.bytes;
    nic_leave(r->nic);
}

START_TEST(accounted)
{
    play(3, false, shows_scratchpad, shows_scratchpad);
    for (unsigned r = 0; r < 3; r++)
        ck_assert_uint_eq(at[r].seen[0], 2 * SLOT * SLOTS * (3 - 1));
}
END_TEST

START_TEST(exhausted)
{
    profile.scratchpad.bytes = 4096;
    profile.scratchpad.slots = 20;
    make_job(4, false);
    ck_assert_uint_eq(nic_job_scratchpad_bytes(job), 4096);
    ck_assert_int_eq(open_rank(0, NULL), -ENOSPC);
    ck_assert_ptr_nonnull(mpi_fw_why(at[0].fw));
    ck_assert_ptr_nonnull(strstr(mpi_fw_why(at[0].fw), "scratchpad.slots"));
    mpi_fw_delete(at[0].fw);
    nic_job_close(job);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("rings of slots");
    TCase *tc = tcase_create("all");

    tcase_add_checked_fixture(tc, setup, NULL);
    tcase_add_loop_test(tc, eager_lands, 0, 7);
    tcase_add_loop_test(tc, eager_copied, 0, 7);
    tcase_add_test(tc, eager_offloaded);
    tcase_add_loop_test(tc, two_slots, 0, 2);
    tcase_add_test(tc, self);
    tcase_add_test(tc, truncated);
    tcase_add_test(tc, forged_head);
    tcase_add_test(tc, full);
    tcase_add_test(tc, unread_stays);
    tcase_add_loop_test(tc, unwanted, 0, 12);
    tcase_add_loop_test(tc, all_to_all, 0, 16);
    tcase_add_loop_test(tc, put, 0, 4);
    tcase_add_loop_test(tc, get, 0, 4);
    tcase_add_test(tc, polling);
    tcase_add_test(tc, interrupts);
    tcase_add_test(tc, store);
    tcase_add_test(tc, accounted);
    tcase_add_test(tc, exhausted);
    suite_add_tcase(suite, tc);
    return loop_run(suite);
}
