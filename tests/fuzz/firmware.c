/* Fuzzes the firmware: packets of any type with any contents, at any moment of transfers with the
 * forger, while an honest rank exchanges messages with the victim.
 *
 * Packets don't prove who sent them.  So the input may not do what only such a proof could stop:
 * name a live request of a transfer between other ranks, or send in the honest rank's context, or
 * claim in its scratchpad.  All else must end in nothing worse than a wrong transfer with the
 * forger. */
#include "firmware.h"

enum { USER_MAX = 24, HONEST_MAX = 6, TURNS = 200000, SCRATCHPAD_SMALL = 8 * 1024 };

struct nic *nic[RANKS];
struct fw *fw[RANKS];
unsigned char arena[ARENA];
static struct nic_job *job;
static unsigned paths;

/* -- RDMA: only what a rank has is reached, and no rank is made
 * to look into itself by what a packet says */

struct area { const unsigned char *at; size_t bytes; unsigned rank; };
static struct area areas[2 * USER_MAX + 2 * HONEST_MAX];
static unsigned area_count;

static void area_remove(const void *at)
{
    for (unsigned i = 0; i < area_count; i++)
        if (areas[i].at == at)
            areas[i--] = areas[--area_count];
}

static void area_add(unsigned rank, const void *at, size_t bytes)
{
    areas[area_count++] = (struct area){ at, bytes, rank };
}

static bool has(unsigned rank, uint64_t address, size_t bytes)
{
    uint64_t base = (uint64_t)(uintptr_t)arena;
    if (rank == FORGER)
        return address >= base && bytes <= ARENA && address - base <= ARENA - bytes;
    for (unsigned i = 0; i < area_count; i++) {
        uint64_t start = (uint64_t)(uintptr_t)areas[i].at;
        if (areas[i].rank == rank && address >= start && bytes <= areas[i].bytes
            && address - start <= areas[i].bytes - bytes)
            return true;
    }
    return false;
}

/* No memory of a test's request or of the forger: the firmware's own, for a list of pieces. */
static bool is_nobodys(const void *at, size_t bytes)
{
    uint64_t from = (uint64_t)(uintptr_t)at, to = from + bytes, base = (uint64_t)(uintptr_t)arena;
    bool apart = to <= base || from >= base + ARENA;
    for (unsigned i = 0; i < area_count; i++) {
        uint64_t start = (uint64_t)(uintptr_t)areas[i].at;
        apart &= to <= start || from >= start + areas[i].bytes;
    }
    return apart;
}

static int checked_read(struct nic *n, unsigned peer, uint64_t from, void *to, size_t bytes)
{
    bool there = has(peer, from, bytes);
    must(there || peer != nic_rank(n));
    must(has(nic_rank(n), (uint64_t)(uintptr_t)to, bytes) || is_nobodys(to, bytes));
    if (there)
        memmove(to, (const void *)(uintptr_t)from, bytes);
    return there ? 0 : -14;
}

static int checked_write(struct nic *n, unsigned peer, const void *from, uint64_t to, size_t bytes)
{
    bool there = has(peer, to, bytes);
    must(there || peer != nic_rank(n));
    must(has(nic_rank(n), (uint64_t)(uintptr_t)from, bytes));
    if (there)
        memmove((void *)(uintptr_t)to, from, bytes);
    return there ? 0 : -14;
}

/* Pieces that the rank has; of its own it names no others, and as many bytes as are wanted. */
static bool has_all(unsigned rank, const struct iovec *v, unsigned n, size_t bytes)
{
    bool all = n <= NIC_RDMA_PIECES;
    size_t sum = 0;
    for (unsigned i = 0; i < n && all; i++) {
        all = has(rank, (uint64_t)(uintptr_t)v[i].iov_base, v[i].iov_len);
        sum += v[i].iov_len;
    }
    return all && sum == bytes;
}

static int checked_read_list(struct nic *n, unsigned peer, const struct iovec *from,
                             unsigned froms, const struct iovec *to, unsigned tos, size_t bytes)
{
    must(has_all(nic_rank(n), to, tos, bytes));
    return has_all(peer, from, froms, bytes)
           ? nic_link_loop.read_list(n, peer, from, froms, to, tos, bytes) : -14;
}

static int checked_write_list(struct nic *n, unsigned peer, const struct iovec *from,
                              unsigned froms, const struct iovec *to, unsigned tos, size_t bytes)
{
    must(has_all(nic_rank(n), from, froms, bytes));
    return has_all(peer, to, tos, bytes)
           ? nic_link_loop.write_list(n, peer, from, froms, to, tos, bytes) : -14;
}

