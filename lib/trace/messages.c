/* Numbers of messages: of those with one sender, receiver, communicator and tag the receive that
 * was posted first gets the one that was sent first, so it is enough that both sides count. */
#include "trace/messages.h"

#include <stdlib.h>

enum { KEYS_LEAST = 1024, KEYS_MOST = 1 << 20, BUCKETS = 1024, REQUESTS_MOST = 65536,
       LONG_NS = 2000 };

/* -- numbers */

struct key { uint64_t pair; uint32_t comm, count; };

/* Of messages sent, and of receives posted. */
static struct keys { struct key *all, *last; unsigned room, taken; } keys[2];

/* The key's own place, or where there is room for it. */
static struct key *place_among(struct key *all, unsigned room, uint64_t pair, uint32_t comm)
{
    uint64_t h = (pair ^ (uint64_t)comm << 17) * UINT64_C(0x9e3779b97f4a7c15);
    unsigned at = (unsigned)(h >> 40) % room;

    while (all[at].comm && (all[at].pair != pair || all[at].comm != comm))
        at = (at + 1) % room;
    return &all[at];
}

static void grow(struct keys *k)
{
    unsigned room = k->room ? 2 * k->room : KEYS_LEAST;
    struct key *all = room <= KEYS_MOST ? calloc(room, sizeof *all) : NULL;

    if (!all)
        return;
    for (unsigned i = 0; i < k->room; i++)
        if (k->all[i].comm)
            *place_among(all, room, k->all[i].pair, k->all[i].comm) = k->all[i];
    free(k->all);
    k->all = all;
    k->room = room;
}

/* NULL: there are too many. */
static struct key *key_of(unsigned side, uint32_t comm, int peer, int tag)
{
    uint64_t pair = (uint64_t)(uint32_t)peer << 32 | (uint32_t)tag;
    struct keys *s = &keys[side];
    struct key *k = s->last;

    if (k && k->pair == pair && k->comm == comm)
        return k;
    if (s->taken >= s->room / 4 * 3)
        grow(s);
    k = s->room ? place_among(s->all, s->room, pair, comm) : NULL;
    if (!k || (!k->comm && s->taken >= s->room / 4 * 3))
        return s->last = NULL;
    s->taken += !k->comm;
    k->pair = pair;
    k->comm = comm;
    return s->last = k;
}

static uint32_t next_number(unsigned side, uint32_t comm, int peer, int tag)
{
    struct key *k = key_of(side, comm, peer, tag);

    if (!k)
        trace_store.region->unnumbered++;
    return k ? ++k->count : 0;
}

uint32_t trace_number_sent(uint32_t comm, int peer, int tag)
{
    return next_number(0, comm, peer, tag);
}

uint32_t trace_number_posted(uint32_t comm, int peer, int tag)
{
    return next_number(1, comm, peer, tag);
}

/* Of the message that the call has just sent. */
static uint32_t last_sent(const struct trace_request *r)
{
    int peer = trace_comm_rank(r->comm, r->peer);
    struct key *k = peer >= 0 ? key_of(0, r->comm->id, peer, r->tag) : NULL;

    return k ? k->count : 0;
}

/* -- sizes */

/* Those of predefined types are asked for once. */
uint64_t trace_bytes(MPI_Count count, MPI_Datatype type)
{
    enum { FIRST = 0x200, TYPES = 0x100 };
    static MPI_Count known[TYPES];
    uintptr_t index = (uintptr_t)type - FIRST;
    MPI_Count size = index < TYPES ? known[index] : 0;

    if (count <= 0 || type == MPI_DATATYPE_NULL)
        return 0;
    if (!size && PMPI_Type_size_c(type, &size) != MPI_SUCCESS)
        return 0;
    if (index < TYPES)
        known[index] = size;
    return size > 0 ? (uint64_t)count * (uint64_t)size : 0;
}

/* -- requests */

