/* Fuzzes the firmware: packets of any type with any contents, at any moment of transfers with the forger, while an honest rank exchanges messages with the victim.
 *
 * Packets don't prove who sent them.  So the input may not do what only such a proof could stop: name a live request of a transfer between other ranks, or send in
 * the honest rank's context, or claim in its scratchpad.  All else must end in nothing worse than a wrong transfer with the forger. */
#include "fuzz.h"
#include "inside.h"

enum { OWN_CONTEXT = 3, HONEST_CONTEXT = 4, USER_MAX = 24, HONEST_MAX = 6, KNOWN = 32, TURNS = 200000, ARENA = 1 << 20, BIG = 300000, EAGER = 1000, TAGS = 3,
       UNKNOWN_PACKETS = 3 };

static struct nic_job *job;
static struct nic *nic[RANKS];
static struct fw *fw[RANKS];            /* the forger has none */
static unsigned paths;
static unsigned char arena[ARENA];      /* the forger's memory, as far as it has any */

/* -- RDMA: only what a rank has is reached, and no rank is made to look into itself by what a packet says */

struct area { const unsigned char *at; size_t bytes; unsigned rank; };
static struct area areas[2 * USER_MAX + 2 * HONEST_MAX];
static unsigned area_count;

static void area_add(unsigned rank, const void *at, size_t bytes) { areas[area_count++] = (struct area){ at, bytes, rank }; }

static bool has(unsigned rank, uint64_t address, size_t bytes)
{
    uint64_t base = (uint64_t)(uintptr_t)arena;
    if (rank == FORGER)
        return address >= base && bytes <= ARENA && address - base <= ARENA - bytes;
    for (unsigned i = 0; i < area_count; i++) {
        uint64_t start = (uint64_t)(uintptr_t)areas[i].at;
        if (areas[i].rank == rank && address >= start && bytes <= areas[i].bytes && address - start <= areas[i].bytes - bytes)
            return true;
    }
    return false;
}

static int checked_read(struct nic *n, unsigned peer, uint64_t from, void *to, size_t bytes)
{
    bool there = has(peer, from, bytes);
    must(there || peer != nic_rank(n));
    if (there)
        memmove(to, (const void *)(uintptr_t)from, bytes);
    return there ? 0 : -14;
}

static int checked_write(struct nic *n, unsigned peer, const void *from, uint64_t to, size_t bytes)
{
    bool there = has(peer, to, bytes);
    must(there || peer != nic_rank(n));
    if (there)
        memmove((void *)(uintptr_t)to, from, bytes);
    return there ? 0 : -14;
}

static unsigned probe(struct nic *n, unsigned peer) { (void)n, (void)peer; return paths; }

static struct nic_link_ops checked_link;

/* -- what the forger learns */

struct heard { uint8_t type; uint64_t id, word; };
static struct heard heard[KNOWN];
static unsigned heard_count;

static void forger_packet(void *context, const struct nic_packet *p)
{
    struct heard h = { .type = p->type, .id = p->match };
    (void)context;
    if (p->type == FW_PACKET_RTS) {
        struct fw_rts rts;
        memcpy(&rts, p->head, sizeof rts);
        h.id = rts.request;
        h.word = rts.bytes;
    } else if (p->type == FW_PACKET_CTS) {
        struct fw_cts cts;
        memcpy(&cts, p->head, sizeof cts);
        h.id = cts.request;
        h.word = cts.address;
    } else if (p->type == FW_PACKET_SYNC) {
        struct fw_origin origin;
        memcpy(&origin, p->head, sizeof origin);
        h.id = origin.request;
    } else if (p->type == FW_PACKET_DATA) {
        struct fw_data d;
        memcpy(&d, p->head, sizeof d);
        h.word = d.buffer;
    }
    heard[heard_count++ % KNOWN] = h;
}

static void forger_landed(void *context, void *cookie) { (void)context, (void)cookie; }
static void forger_command(void *context, const struct nic_command *c) { (void)context, (void)c; }
static bool forger_advance(void *context) { (void)context; return false; }
static const struct nic_program forger_program = { .name = "forger", .packet = forger_packet, .landed = forger_landed, .command = forger_command,
                                                   .advance = forger_advance };

/* -- requests of the victim with the forger, and messages between the victim and the honest rank */

struct user { struct fw_req *request; unsigned char *buffer; size_t bytes; };
static struct user users[USER_MAX];
static unsigned user_count;