static unsigned probe(struct nic *n, unsigned peer) { (void)n, (void)peer; return paths; }

static struct nic_link_ops checked_link;

/* -- requests of the victim with the forger, and messages between the victim and the honest rank */

struct user { struct fw_req *request; unsigned char *buffer; size_t bytes; };
static struct user users[USER_MAX];
static unsigned user_count;

struct honest { struct fw_req *send, *recv; bool collective; unsigned char *out, *in; size_t bytes;
                unsigned from, to, seed; };
static struct honest honest[HONEST_MAX];
static unsigned honest_count, honest_seed;

static void retired(struct fw_req *r) { (void)r; }

static struct fw_req *start(unsigned rank, enum fw_kind kind, unsigned peer, uint64_t match,
                            uint64_t mask, void *buffer, size_t bytes, bool sync)
{
    nic_enter(nic[rank]);
    struct fw_req *r = mpi_fw_req_new(fw[rank]);
    must(r);
    r->object.kind = kind;
    r->peer = peer;
    r->match = match;
    r->mask = mask;
    r->buffer = buffer;
    r->bytes = bytes;
    r->sync = sync && kind == FW_SEND;
    if (kind == FW_RECV && sync)    /* which it cannot be: one that takes what has come */
        mpi_fw_start_receive(fw[rank], r);
    else
        mpi_fw_start(fw[rank], r);
    nic_leave(nic[rank]);
    return r;
}

size_t a_size(struct input *in)
{
    static const size_t limits[] = { NIC_HEAD_BYTES, EAGER, 20000, 70000 };
    size_t limit = limits[input_take(in, 1) % 4];
    return input_number(in, limit) % BIG;
}

static void user_start(struct input *in, enum fw_kind kind)
{
    uint8_t how = (uint8_t)input_take(in, 1);
    size_t bytes = a_size(in);
    if (user_count == USER_MAX)
        return;
    struct user *u = &users[user_count++];
    u->bytes = bytes;
    u->buffer = guarded_new(bytes);
    if (kind == FW_SEND)
        memcpy(u->buffer, payload_of(how), bytes);
    area_add(VICTIM, u->buffer, bytes);
    unsigned from = kind == FW_SEND ? VICTIM : FORGER;
    u->request = start(VICTIM, kind, FORGER, fw_match_bits(OWN_CONTEXT, from, how % TAGS),
                       kind == FW_RECV && how & 64 ? FW_ANY_SOURCE | FW_ANY_TAG : 0,
                       u->buffer, bytes, how & 128);
}

/* A collective of `rank` and `peer`: one step packet each way, or two. */
static struct fw_req *start_collective(unsigned rank, unsigned peer, uint64_t match,
                                       unsigned rounds, uint64_t *values)
{
    struct fw_sched *s = mpi_fw_sched_new(fw[rank], "a collective", match, rank, NULL);
    must(s);
    for (unsigned i = 0; i < rounds; i++) {
        mpi_fw_sched_add(s, &(struct fw_step){ .kind = FW_STEP_PACKET, .peer = peer,
                                               .round = (uint16_t)i, .from = &values[i],
                                               .bytes = 8 });
        mpi_fw_sched_add(s, &(struct fw_step){ .kind = FW_STEP_AWAIT, .peer = peer,
                                               .round = (uint16_t)i,
                                               .to = &values[ROUNDS + i], .bytes = 8 });
    }
    nic_enter(nic[rank]);
    struct fw_req *r = mpi_fw_req_new(fw[rank]);
    must(r);
    r->object.kind = FW_COLL;
    r->peer = rank;
    mpi_fw_sched_start(fw[rank], s, r);
    nic_leave(nic[rank]);
    return r;
}

static void user_collective(struct input *in)
{
    uint8_t how = (uint8_t)input_take(in, 1);
    if (user_count == USER_MAX)
        return;
    struct user *u = &users[user_count++];
    u->bytes = 2 * ROUNDS * sizeof(uint64_t);
    u->buffer = guarded_new(u->bytes);
    u->request = start_collective(VICTIM, FORGER, fw_match_bits(OWN_CONTEXT, 0, how % TAGS),
                                  1 + how / 128, (uint64_t *)(void *)u->buffer);
}

