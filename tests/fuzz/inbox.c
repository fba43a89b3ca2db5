/* Fuzzes the receiving half of the inbox: lines with valid stamps and anything else in them.
 *
 * What a header line says of its length is what frames the ring, and nothing at the receiver can
 * tell whether it is true.  So there are two kinds of input.  Framed ones keep to the lines that
 * they reserved, and then the honest rank's packets arrive whole and in order among whatever the
 * forger sends.  Raw ones fill lines with anything: then this victim's inbox may get out of step,
 * but nothing breaks, every turn ends, and the traffic of the others goes on.
 *
 * Both also with a job of the model clock, whose engine takes whole packets with a key in front of
 * them. */
#include "link/receive.h"
#include "fuzz.h"
#include "model/inbox.h"
#include "model/state.h"

enum { HONEST_TYPE = 77, ROOM = 20000, TURNS = 4096, RESERVED_MAX = 300 };

static struct nic_job *job;
static struct nic *nic[RANKS];
static bool framed, modelled;

/* What arrives at a rank: honest packets in order, anything else, whose bytes land in part. */
struct rank { unsigned char *room; size_t sink; uint32_t sent, received; struct nic *nic;
              uint32_t length; unsigned char first[NIC_HEAD_BYTES]; };
static struct rank at[RANKS];

static uint32_t honest_length(uint32_t number) { return number * 7919 % 9000; }

static void check_honest(struct rank *r)
{
    const unsigned char *want = payload_of(r->received);
    uint32_t first = r->length < NIC_HEAD_BYTES ? r->length : NIC_HEAD_BYTES;
    must(r->length == honest_length(r->received));
    must(!memcmp(r->first, want, first) && !memcmp(r->room, want + first, r->length - first));
    r->received++;
}

static bool strict(const struct rank *r) { return framed || r != &at[VICTIM]; }

static void on_packet(struct nic *nic, void *context, const struct nic_packet *p)
{
    (void)nic;
    struct rank *r = context;
    bool honest = p->type == HONEST_TYPE && strict(r);
    uint32_t most = modelled ? NIC_MODEL_MESSAGE_MAX : NIC_MESSAGE_BYTES_MAX;
    must(p->head_bytes <= NIC_HEAD_BYTES && p->head_bytes <= p->length
         && p->length <= most + NIC_HEAD_BYTES + 64);
    memcpy(r->first, p->head, p->head_bytes);
    r->length = p->length;
    if (p->length > p->head_bytes)
        nic_receive_body(r->nic, r->room, honest ? ROOM : r->sink,
                         honest ? (void *)r : (void *)&r->length);
    else if (honest)
        check_honest(r);
}

static void on_landed(struct nic *nic, void *context, void *cookie)
{
    (void)nic;
    struct rank *r = context;
    if (cookie == r)
        check_honest(r);
    else
        must(cookie == &r->length);
}

static void on_command(struct nic *nic, void *context, const struct nic_command *c)
{
    (void)nic, (void)context, (void)c;
}
static bool on_advance(struct nic *nic, void *context) { (void)nic, (void)context; return false; }

static const struct nic_program program = { .name = "fuzz", .packet = on_packet,
        .landed = on_landed, .command = on_command, .advance = on_advance };

static struct nic_job *modelled_job(void)
{
    struct nic_profile profile;
    struct nic_model_config model = { .profile = &profile };
    struct nic_job_config config = { .ranks = RANKS, .cores = 64, .model = &model };
    struct nic_job *made = NULL;
    nic_profile_default(&profile);
    profile.link.latency = profile.call.test = profile.call.wtime = 1000;
    must(!nic_job_create(&config, &made));
    return made;
}

/* One packet from the ring to the program, as an event would bring it; those of the hardware, which
 * would be answered, go no further. */
static bool take_event(struct nic *n)
{
    nic_enter(n);
    struct nic_event *e = nic_inbox_take(n);
    must(!e || e->key.source < RANKS);
    if (e && e->type < NIC_HW_FIRST)
        nic_inbox_deliver(n, e);
    if (e)
        nic_event_free(&n->model->events, e);
    nic_leave(n);
    return e;
}

static bool step(unsigned rank) { return modelled ? take_event(nic[rank]) : fuzz_step(nic[rank]); }

static int put(struct nic *n, unsigned to, const struct nic_tx *m)
{
    nic_enter(n);
    int rc = nic_inbox_put(n, to, m, &(struct nic_event_key){ .time = 1, .source = HONEST });
    nic_leave(n);
    return rc;
}

static void honest_send(unsigned from, unsigned to)
{
    struct rank *r = &at[to];
    struct nic_tx m = { .type = HONEST_TYPE, .match = 5, .data = payload_of(r->sent),
                             .data_bytes = honest_length(r->sent) };
    if (!(modelled ? put : fuzz_send)(nic[from], to, &m))
        r->sent++;
}

/* -- the forger */

/* A packet of a length that cannot be is one line, and the forger keeps to that. */
static unsigned lines_of(uint32_t length)
{
    return length > NIC_MESSAGE_BYTES_MAX + 64 ? 1 : nic_ring_lines_for(length);
}

static uint8_t forged_type(struct input *in)
{
    uint8_t type = (uint8_t)input_take(in, 1);
    return framed && type == HONEST_TYPE ? 0 : type;
}

/* In whose name it is sent is up to the forger, but a part of an honest packet is as much that
 * rank's own as its type. */
