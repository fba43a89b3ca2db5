/* Fuzzes the hardware's own packets (remote operations, counters, queues, atomics) and the decoding
 * of commands.
 *
 * The victim has memory that may only be read, memory that is open, and memory whose key only the
 * honest rank knows, who puts and gets there all the time.  Sources and request numbers are the
 * input's, but for those of the honest rank's own replies, which nothing on the wire could tell
 * from true ones. */
#include <errno.h>

#include "fuzz.h"
#include "remote/packets.h"
#include "nicemu/atomic.h"
#include "nicemu/pgas_queue.h"
#include "nicemu/queue.h"
#include "nicemu/counter.h"

enum { REGION = 3000, TRANSFER_MAX = 40000, USERS_MAX = 16, IDS = 16, TURNS = 100000,
       HONEST_BYTES = 60000 };
enum { READABLE, OPEN, PRIVATE, REGIONS };

/* Head of PUT and GET: see nicemu/staged.c. */
struct wire_piece { uint16_t source, what; uint32_t key; uint64_t offset, hull_offset, hull_bytes;
                    };
static_assert(sizeof(struct wire_piece) == NIC_HW_HEAD_MAX, "wire layout");

static struct nic_job *job;
static struct nic *nic[RANKS];
static unsigned char *region[REGIONS], *back;
static uint32_t key[REGIONS];
static size_t region_bytes[REGIONS] = { REGION, REGION, HONEST_BYTES };
static uint64_t counter, queue, ids[IDS];
static unsigned id_count, round_number;

static void on_packet(struct nic *nic, void *context, const struct nic_packet *p)
{
    (void)nic, (void)context, (void)p;
}
static void on_landed(struct nic *nic, void *context, void *cookie)
{
    (void)nic, (void)context, (void)cookie;
}
static void on_command(struct nic *nic, void *context, const struct nic_command *c)
{
    (void)nic, (void)context, (void)c;
}
static bool on_advance(struct nic *nic, void *context) { (void)nic, (void)context; return false; }
static void on_message(struct nic *nic, void *context, const struct nic_words *m)
{
    (void)nic, (void)context, must(m->source < RANKS && m->count <= NIC_WORDS_MAX);
}
static const struct nic_program program = { .name = "fuzz", .packet = on_packet,
        .landed = on_landed, .command = on_command, .advance = on_advance,
                                            .message = on_message };

static void settle(void)
{
    unsigned turns = 0;
    for (bool moved = true; moved; must(++turns < TURNS)) {
        moved = false;
        for (unsigned r = 0; r < RANKS; r++)
            moved |= fuzz_step(nic[r]);
    }
}

/* -- the honest rank: puts, gets, compares, by packets */

static void finish(const struct nic_outcome *o)
{
    for (unsigned turns = 0; nic_outcome_status(o) == -EINPROGRESS; must(++turns < TURNS))
        for (unsigned r = 0; r < RANKS; r++)
            fuzz_step(nic[r]);
    must(nic_outcome_status(o) == 0);
}

static void honest_round(bool wait)
{
    static struct nic_outcome put;
    struct nic_outcome get = { .done = NULL };
    struct nic_transfer t = nic_transfer_of((void *)(uintptr_t)payload_of(++round_number),
                                            (struct nic_address){ VICTIM, key[PRIVATE], 0 },
                                                HONEST_BYTES);
    nic_enter(nic[HONEST]);
    must(!nic_put(nic[HONEST], &t, &put));
    nic_leave(nic[HONEST]);
    for (unsigned i = 0; !wait && i < 3; i++)
        fuzz_step(nic[i % 2 ? VICTIM : HONEST]);
    finish(&put);
    t.local = back;
    nic_enter(nic[HONEST]);
    must(!nic_get(nic[HONEST], &t, &get));
    nic_leave(nic[HONEST]);
    finish(&get);
    must(!memcmp(back, payload_of(round_number), HONEST_BYTES)
         && !memcmp(region[PRIVATE], back, HONEST_BYTES));
}

/* -- the victim's own transfers with the forger */

static struct user { struct nic_outcome outcome; unsigned char *buffer; size_t bytes;
                     } user[USERS_MAX];
static unsigned users;