/* The request is done: it goes, and the buffer, which nobody may touch from now on. */
static void user_end(struct user *u)
{
    must(u->request->object.kind != FW_RECV || u->request->cancelled
         || u->request->count <= u->bytes);
    mpi_fw_req_free(fw[VICTIM], u->request);
    area_remove(u->buffer);
    guarded_free(u->buffer, u->bytes);
    *u = users[--user_count];
}

/* The host looks at a request: cancels or forgets it, or ends it. */
static void user_look(struct input *in)
{
    uint8_t how = (uint8_t)input_take(in, 1);
    if (!user_count)
        return;
    struct user *u = &users[how / 4 % user_count];
    nic_enter(nic[VICTIM]);
    if (u->request && how % 4 == 1)
        mpi_fw_cancel(fw[VICTIM], u->request);
    if (u->request && how % 4 == 2) {       /* the memory stays, as MPI asks of the user */
        mpi_fw_detach(fw[VICTIM], u->request);
        u->request = NULL;
    } else if (u->request && fw_req_done(u->request)) {
        user_end(u);
    }
    nic_leave(nic[VICTIM]);
}

static void user_probe(struct input *in)
{
    uint8_t how = (uint8_t)input_take(in, 1);
    uint64_t match = fw_match_bits(OWN_CONTEXT, 0, 0), found;
    size_t bytes;
    nic_enter(nic[VICTIM]);
    mpi_fw_probe(fw[VICTIM], match, FW_ANY_SOURCE | FW_ANY_TAG, &found, &bytes);
    struct fw_unexpected *m = how & 1 && user_count < USER_MAX
        ? mpi_fw_extract(fw[VICTIM], match, FW_ANY_SOURCE | FW_ANY_TAG, &found, &bytes) : NULL;
    if (m) {
        struct user *u = &users[user_count++];
        u->bytes = bytes < BIG ? bytes : how;
        u->buffer = guarded_new(u->bytes);
        area_add(VICTIM, u->buffer, u->bytes);
        must(u->request = mpi_fw_req_new(fw[VICTIM]));
        u->request->object.kind = FW_RECV;
        u->request->buffer = u->buffer;
        u->request->bytes = u->bytes;
        mpi_fw_receive_message(fw[VICTIM], m, u->request);
    }
    nic_leave(nic[VICTIM]);
}

static void honest_start(struct input *in)
{
    uint8_t how = (uint8_t)input_take(in, 1);
    size_t bytes = a_size(in);
    if (honest_count == HONEST_MAX)
        return;
    struct honest *h = &honest[honest_count++];
    h->from = how & 1 ? VICTIM : HONEST;
    h->to = how & 1 ? HONEST : VICTIM;
    h->seed = honest_seed++;
    h->bytes = bytes;
    h->collective = how & 128;
    if (h->collective)
        h->bytes = bytes = ROUNDS * sizeof(uint64_t);
    h->in = guarded_new((1 + h->collective) * bytes);
    h->out = guarded_new((1 + h->collective) * bytes);
    memcpy(h->out, payload_of(h->seed), bytes);
    area_add(h->from, h->out, bytes);
    area_add(h->to, h->in, bytes);
    if (h->collective) {
        memcpy(h->in, payload_of(h->seed), bytes);
        h->send = start_collective(h->from, h->to, fw_match_bits(HONEST_CONTEXT, 0, h->seed),
                                   ROUNDS, (uint64_t *)(void *)h->out);
        h->recv = start_collective(h->to, h->from, fw_match_bits(HONEST_CONTEXT, 0, h->seed),
                                   ROUNDS, (uint64_t *)(void *)h->in);
        return;
    }
    uint64_t match = fw_match_bits(HONEST_CONTEXT, h->from, h->seed);
    if (how & 2)
        h->recv = start(h->to, FW_RECV, 0, match, 0, h->in, bytes, false);
    h->send = start(h->from, FW_SEND, h->to, match, 0, h->out, bytes, how & 4);
    if (!(how & 2))
        h->recv = start(h->to, FW_RECV, 0, match, 0, h->in, bytes, false);
}

static void honest_check(const struct honest *h)
{
    const unsigned char *want = payload_of(h->seed);
    must(h->send->error == FW_OK && h->recv->error == FW_OK);
    must(!memcmp(h->in, want, h->bytes) && !memcmp(h->out, want, h->bytes));
    if (h->collective)
        must(!memcmp(h->in + h->bytes, want, h->bytes)
             && !memcmp(h->out + h->bytes, want, h->bytes));
    else
        must(h->recv->count == h->bytes && h->recv->full == h->bytes
             && h->recv->match == fw_match_bits(HONEST_CONTEXT, h->from, h->seed));
}

