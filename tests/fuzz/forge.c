/* The forger: what it learns from the packets that it gets, and packets of any type, with any
 * contents, made from that and from the input. */
#include "firmware.h"

#include "fw/pieces.h"

enum { UNKNOWN_PACKETS = 3 };

/* -- what the forger learns */

struct heard { uint8_t type; uint64_t id, word; };
static struct heard heard[KNOWN];
static unsigned heard_count;
/* staging buffers of the victim that are here */
static uint64_t held[FW_STAGE_BUFFERS + FW_INBOX_CREDITS];
static unsigned held_count;

static void forger_packet(struct nic *nic, void *context, const struct nic_packet *p)
{
    (void)nic;
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
        h.word = fw_stage_buffer(&d);
        must(held_count < FW_STAGE_BUFFERS + FW_INBOX_CREDITS);
        held[held_count++] = h.word;
    }
    heard[heard_count++ % KNOWN] = h;
}

static void forger_landed(struct nic *nic, void *context, void *cookie)
{
    (void)nic, (void)context, (void)cookie;
}
static void forger_command(struct nic *nic, void *context, const struct nic_command *c)
{
    (void)nic, (void)context, (void)c;
}
static bool forger_advance(struct nic *nic, void *context)
{
    (void)nic, (void)context;
    return false;
}
const struct nic_program forger_program = { .name = "forger", .packet = forger_packet,
                                            .landed = forger_landed, .command = forger_command,
                                                   .advance = forger_advance };

void forger_reset(void)
{
    heard_count = held_count = 0;
    memset(heard, 0, sizeof heard);
}

/* -- forging */

/* A request between that rank and another than the forger: one that is there, or that may be there
 * when the packet arrives. */
static bool is_of_others(unsigned rank, uint64_t id)
{
    if (rank >= RANKS || rank == FORGER)
        return false;
    const struct fw_req *r = fw_slab_at(&fw[rank]->fast_path.requests, (uint32_t)id);
    if (!r || r->generation != (uint32_t)(id >> 32))
        return !r && !(id >> 32);
    return r->object.kind == FW_SEND ? r->peer != FORGER : r->object.kind == FW_RECV
           ? r->match >> 48 == HONEST_CONTEXT : true;
}

static uint64_t a_request(struct input *in, unsigned rank)
{
    uint8_t how = (uint8_t)input_take(in, 1);
    if (how % 4 == 0)
        return heard[how / 4 % KNOWN].id;
    if (how % 4 < 3 && rank != FORGER && rank < RANKS) {
        const struct fw_req *r = fw_slab_at(&fw[rank]->fast_path.requests, how / 4 % 32);
        return r ? fw_req_id(r) - (how % 4 == 2 && how & 128 ? UINT64_C(1) << 32 : 0) : how;
    }
    return input_take(in, 8);
}

static uint64_t an_offset(struct input *in) { return input_number(in, ARENA); }

/* A list of pieces in the forger's memory: sound, but for what the input writes over it. */
static uint64_t a_list(struct input *in, uint64_t offset)
{
    uint8_t how = (uint8_t)input_take(in, 1);
    uint64_t count = 1 + how % 8, each = 1 + input_number(in, 20000);
    struct fw_pieces head = { .count = count, .bytes = count * each };
    offset = offset % (ARENA / 2) & ~UINT64_C(7);
    memcpy(arena + offset, &head, sizeof head);
    for (uint64_t i = 0; i < count; i++) {
        struct fw_piece piece = { an_offset(in) + (uint64_t)(uintptr_t)arena, i * each };
        memcpy(arena + offset + sizeof head + i * sizeof piece, &piece, sizeof piece);
    }
    if (how & 16)
        input_bytes(in, arena + offset + how / 32 * 8, 8);
    return ((uint64_t)(uintptr_t)arena + offset) | FW_LIST_ADDRESS;
}

static uint64_t an_address(struct input *in)
{
    uint64_t offset = an_offset(in);
    if (offset % 4 == 2)
        return a_list(in, offset);
    return offset & 1 ? offset : (uint64_t)(uintptr_t)arena + offset;
}