static void keep_to_own_parts(struct nic_line *l, uint8_t type)
{
    enum { PART = 0xff };       /* as in model/inbox.c */
    struct nic_event_key key;
    memcpy(&key, l->head, sizeof key);
    if (modelled && type == PART && key.source == HONEST)
        key.source = FORGER;
    memcpy(l->head, &key, sizeof key);
}

/* One packet with all its stamps, the rest is the input's; in halves, so that the victim may look
 * in between, but on the model clock, where it has a lock. */
static void forge_framed(struct input *in)
{
    struct nic_ring *ring = nic_job_ring(job, VICTIM);
    uint8_t type = forged_type(in), flags = (uint8_t)input_take(in, 1);
    /* as much of it as a header holds */
    uint32_t length = (uint16_t)input_number(in, NIC_MESSAGE_BYTES_MAX + 64);
    unsigned lines = lines_of(length), look = (unsigned)input_take(in, 1);
    uint64_t seen = 0, pos;
    if (!nic_ring_reserve(ring, lines, &seen, &pos))
        return;
    for (unsigned i = 0; i < lines; i++) {
        struct nic_line *l = nic_ring_at(ring, pos + i);
        input_bytes(in, l->body, 16);
        if (i % NIC_CHUNK_LINES)        /* payload: a stamp of some lap */
            atomic_store(&l->word0,
                         nic_word0(pos + i + NIC_RING_LINES * input_take(in, 1), HONEST_TYPE, 0,
                                   8, 0));
    }
    keep_to_own_parts(nic_ring_at(ring, pos), type);
    nic_ring_publish_header(ring, pos, nic_word0(pos, type, flags, length, 0));
    for (unsigned i = NIC_CHUNK_LINES; i < lines; i += NIC_CHUNK_LINES) {
        if (look & 1 && !modelled)
            fuzz_step(nic[VICTIM]);
        nic_ring_publish(ring, pos + i, nic_ring_stamp(pos + i) | input_take(in, 4) << 16);
    }
}

/* Lines of which each may have a stamp or not, and any length. */
static void forge_raw(struct input *in)
{
    struct nic_ring *ring = nic_job_ring(job, VICTIM);
    unsigned lines = 1 + (unsigned)input_number(in, NIC_CHUNK_LINES) % RESERVED_MAX;
    uint64_t seen = 0, pos, word = input_take(in, 8);
    if (!nic_ring_reserve(ring, lines, &seen, &pos))
        return;
    for (unsigned i = 0; i < lines; i++) {
        struct nic_line *l = nic_ring_at(ring, pos + i);
        uint8_t how = (uint8_t)input_take(in, 1);
        input_bytes(in, l->body, how & 8 ? 24 : 0);
        if (how & 1)
            word = (uint64_t)(uint32_t)input_number(in,
                                                    NIC_MESSAGE_BYTES_MAX + 64) << 32
                                                        | input_take(in, 2) << 16;
        nic_ring_publish(ring, pos + i, (how & 6) == 6 ? word
                         : (word & ~UINT64_C(0xffff)) | nic_ring_stamp(pos + i));
    }
}

/* The short way: only where what it takes is complete, since it waits for that. */
static void take(struct input *in)
{
    struct nic_received taken;
    size_t capacity = input_number(in, NIC_CHUNK_LINES * NIC_LINE_BYTES) % ROOM;
    uint8_t type = forged_type(in);
    uint64_t mask = input_take(in, 1) & 1 ? UINT64_MAX : 0;
    nic_enter(nic[VICTIM]);
    if (framed && nic_try_receive(nic[VICTIM], type, 0, mask, at[VICTIM].room, capacity, &taken))
        must(taken.length <= capacity);
    nic_leave(nic[VICTIM]);
}

static void act(struct input *in)
{
    uint8_t op = (uint8_t)input_take(in, 1);
    switch (op % 8) {
    case 0: honest_send(HONEST, VICTIM); break;
    case 1: honest_send(HONEST, FORGER); honest_send(VICTIM, HONEST); break;
    case 2: at[VICTIM].sink = input_number(in, NIC_INTERIOR_DATA) % ROOM; break;
    case 3: take(in); break;
    case 4: step(op / 8 % RANKS); break;
    default: framed ? forge_framed(in) : forge_raw(in);
    }
}

static void drain(unsigned rank)
{
    for (unsigned turns = 0; step(rank); turns++)
        must(turns < TURNS);
}

static void everybody_else_is_well(void)
{
    for (unsigned r = 0; r < RANKS; r++)
        if (strict(&at[r])) {
            drain(r);
            honest_send(r == HONEST ? VICTIM : HONEST, r);
            drain(r);
            must(at[r].received == at[r].sent);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { data, data + size };
    uint8_t kind = (uint8_t)input_take(&in, 1);
    framed = !(kind & 1);
    nic_inbox_unchecked = !framed;
    modelled = kind & 2;
    job = modelled ? modelled_job() : fuzz_job(0);
    for (unsigned r = 0; r < RANKS; r++) {
        at[r] = (struct rank){ .room = guarded_new(ROOM) };
        nic[r] = at[r].nic = fuzz_nic(job, r, &program, &at[r]);
    }
    while (!input_ended(&in))
        act(&in);
    drain(VICTIM);
    everybody_else_is_well();
    for (unsigned r = 0; r < RANKS; r++) {
        nic_close(nic[r]);
        guarded_free(at[r].room, ROOM);
    }
    nic_job_close(job);
    return 0;
}