struct honest { struct fw_req *send, *recv; unsigned char *out, *in; size_t bytes; unsigned from, to, seed; };
static struct honest honest[HONEST_MAX];
static unsigned honest_count, honest_seed;

static void retired(struct fw_req *r) { (void)r; }

static struct fw_req *start(unsigned rank, enum fw_kind kind, unsigned peer, uint64_t match, uint64_t mask, void *buffer, size_t bytes, bool sync)
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
    r->sync = sync;
    mpi_fw_start(fw[rank], r);
    nic_leave(nic[rank]);
    return r;
}

static size_t a_size(struct input *in)
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
    u->request = start(VICTIM, kind, FORGER, fw_match_bits(OWN_CONTEXT, from, how % TAGS), kind == FW_RECV && how & 64 ? FW_ANY_SOURCE | FW_ANY_TAG : 0,
                       u->buffer, bytes, how & 128);
}

/* The host looks at a request: takes it back when it is done, and the buffer with it; cancels or forgets it. */
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
        must(u->request->object.kind == FW_SEND || u->request->cancelled || u->request->count <= u->bytes);
        mpi_fw_req_free(fw[VICTIM], u->request);
        u->request = NULL;
        guarded_check(u->buffer, u->bytes);
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
    struct fw_message *m = how & 1 && user_count < USER_MAX ? mpi_fw_extract(fw[VICTIM], match, FW_ANY_SOURCE | FW_ANY_TAG, &found, &bytes) : NULL;
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
    h->in = guarded_new(bytes);
    h->out = guarded_new(bytes);
    memcpy(h->out, payload_of(h->seed), bytes);
    area_add(h->from, h->out, bytes);
    area_add(h->to, h->in, bytes);
    uint64_t match = fw_match_bits(HONEST_CONTEXT, h->from, h->seed);
    if (how & 2)
        h->recv = start(h->to, FW_RECV, 0, match, 0, h->in, bytes, false);
    h->send = start(h->from, FW_SEND, h->to, match, 0, h->out, bytes, how & 4);
    if (!(how & 2))
        h->recv = start(h->to, FW_RECV, 0, match, 0, h->in, bytes, false);
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
        must(h->send->error == FW_OK && h->recv->error == FW_OK && h->recv->count == h->bytes && h->recv->full == h->bytes);
        must(h->recv->match == fw_match_bits(HONEST_CONTEXT, h->from, h->seed));
        must(!memcmp(h->in, payload_of(h->seed), h->bytes) && !memcmp(h->out, payload_of(h->seed), h->bytes));
        mpi_fw_req_free(fw[h->from], h->send);
        mpi_fw_req_free(fw[h->to], h->recv);
        guarded_free(h->in, h->bytes);
        guarded_free(h->out, h->bytes);
    }
    honest_count = 0;
}

/* -- forging */

/* A request between that rank and another than the forger: one that is there, or that may be there when the packet arrives. */
static bool is_of_others(unsigned rank, uint64_t id)
{
    if (rank >= RANKS || rank == FORGER)
        return false;
    const struct fw_req *r = fw_slab_at(&fw[rank]->requests, (uint32_t)id);
    if (!r || r->generation != (uint32_t)(id >> 32))
        return !r && !(id >> 32);
    return r->object.kind == FW_SEND ? r->peer != FORGER : r->object.kind == FW_RECV ? r->match >> 48 == HONEST_CONTEXT : true;
}

static bool honest_is_staged(void)
{
    for (unsigned i = 0; i < honest_count; i++)
        if (!fw_req_done(honest[i].recv) || !fw_req_done(honest[i].send))
            return true;
    return false;
}

static uint64_t a_request(struct input *in, unsigned rank)
{
    uint8_t how = (uint8_t)input_take(in, 1);
    if (how % 4 == 0)
        return heard[how / 4 % KNOWN].id;
    if (how % 4 < 3 && rank != FORGER && rank < RANKS) {
        const struct fw_req *r = fw_slab_at(&fw[rank]->requests, how / 4 % 32);
        return r ? fw_req_id(r) - (how % 4 == 2 && how & 128 ? UINT64_C(1) << 32 : 0) : how;
    }
    return input_take(in, 8);
}

static uint64_t an_address(struct input *in)
{
    uint64_t offset = input_number(in, ARENA);
    return offset & 1 ? offset : (uint64_t)(uintptr_t)arena + offset;
}