static uint64_t an_envelope(struct input *in)
{
    uint8_t how = (uint8_t)input_take(in, 1);
    uint64_t match = how & 128 ? input_take(in, 8) : fw_match_bits(OWN_CONTEXT, FORGER, how % TAGS);
    return match >> 48 == HONEST_CONTEXT ? match ^ UINT64_C(1) << 60 : match;
}

/* Head and data of a packet, well formed as far as its type goes; what the input says of lengths
 * and bytes comes later. */
struct forged { struct nic_tx m; unsigned char head[32];
                unsigned char data[NIC_MESSAGE_BYTES_MAX]; };

static bool forge_rts(struct input *in, struct forged *f, unsigned to)
{
    struct fw_rts rts = { .source = FORGER, .request = input_take(in, 2) };
    f->m.match = an_envelope(in);
    uint8_t how = (uint8_t)input_take(in, 1);
    rts.bytes = how & 1 ? input_number(in, 70000) : a_size(in);
    rts.address = an_address(in);
    rts.claim_word = how & 2 ? (uint16_t)input_take(in, 2) : how & 4 ? how / 8 : 0;
    rts.claim = how & 2 ? rts.claim_word : how / 4;
    if (how & 128) {
        rts.source = (uint16_t)(how & 64 ? to : how & 32 ? (uint32_t)(VICTIM + HONEST) - to
                                : (uint32_t)input_take(in, 4));
        rts.request = a_request(in, rts.source);
        rts.claim_word = 0;
        rts.claim = 0;
    }
    memcpy(f->head, &rts, f->m.head_bytes = sizeof rts);
    return !is_of_others(rts.source, rts.request);
}

/* A message, or what withdraws one. */
static bool forge_eager(struct input *in, struct forged *f, unsigned to)
{
    struct fw_origin origin = { .source = FORGER, .request = input_take(in, 1) };
    f->m.match = an_envelope(in);
    if (f->m.type == FW_PACKET_EAGER)
        return true;
    origin.claim = (uint32_t)origin.request;
    uint8_t how = (uint8_t)input_take(in, 1);
    if (how & 1) {
        origin.source = how & 2 ? to : (uint32_t)input_number(in, RANKS);
        origin.request = a_request(in, origin.source);
        origin.claim = 0;
    }
    memcpy(f->head, &origin, f->m.head_bytes = sizeof origin);
    return !is_of_others(origin.source, origin.request);
}

static void forge_cts(struct input *in, struct forged *f)
{
    struct fw_cts cts = { .request = input_take(in, 2), .address = an_address(in),
                          .bytes = input_number(in, 70000),
                              .protocol = (uint32_t)input_number(in, 4) };
    memcpy(f->head, &cts, f->m.head_bytes = sizeof cts);
}

