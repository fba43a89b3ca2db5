/* Fuzzes a receiver with few streams and the windows of its senders, as model/flow_receive.c puts
 * them together: the input says how many streams there are, who sends when, what lands when, what
 * the wire loses and what it doubles.  What is delivered is what was sent, in order, once; no more
 * land at the same time than there are streams; and when the wire loses nothing more, all of it
 * comes. */
#include "fuzz.h"
#include "reliable/streams.h"
#include "reliable/window.h"

enum { SENDERS = 3, FRAMES = 8, COUNT = 24, STREAMS = 4, WIRE = 64, WAIT = 50 };

struct frame { uint32_t number, content; };
struct reply { uint32_t number; bool nack; };

/* One sender and what the receiver knows of it; a wire each way, first in first out. */
struct pair {
    struct nic_window out, in;
    void *kept[FRAMES], *none[FRAMES];
    uint32_t content[COUNT];
    unsigned added, delivered;
    struct frame there[WIRE];
    struct reply back[WIRE];
    unsigned first_there, last_there, first_back, last_back;
};

static const struct nic_window_config config = {
    .frames = FRAMES, .ack_every = 1, .wait = WAIT, .wait_most = 8 * WAIT,
    .give_up = UINT64_MAX, .each = true,
};

static struct pair pairs[SENDERS];
static struct nic_streams streams;
static uint64_t until[STREAMS], now;
static int landing[STREAMS], landings;

static void add(struct pair *p)
{
    if (p->added == COUNT || !nic_window_has_room(&p->out))
        return;
    p->content[p->added] = (uint32_t)(p - pairs) * 1000 + p->added;
    nic_window_add(&p->out, &p->content[p->added++]);
}

/* how: lost, or doubled, or neither. */
static void leave(struct pair *p, unsigned how)
{
    uint32_t number;
    if (p->last_there - p->first_there + 2 > WIRE)
        return;
    uint32_t *content = nic_window_pop(&p->out, now, &number);
    for (unsigned n = how == 1 ? 0 : how == 2 ? 2 : 1; content && n; n--)
        p->there[p->last_there++ % WIRE] = (struct frame){ number, *content };
}

static void answer(struct pair *p, bool lost)
{
    struct reply r;
    if (nic_window_answer(&p->in, now) == NIC_WINDOW_NOTHING)
        return;
    r.number = nic_window_answered(&p->in, &r.nack);
    if (!r.nack)
        nic_streams_accept(&streams);
    if (!lost && p->last_back - p->first_back < WIRE)
        p->back[p->last_back++ % WIRE] = r;
}

static void deliver(struct pair *p, const struct frame *f, int stream)
{
    must(landings < (int)streams.count);
    must(p->delivered < COUNT && f->content == p->content[p->delivered]);
    p->delivered++;
    landing[landings++] = stream;
}

static void arrive(struct pair *p, bool lost)
{
    if (p->first_there == p->last_there)
        return;
    struct frame f = p->there[p->first_there++ % WIRE];
    int stream = f.number == p->in.expected ? nic_streams_take(&streams, now) : -1;
    if (f.number == p->in.expected && stream < 0) {
        must(landings == (int)streams.count);
        nic_window_refused(&p->in, f.number);
        must(nic_streams_refuse(&streams) <= NIC_STREAMS_LINE);
    } else if (nic_window_arrived(&p->in, f.number, now) == NIC_WINDOW_NEXT) {
        deliver(p, &f, stream);
    } else {
        must(stream < 0);
    }
    answer(p, lost);
}

static void hear(struct pair *p)
{
    uint32_t first;
    if (p->first_back == p->last_back)
        return;
    struct reply r = p->back[p->first_back++ % WIRE];
    uint32_t gone = nic_window_acked(&p->out, r.number, r.nack, now, &first);
    must(gone <= FRAMES && p->out.oldest <= p->in.expected);
    for (; gone; gone--, first++)
        p->kept[first % FRAMES] = NULL;
}

static void land(unsigned which)
{
    if (!landings)
        return;
    which %= (unsigned)landings;
    nic_streams_release(&streams, landing[which], now);
    landing[which] = landing[--landings];
}

static void begin(unsigned count)
{
    memset(pairs, 0, sizeof pairs);
    nic_streams_init(&streams, count, until);
    landings = 0;
    now = 1;
    for (struct pair *p = pairs; p < pairs + SENDERS; p++) {
        nic_window_init(&p->out, &config, p->kept, 0);
        nic_window_init(&p->in, &config, p->none, 0);
    }
}

static void act(struct input *in)
{
    const unsigned what = (unsigned)input_take(in, 1), how = what / 8 / SENDERS;
    struct pair *p = &pairs[what / 8 % SENDERS];
    switch (what % 8) {
    case 0: add(p); break;
    case 1: case 2: leave(p, how % 6); break;
    case 3: case 4: arrive(p, how % 5 == 4); break;
    case 5: hear(p); break;
    case 6: land(how); break;
    default: now += how * 7; must(nic_window_tick(&p->out, now)); break;
    }
}

static bool all_come(void)
{
    for (struct pair *p = pairs; p < pairs + SENDERS; p++)
        if (p->delivered < COUNT || p->out.oldest != COUNT)
            return false;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { data, data + size };
    begin(1 + (unsigned)input_take(&in, 1) % STREAMS);
    while (!input_ended(&in))
        act(&in);
    for (unsigned turns = 0; !all_come(); turns++) {
        must(turns < 20000);
        for (struct pair *p = pairs; p < pairs + SENDERS; p++) {
            add(p);
            leave(p, 0);
            arrive(p, false);
            hear(p);
            must(nic_window_tick(&p->out, now));
        }
        if (turns % 3 == 0)
            land(turns);
        now += 5;
    }
    must(streams.used <= streams.count);
    return 0;
}