static void start_transfer(struct input *in)
{
    uint8_t how = (uint8_t)input_take(in, 1);
    size_t bytes = input_number(in, NIC_MESSAGE_BYTES_MAX) % TRANSFER_MAX;
    if (users == USERS_MAX)
        return;
    struct user *u = &user[users++];
    *u = (struct user){ .buffer = guarded_new(bytes), .bytes = bytes };
    struct nic_transfer t = nic_transfer_of(u->buffer,
                                            (struct nic_address){ FORGER, NIC_KEY_SCRATCHPAD,
                                                                  64u * (how / 4) }, bytes);
    if (how & 2 && bytes >= 64)
        t.local_shape = (struct nic_shape){ bytes / 4, (int64_t)(bytes / 4), 4, NULL },
            t.remote_shape = t.local_shape, t.remote_shape.stride += 8;
    nic_enter(nic[VICTIM]);
    int rc = how & 1 ? nic_put(nic[VICTIM], &t, &u->outcome)
             : nic_get(nic[VICTIM], &t, &u->outcome);
    if (rc && users--)
        guarded_free(u->buffer, bytes);
    nic_leave(nic[VICTIM]);
}

static void start_atomic(struct input *in)
{
    static uint64_t result;
    struct nic_atomic a = { .op = (enum nic_atomic_op)(input_take(in, 1) % NIC_ATOMIC_OP_COUNT),
                            .type = (enum nic_atomic_type)(input_take(in,
                                                                      1) % NIC_ATOMIC_TYPE_COUNT),
                            .target = { FORGER, NIC_KEY_SCRATCHPAD, 8 * input_take(in, 1) },
                                .operand = input_take(in, 2), .result = &result,
                                    .counter = counter };
    uint64_t words[2] = { a.operand, 0 };
    nic_enter(nic[VICTIM]);
    nic_atomic(nic[VICTIM], &a, NULL);
    nic_queue_send(nic[VICTIM], FORGER, queue, words, 2);
    nic_leave(nic[VICTIM]);
}

/* -- forging */

/* What waits in the forger's inbox tells the numbers of the victim's requests. */
static void listen(void)
{
    uint64_t w = nic_ring_peek(nic[FORGER]->inbox, atomic_load(&nic[FORGER]->head));
    if (w && (uint8_t)(w >> 16) >= NIC_HW_FIRST)
        ids[id_count++ % IDS] = nic_ring_at(nic[FORGER]->inbox,
                                            atomic_load(&nic[FORGER]->head))->match;
}

static uint64_t a_place(struct input *in)
{
    uint8_t how = (uint8_t)input_take(in, 1);
    switch (how % 4) {
    case 0: return counter;
    case 1: return queue;
    case 2: return 8u * (how / 4);
    default: return input_number(in, 1 << 20);
    }
}

static uint32_t a_key(struct input *in)
{
    uint8_t how = (uint8_t)input_take(in, 1);
    uint32_t k = how % 4 == 0 ? NIC_KEY_SCRATCHPAD : how % 4 == 1 ? key[READABLE] : how % 4 == 2
                 ? key[OPEN] : (uint32_t)input_take(in, 4);
    return k == key[PRIVATE] ? NIC_KEY_HEAP : k;
}

static uint64_t a_match(struct input *in, uint8_t type)
{
    uint8_t how = (uint8_t)input_take(in, 1);
    uint64_t match = how % 4 == 0 ? ids[how / 4 % IDS] : how % 4 == 1 ? a_place(in) : how % 4 == 2
                     ? (uint64_t)(how / 4 % 4) << 32 | input_take(in, 1) : input_take(in, 8);
    return type == NIC_HW_ATOMIC_REPLY && match >> 32 == HONEST ? match & UINT32_MAX : match;
}

static size_t a_head(struct input *in, uint8_t type, unsigned char *head)
{
    if (type == NIC_HW_PUT || type == NIC_HW_GET) {
        struct wire_piece w = { .source = (uint16_t)input_number(in, RANKS),
                                .what = (uint16_t)input_take(in, 2), .key = a_key(in),
                                    .offset = input_number(in, REGION),
                                .hull_offset = input_number(in, REGION),
                                    .hull_bytes = input_number(in, REGION) };
        memcpy(head, &w, sizeof w);
        return sizeof w;
    }
    if (type == NIC_HW_ATOMIC) {
        uint8_t op[4] = { (uint8_t)input_take(in, 1), (uint8_t)input_take(in, 1) };
        uint32_t k = a_key(in);
        uint64_t word[3] = { input_number(in, REGION), input_take(in, 8), input_take(in, 1) };
        memcpy(head, op, 4), memcpy(head + 4, &k, 4), memcpy(head + 8, word, sizeof word);
        return 32;
    }
    unsigned words = (unsigned)input_take(in, 1) % 5;
    for (unsigned i = 0; i < words; i++) {
        uint64_t word = input_number(in, 8);
        if (!i
            && (type == NIC_HW_PUT_REPLY || type == NIC_HW_GET_REPLY || type == NIC_HW_QUEUE_REPLY)
                && (uint32_t)word == HONEST)
            word = FORGER;
        memcpy(head + 8 * i, &word, 8);
    }
    return 8 * words;
}