/* With a chunk of its own, if the buffer is none, or what the scratchpad has. */
static void forge_data(struct input *in, struct forged *f)
{
    uint8_t how = (uint8_t)input_take(in, 1);
    struct fw_data d = { .offset = input_number(in, 0),
                         .bytes = (uint32_t)input_number(in, FW_STAGE_BYTES),
                             .buffer = (uint32_t)input_number(in, 64) };
    if (how & 1) {
        d.buffer = FW_STAGE_INLINE;
        f->m.data_bytes = d.bytes % (NIC_MESSAGE_BYTES_MAX + 1);
    }
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

static bool give_back(uint64_t buffer)
{
    for (unsigned i = 0; i < held_count; i++)
        if (held[i] == buffer) {
            held[i] = held[--held_count];
            return true;
        }
    return false;
}

static bool is_out(unsigned rank, uint64_t buffer)
{
    const struct fw *f = fw[rank];
    if (buffer == FW_STAGE_INLINE)
        return f->inbox_credits < FW_INBOX_CREDITS;
    uint64_t i = f->stage_bytes ? (buffer * FW_STAGE_UNIT - f->stage_area) / f->stage_bytes : 0;
    return f->stage_area != NIC_SPAD_NONE && i < FW_STAGE_BUFFERS && f->stages_out >> i & 1;
}

/* A buffer that is here, or is at nobody. */
static bool forge_credit(struct input *in, struct forged *f, unsigned to)
{
    uint8_t how = (uint8_t)input_take(in, 1);
    f->m.match = how & 1 ? heard[how / 2 % KNOWN].word : how & 2 ? FW_STAGE_INLINE
                 : fw[to]->stage_area / FW_STAGE_UNIT + input_number(in, 64);
    return (to == VICTIM && give_back(f->m.match)) || !is_out(to, f->m.match);
}

void forger_gives_back(void)
{
    while (held_count) {
        struct nic_tx m = { .type = FW_PACKET_CREDIT, .match = held[--held_count] };
        must(!fuzz_send(nic[FORGER], VICTIM, &m));
        settle();
    }
}

/* Lines of collectives, there and back, and the request for those that went back. */
static void forge_line(struct input *in, struct forged *f)
{
    uint8_t how = (uint8_t)input_take(in, 1);
    struct fw_step_packet line = { .source = how & 1 ? FORGER : (uint32_t)input_number(in, RANKS),
                                   .round = how / 2 % (ROUNDS + 1), .bytes = 8 };
    line.flags = how / 16;
    f->m.match = an_envelope(in);
    if (how & 128)
        line.bytes = (uint8_t)input_number(in, sizeof line.data);
    input_bytes(in, line.data, 8);
    memcpy(f->data, &line,
           f->m.data_bytes = sizeof line - sizeof line.data + (line.bytes < sizeof line.data
                                                               ? line.bytes : sizeof line.data));
}

static void forge_again(struct input *in, struct forged *f)
{
    uint8_t how = (uint8_t)input_take(in, 1);
    struct fw_again again = { .match = an_envelope(in), .round = how / 4 % (ROUNDS + 1),
                              .grant = (uint16_t)(how / 16), .wanted = how & 6 };
    f->m.match = input_number(in, RANKS);
    f->m.head_bytes = how & 1 ? sizeof again : how / 8;
    memcpy(f->head, &again, sizeof again);
}

/* Near the claims that there are. */
static void forge_withdrawn(struct input *in, struct forged *f, unsigned to)
{
    uint64_t claim = input_number(in, 4);
    const struct fw_claim_area *a = fw[to]->claims.area;
    claim += claim && a->all ? a->first - 1 : 0;
    memcpy(f->head, &claim, f->m.head_bytes = sizeof claim);
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
    case FW_PACKET_WITHDRAWN: forge_withdrawn(in, f, to); break;
    }
    return !is_of_others(to, f->m.match);
}

static bool forge_by_type(struct input *in, struct forged *f, unsigned to)
{
    switch (f->m.type) {
    case FW_PACKET_EAGER: case FW_PACKET_SYNC: case FW_PACKET_WITHDRAW: return forge_eager(in, f,
                                                                                           to);
    case FW_PACKET_RTS: case FW_PACKET_SHORT_RTS: return forge_rts(in, f, to);
    case FW_PACKET_CREDIT: return forge_credit(in, f, to);
    case FW_PACKET_STEP: case FW_PACKET_REFUSED: forge_line(in, f); return true;
    case FW_PACKET_AGAIN: forge_again(in, f); return true;
    default: return forge_reply(in, f, to);
    }
}

void forge(struct input *in)
{
    static struct forged f;
    uint8_t what = (uint8_t)input_take(in, 1), how = (uint8_t)input_take(in, 1);
    unsigned to = how & 1 ? HONEST : VICTIM;
    f.m = (struct nic_tx){ .type = what % (FW_PACKET_COUNT + UNKNOWN_PACKETS),
                                .flags = how & 8 ? (uint8_t)input_take(in, 1) : 0, .head = f.head,
                                    .data = f.data };
    if (!forge_by_type(in, &f, to))
        return;
    if (how & 2)                /* fewer or more bytes than it should have */
        f.m.head_bytes = (uint16_t)(8 * (input_take(in, 1) % 5));
    if (how & 4 || f.m.type <= FW_PACKET_SYNC) {
        f.m.data_bytes = (uint32_t)(input_number(in, EAGER) % (NIC_MESSAGE_BYTES_MAX + 1));
        input_bytes(in, f.data, 16);
    }
    if (f.m.type == FW_PACKET_SYNC && f.m.head_bytes < 16 && f.m.data_bytes >= 4)
        return;                 /* would name somebody in what was not checked */
    int rc = fuzz_send(nic[FORGER], to, &f.m);
    while (!rc && f.m.type == FW_PACKET_CREDIT && fuzz_step(nic[to]))
        ;                       /* it arrives before anything changes */
}