static struct trace_request *bucket[BUCKETS], *spare;
static unsigned requests;

static struct trace_request **place_of(MPI_Request handle)
{
    struct trace_request **r = &bucket[((uintptr_t)handle >> 4 ^ (uintptr_t)handle >> 14)
                                       % BUCKETS];

    while (*r && (*r)->handle != (uintptr_t)handle)
        r = &(*r)->next;
    return r;
}

static struct trace_request *take_spare(void)
{
    struct trace_request *r = spare;

    if (r)
        spare = r->next;
    else if (requests < REQUESTS_MOST && (r = malloc(sizeof *r)))
        requests++;
    return r;
}

static bool is_any(const struct trace_request *r)
{
    return !r->sends && (r->peer == MPI_ANY_SOURCE || r->tag == MPI_ANY_TAG);
}

void trace_request_forget(MPI_Request handle)
{
    struct trace_request **place = place_of(handle), *r = *place;

    if (!r)
        return;
    *place = r->next;
    trace_comm_drop(r->comm);
    r->next = spare;
    spare = r;
}

static void start(struct trace_request *r, uint64_t now)
{
    int peer = trace_comm_rank(r->comm, r->peer);

    r->posted = now;
    r->active = true;
    r->cancelled = false;
    r->number = 0;
    if (r->sends && peer >= 0)
        trace_count_sent(peer, r->bytes);
    if (peer >= 0 && !is_any(r))
        r->number = r->sends ? trace_number_sent(r->comm->id, peer, r->tag)
                    : trace_number_posted(r->comm->id, peer, r->tag);
}

void trace_request_made(MPI_Request handle, const struct trace_request *request)
{
    trace_request_forget(handle);
    struct trace_request *r = take_spare(), **place = place_of(handle);

    if (!r)
        return;
    *r = *request;
    trace_comm_hold(r->comm);
    r->cancelled = false;
    r->handle = (uintptr_t)handle;
    r->next = *place;
    *place = r;
    if (!r->persistent)
        r->active = true;
    if (!r->persistent && !r->sends)
        start(r, r->posted);
    if (!r->persistent && r->sends)
        r->number = last_sent(r);
}

/* Of a persistent send this is where the message leaves. */
void trace_request_started(MPI_Request handle, uint64_t now)
{
    struct trace_request *r = *place_of(handle);

    if (!r)
        return;
    start(r, now);
    if (r->sends && r->number)
        trace_add(&(struct trace_record){
            .kind = TRACE_SEND, .what = TRACE_MPI_Start, .begin = now, .end = now,
            .comm = r->comm->id, .number = r->number, .bytes = r->bytes, .tag = r->tag,
            .peer = trace_comm_rank(r->comm, r->peer), .lane = trace_lane() });
}

static void add_ended(struct trace_request *r, const MPI_Status *status, uint64_t end)
{
    int from = r->sends ? r->peer : status->MPI_SOURCE;
    struct trace_record record = { .kind = r->sends ? TRACE_WENT : TRACE_CAME, .what = r->what,
                                   .begin = r->posted, .end = end, .number = r->number,
                                   .peer = trace_comm_rank(r->comm, from),
                                   .tag = r->sends ? r->tag : status->MPI_TAG,
                                   .bytes = r->sends ? r->bytes : 0,
                                   .comm = r->comm ? r->comm->id : 0, .lane = trace_lane() };

    if (record.peer < 0)
        return;
    if (!record.number)
        record.number = trace_number_posted(record.comm, record.peer, record.tag);
    trace_add(&record);
}

static bool is_end(const struct trace_record *s, bool sends)
{
    return sends ? s->kind == TRACE_SEND : s->kind == TRACE_RECV || s->kind == TRACE_CAME;
}

/* Sends have their records already, and so have receives behind it that are done.  Those from
 * before the message are not looked at. */