static uint64_t an_envelope(struct input *in)
{
    uint8_t how = (uint8_t)input_take(in, 1);
    uint64_t match = how & 128 ? input_take(in, 8) : fw_match_bits(OWN_CONTEXT, FORGER, how % TAGS);
    return match >> 48 == HONEST_CONTEXT ? match ^ UINT64_C(1) << 60 : match;
}

/* Head and data of a packet, well formed as far as its type goes; what the input says of lengths and bytes comes later. */
struct forged { struct nic_message m; unsigned char head[32]; unsigned char data[NIC_MESSAGE_BYTES_MAX]; };

static bool forge_rts(struct input *in, struct forged *f, unsigned to)
{
    struct fw_rts rts = { .source = FORGER, .request = input_take(in, 2) };
    f->m.match = an_envelope(in);
    uint8_t how = (uint8_t)input_take(in, 1);
    rts.bytes = how & 1 ? input_number(in, 70000) : a_size(in);
    rts.address = an_address(in);
    rts.ticket = how & 2 ? (uint16_t)input_take(in, 2) : how & 4 ? how / 8 : 0;
    if (how & 128) {
        rts.source = how & 64 ? to : how & 32 ? (uint32_t)(VICTIM + HONEST) - to : (uint32_t)input_take(in, 4);
        rts.request = a_request(in, rts.source);
        rts.ticket = 0;
    }
    memcpy(f->head, &rts, f->m.head_bytes = sizeof rts);
    return !is_of_others(rts.source, rts.request);
}

static bool forge_eager(struct input *in, struct forged *f, unsigned to)
{
    struct fw_origin origin = { .source = FORGER, .request = input_take(in, 1) };
    f->m.match = an_envelope(in);
    if (f->m.type != FW_PACKET_SYNC)
        return true;
    uint8_t how = (uint8_t)input_take(in, 1);
    if (how & 1) {
        origin.source = how & 2 ? to : (uint32_t)input_number(in, RANKS);
        origin.request = a_request(in, origin.source);
    }
    memcpy(f->head, &origin, f->m.head_bytes = sizeof origin);
    return !is_of_others(origin.source, origin.request);
}

static void forge_cts(struct input *in, struct forged *f)
{
    struct fw_cts cts = { .request = input_take(in, 2), .address = an_address(in), .bytes = input_number(in, 70000), .protocol = (uint32_t)input_number(in, 4) };
    memcpy(f->head, &cts, f->m.head_bytes = sizeof cts);
}

static void forge_data(struct input *in, struct forged *f)
{
    struct fw_data d = { .offset = input_number(in, 0), .bytes = (uint32_t)input_number(in, FW_STAGE_BYTES), .buffer = (uint32_t)input_number(in, 64) };
    memcpy(f->head, &d, f->m.head_bytes = sizeof d);
}

static void forge_words(struct input *in, struct forged *f, unsigned words)
{
    for (unsigned i = 0; i < words; i++) {
        uint64_t word = input_number(in, 4);
        memcpy(f->head + 8 * i, &word, sizeof word);
    }
    f->m.head_bytes = (uint16_t)(8 * words);
}

static bool forge_credit(struct input *in, struct forged *f)
{
    uint8_t how = (uint8_t)input_take(in, 1);
    f->m.match = how & 1 ? heard[how / 2 % KNOWN].word : input_number(in, 64);
    return !honest_is_staged();
}

/* A packet of a type with a request in its match bits. */
static bool forge_reply(struct input *in, struct forged *f, unsigned to)
{
    f->m.match = a_request(in, to);
    switch (f->m.type) {
    case FW_PACKET_CTS: forge_cts(in, f); break;
    case FW_PACKET_DATA: forge_data(in, f); break;
    case FW_PACKET_DONE: forge_words(in, f, 2); break;
    case FW_PACKET_FIN: forge_words(in, f, 1); break;
    }
    return !is_of_others(to, f->m.match);
}

static bool forge_by_type(struct input *in, struct forged *f, unsigned to)
{
    switch (f->m.type) {
    case FW_PACKET_EAGER: case FW_PACKET_SYNC: return forge_eager(in, f, to);
    case FW_PACKET_RTS: return forge_rts(in, f, to);
    case FW_PACKET_CREDIT: return forge_credit(in, f);
    default: return forge_reply(in, f, to);
    }
}