static void forge(struct input *in)
{
    static unsigned char head[NIC_HW_HEAD_MAX], data[NIC_MESSAGE_BYTES_MAX];
    uint8_t type = (uint8_t)(NIC_HW_FIRST + input_take(in, 1) % (NIC_HW_END - NIC_HW_FIRST + 2)),
        how = (uint8_t)input_take(in, 1);
    struct nic_tx m = { .type = type, .match = a_match(in, type), .head = head, .data = data };
    m.head_bytes = (uint16_t)a_head(in, type, head);
    if (how & 1) {
        m.data_bytes = (uint32_t)(input_number(in,
                                               how & 2 ? 8 : REGION) % (NIC_MESSAGE_BYTES_MAX + 1));
        input_bytes(in, data, 48);
    }
    if (how & 4)
        m.head_bytes = (uint16_t)(8 * (how / 8 % 5));
    if (m.head_bytes < 8 && m.data_bytes)
        data[0] = FORGER;               /* for what would be read as a source */
    nic_enter(nic[FORGER]);
    nic[FORGER]->link->send(nic[FORGER], VICTIM, &m, true);
    nic_leave(nic[FORGER]);
}

/* -- commands: any bytes decode to a command that says the
 * same when it is encoded, or are refused */

static void decode(struct input *in)
{
    unsigned char bytes[NIC_PGAS_COMMAND_BYTES], again[NIC_PGAS_COMMAND_BYTES];
    struct nic_pgas_command c, d;
    memset(&c, 0, sizeof c), memset(&d, 0, sizeof d);
    input_bytes(in, bytes, sizeof bytes);
    size_t n = nic_pgas_command_bytes(bytes);
    bool sound = !nic_pgas_decode(bytes, &c);
    must(sound ? n == 16 || n == 24 : true);
    if (sound) {
        must(nic_pgas_encode(&c, again) == n && !nic_pgas_decode(again, &d));
        must(c.op == d.op && c.size == d.size && c.count == d.count && c.nid == d.nid
             && c.pid == d.pid && c.address == d.address && c.stride == d.stride
                 && c.local == d.local);
    }
}

static void act(struct input *in)
{
    uint8_t op = (uint8_t)input_take(in, 1);
    switch (op % 16) {
    case 0: start_transfer(in); break;
    case 1: start_atomic(in); break;
    case 2: honest_round(false); break;
    case 3: decode(in); break;
    case 4: case 5: case 6: listen(); fuzz_step(nic[op / 16 % RANKS]); break;
    default: forge(in);
    }
}

static void open_all(void)
{
    struct nic_counter_config c = { .bits = 64, .size = 3,
                                    .notify = { { HONEST, 8, 8, 1 }, { VICTIM, 4, 64, 7 } } };
    unsigned rights[REGIONS] = { NIC_RIGHT_READ, NIC_RIGHT_ALL, NIC_RIGHT_ALL };
    job = fuzz_job(0);
    users = id_count = 0;
    memset(ids, 0, sizeof ids);
    for (unsigned r = 0; r < RANKS; r++) {
        nic[r] = fuzz_nic(job, r, &program, NULL);
        nic_enter(nic[r]);
        nic_remote_allow(nic[r], 1u << NIC_PATH_STAGED);
        nic_leave(nic[r]);
    }
    nic_enter(nic[VICTIM]);
    for (unsigned i = 0; i < REGIONS; i++) {
        region[i] = guarded_new(region_bytes[i]);
        memset(region[i], 0x33, region_bytes[i]);
        must(!nic_register(nic[VICTIM], region[i], region_bytes[i], rights[i], &key[i]));
    }
    must(!nic_counter_create(nic[VICTIM], &c, &counter));
    must(!nic_queue_create(nic[VICTIM], 4, &queue));
    nic_leave(nic[VICTIM]);
    back = guarded_new(HONEST_BYTES);
}

static void close_all(void)
{
    for (unsigned i = 0; i < REGION; i++)
        must(region[READABLE][i] == 0x33);
    for (unsigned r = 0; r < RANKS; r++)
        nic_close(nic[r]);
    for (unsigned i = 0; i < REGIONS; i++)
        guarded_free(region[i], region_bytes[i]);
    for (unsigned i = 0; i < users; i++)
        guarded_free(user[i].buffer, user[i].bytes);
    guarded_free(back, HONEST_BYTES);
    nic_job_close(job);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { data, data + size };
    open_all();
    while (!input_ended(&in))
        act(&in);
    settle();
    honest_round(true);
    close_all();
    return 0;
}