static void renumber(const struct trace_request *r, int peer)
{
    struct trace_record *first = trace_store.records, *s = first + trace_store.region->count;

    while (s-- > first && s->end >= r->posted)
        if (is_end(s, r->sends) && s->comm == r->comm->id && s->peer == peer && s->tag == r->tag
            && s->number >= r->number)
            s->number = s->number == r->number ? 0 : s->number - 1;
}

/* It has met nothing: messages of its kind behind it meet what it would have met. */
static void give_back(const struct trace_request *r)
{
    int peer = r->number ? trace_comm_rank(r->comm, r->peer) : -1;
    struct key *k = r->number ? key_of(r->sends ? 0 : 1, r->comm->id, peer, r->tag) : NULL;

    if (!k)
        return;
    k->count--;
    for (unsigned i = 0; i < BUCKETS; i++)
        for (struct trace_request *o = bucket[i]; o; o = o->next)
            if (o->active && o->sends == r->sends && o->comm == r->comm && o->peer == r->peer
                && o->tag == r->tag && o->number > r->number)
                o->number--;
    renumber(r, peer);
    if (r->sends)
        trace_uncount_sent(peer, r->bytes);
}

void trace_request_cancelled(MPI_Request handle)
{
    struct trace_request *r = *place_of(handle);

    if (r)
        r->cancelled = true;
}

static bool met_nothing(const struct trace_request *r, const MPI_Status *status)
{
    int cancelled = 0;

    if (r->active && r->cancelled)
        PMPI_Test_cancelled(status, &cancelled);
    return cancelled;
}

/* Short waits for sends are not worth a record. */
void trace_request_done(MPI_Request handle, const MPI_Status *status, uint64_t begin, uint64_t end)
{
    struct trace_request *r = handle == MPI_REQUEST_NULL ? NULL : *place_of(handle);

    if (!r)
        return;
    if (met_nothing(r, status))
        give_back(r);
    else if (r->active && (!r->sends || end - begin >= LONG_NS))
        add_ended(r, status, end);
    r->active = false;
    if (!r->persistent)
        trace_request_forget(handle);
}

/* -- calls */

void trace_called(unsigned call, uint64_t begin, uint64_t end)
{
    trace_count(call, begin, end);
    trace_add(&(struct trace_record){ .kind = TRACE_CALL, .what = (uint16_t)call, .begin = begin,
                                      .end = end, .peer = -1, .lane = trace_lane() });
}

void trace_sent(unsigned call, uint64_t begin, uint64_t end, MPI_Count count, MPI_Datatype type,
                int dest, int tag, MPI_Comm comm)
{
    struct trace_comm *c = trace_comm_find(comm);
    struct trace_record r = { .kind = TRACE_SEND, .what = (uint16_t)call, .begin = begin,
                              .end = end, .peer = trace_comm_rank(c, dest), .tag = tag,
                              .bytes = trace_bytes(count, type), .lane = trace_lane() };

    trace_count(call, begin, end);
    if (r.peer >= 0) {
        r.comm = c->id;
        r.number = trace_number_sent(c->id, r.peer, tag);
        trace_count_sent(r.peer, r.bytes);
    } else {
        r.kind = TRACE_CALL;
    }
    trace_add(&r);
}

void trace_received(unsigned call, enum trace_kind kind, uint64_t begin, uint64_t end, int source,
                    int tag, MPI_Comm comm, const MPI_Status *status)
{
    struct trace_comm *c = trace_comm_find(comm);
    struct trace_record r = { .kind = (uint8_t)kind, .what = (uint16_t)call, .begin = begin,
                              .end = end, .lane = trace_lane() };

    r.peer = trace_comm_rank(c, source == MPI_ANY_SOURCE ? status->MPI_SOURCE : source);
    r.tag = tag == MPI_ANY_TAG ? status->MPI_TAG : tag;
    if (r.peer >= 0) {
        r.comm = c->id;
        r.number = trace_number_posted(c->id, r.peer, r.tag);
    }
    trace_add(&r);
}