static void honest_finish(void)
{
    for (unsigned i = 0; i < honest_count; i++) {
        struct honest *h = &honest[i];
        for (unsigned turns = 0; !fw_req_done(h->send) || !fw_req_done(h->recv); turns++) {
            for (unsigned r = 0; r < RANKS; r++)
                fuzz_step(nic[r]);
            must(turns < TURNS);
        }
        honest_check(h);
        mpi_fw_req_free(fw[h->from], h->send);
        mpi_fw_req_free(fw[h->to], h->recv);
        area_remove(h->in);
        area_remove(h->out);
        guarded_free(h->in, (1 + h->collective) * h->bytes);
        guarded_free(h->out, (1 + h->collective) * h->bytes);
    }
    honest_count = 0;
}

/* Claim words and staging buffers are the forger's to spoil. */
static void scribble(struct input *in)
{
    uint64_t offset = input_take(in, 2) * 64;
    unsigned char *at = nic_spad_at(nic[FORGER], FORGER, offset, 64);
    if (at)
        input_bytes(in, at, 8);
}

static void act(struct input *in)
{
    uint8_t op = (uint8_t)input_take(in, 1);
    switch (op % 16) {
    case 0: user_start(in, FW_RECV); break;
    case 1: user_start(in, FW_SEND); break;
    case 2: user_look(in); break;
    case 3: user_probe(in); break;
    case 4: honest_start(in); break;
    case 5: scribble(in); break;
    case 6: user_collective(in); break;
    case 7: case 8: case 9: fuzz_step(nic[op / 16 % RANKS]); break;
    default: forge(in);
    }
}

/* -- a run */

static void open_all(struct input *in)
{
    uint8_t how = (uint8_t)input_take(in, 1);
    paths = how & 3;
    job = fuzz_job(how & 128 ? SCRATCHPAD_SMALL : 0);
    checked_link = nic_link_loop;
    checked_link.probe = probe;
    checked_link.read = checked_read;
    checked_link.write = checked_write;
    checked_link.read_list = checked_read_list;
    checked_link.write_list = checked_write_list;
    for (unsigned r = 0; r < RANKS; r++) {
        must(r == FORGER || (fw[r] = mpi_fw_new(retired)));
        nic[r] = fuzz_nic(job, r, r == FORGER ? &forger_program : &mpi_fw_program, fw[r]);
        nic[r]->link = &checked_link;
        if (r != FORGER)
            fw[r]->forced = how / 4 % 8 < FW_PROTOCOL_COUNT ? mpi_fw_protocols[how / 4 % 8] : NULL;
    }
    area_count = user_count = 0;
    forger_reset();
}

void settle(void)
{
    unsigned turns = 0;
    for (bool moved = true; moved; turns++) {
        moved = false;
        for (unsigned r = 0; r < RANKS; r++)
            moved |= fuzz_step(nic[r]);
        must(turns < TURNS);
    }
}

/* Collectives for whose packets the forger was too lazy are still waiting. */
static void delete(struct fw *f)
{
    while (f->scheds) {
        struct fw_sched *s = f->scheds;
        f->scheds = s->next;
        mpi_fw_sched_delete(f, s);
    }
    mpi_fw_delete(f);
}

static void close_all(void)
{
    for (unsigned i = 0; i < user_count; i++)
        guarded_check(users[i].buffer, users[i].bytes);
    for (unsigned r = 0; r < RANKS; r++) {
        nic_close(nic[r]);
        if (r != FORGER) {
            state_check_last(fw[r]);
            delete(fw[r]);
        }
    }
    for (unsigned i = 0; i < user_count; i++)
        guarded_free(users[i].buffer, users[i].bytes);
    nic_job_close(job);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t sizes[][4] = { { 1, 0, 32 }, { 6, 1, 28 << 3 }, { 3, 2, 2, 7 },
                                        { 6, 3, 2 }, { 7, 3, 2 }, { 128 } };
    struct input in = { data, data + size };
    setenv("MPILITE_EAGER", "1000", 1);
    open_all(&in);
    while (!input_ended(&in)) {
        act(&in);
        state_check(fw[VICTIM]);
    }
    settle();
    state_check(fw[VICTIM]);
    forger_gives_back();
    honest_finish();
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        in = (struct input){ sizes[i], sizes[i] + sizeof *sizes };
        honest_start(&in);
    }
    honest_finish();
    settle();
    close_all();
    return 0;
}