static void forge(struct input *in)
{
    static struct forged f;
    uint8_t what = (uint8_t)input_take(in, 1), how = (uint8_t)input_take(in, 1);
    unsigned to = how & 1 ? HONEST : VICTIM;
    f.m = (struct nic_message){ .type = what % (FW_PACKET_COUNT + UNKNOWN_PACKETS), .flags = how & 8 ? (uint8_t)input_take(in, 1) : 0, .head = f.head, .data = f.data };
    if (!forge_by_type(in, &f, to))
        return;
    if (how & 2)                /* fewer or more bytes than it should have */
        f.m.head_bytes = (uint16_t)(8 * (input_take(in, 1) % 5));
    if (how & 4 || f.m.type <= FW_PACKET_SYNC) {
        f.m.data_bytes = (uint32_t)(input_number(in, EAGER) % (NIC_MESSAGE_BYTES_MAX + 1));
        input_bytes(in, f.data, 16);
    }
    if (f.m.flags & NIC_FLAG_KEYED) {           /* what lies behind the key is not what was checked above */
        if (f.m.type > FW_PACKET_SYNC && f.m.type < FW_PACKET_COUNT)
            return;
        memmove(f.head + 16, f.head, 16);
        f.m.head_bytes = f.m.type == FW_PACKET_SYNC ? 32 : f.m.head_bytes;
    }
    if (f.m.type == FW_PACKET_SYNC && f.m.head_bytes < (f.m.flags & NIC_FLAG_KEYED ? 32 : 16) && f.m.data_bytes >= 4)
        return;                 /* would name somebody in what was not checked */
    fuzz_send(nic[FORGER], to, &f.m);
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
    case 6: case 7: case 8: case 9: fuzz_step(nic[op / 16 % RANKS]); break;
    default: forge(in);
    }
}

/* -- a run */

static void open_all(struct input *in)
{
    uint8_t how = (uint8_t)input_take(in, 1);
    paths = how & 3;
    job = fuzz_job();
    checked_link = nic_link_loop;
    checked_link.probe = probe;
    checked_link.read = checked_read;
    checked_link.write = checked_write;
    for (unsigned r = 0; r < RANKS; r++) {
        must(r == FORGER || (fw[r] = mpi_fw_new(retired)));
        nic[r] = fuzz_nic(job, r, r == FORGER ? &forger_program : &mpi_fw_program, fw[r]);
        nic[r]->link = &checked_link;
        if (r != FORGER)
            fw[r]->forced = how / 4 % 8 < FW_PROTOCOL_COUNT ? mpi_fw_protocols[how / 4 % 8] : NULL;
    }
    area_count = user_count = heard_count = 0;
    memset(heard, 0, sizeof heard);
}

static void settle(void)
{
    unsigned turns = 0;
    for (bool moved = true; moved; turns++) {
        moved = false;
        for (unsigned r = 0; r < RANKS; r++)
            moved |= fuzz_step(nic[r]);
        must(turns < TURNS);
    }
}

/* The forger returns the staging buffers that it has been sent, so that others get them. */
static void give_credit(void)
{
    for (unsigned round = 0; round < 32; round++)
        for (unsigned i = 0; i < FW_STAGE_BUFFERS; i++) {
            struct nic_message m = { .type = FW_PACKET_CREDIT, .match = fw[VICTIM]->stage_area / FW_STAGE_BYTES + i };
            if (fw[VICTIM]->stage_area == NIC_SPAD_NONE || fw[VICTIM]->stages == FW_STAGE_BUFFERS)
                return;
            fuzz_send(nic[FORGER], VICTIM, &m);
            settle();
        }
}

static void close_all(void)
{
    for (unsigned i = 0; i < user_count; i++)
        guarded_check(users[i].buffer, users[i].bytes);
    for (unsigned r = 0; r < RANKS; r++) {
        nic_close(nic[r]);
        if (r != FORGER)
            mpi_fw_delete(fw[r]);
    }
    for (unsigned i = 0; i < user_count; i++)
        guarded_free(users[i].buffer, users[i].bytes);
    nic_job_close(job);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t sizes[][4] = { { 1, 0, 32 }, { 6, 1, 28 << 3 }, { 3, 2, 2, 7 }, { 6, 3, 2 }, { 7, 3, 2 } };
    struct input in = { data, data + size };
    setenv("MPILITE_EAGER", "1000", 1);
    open_all(&in);
    while (!input_ended(&in))
        act(&in);
    settle();
    honest_finish();
    give_credit();
    area_count = 0;
    for (unsigned i = 0; i < user_count; i++)
        area_add(VICTIM, users[i].buffer, users[i].bytes);
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        in = (struct input){ sizes[i], sizes[i] + sizeof *sizes };
        honest_start(&in);
    }
    honest_finish();
    settle();
    close_all();
    return 0;
}
