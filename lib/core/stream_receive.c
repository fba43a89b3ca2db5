/* The receiver's end of partitioned communication. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/stream.h"
#include "core/type_data.h"

/* Which messages have data of a partition: from first to last, none where first is greater. */
static void messages_of(const struct mpi_stream *s, int partition, uint32_t *first, uint32_t *last)
{
    size_t from = (size_t)partition * s->bytes, to = from + s->bytes;
    *first = 0;
    *last = s->messages - 1;
    if (!s->message_bytes || !s->bytes)
        return;
    to = to < s->stream_bytes ? to : s->stream_bytes;
    *first = (uint32_t)(from < to ? from / s->message_bytes : s->messages);
    *last = (uint32_t)(from < to ? (to - 1) / s->message_bytes : 0);
}

bool mpi_stream_arrived(const struct mpi_stream *s, int partition)
{
    uint32_t first, last;
    if (!s->messages)
        return s->a.peer == MPI_PROC_NULL;
    messages_of(s, partition, &first, &last);
    while (first <= last && s->message[first].over)
        first++;
    return first > last;
}

/* Bytes of the data that came for a partition, of which the sender's may be fewer in all. */
static size_t bytes_for(const struct mpi_stream *s, int partition)
{
    size_t at = (size_t)partition * s->bytes;
    size_t left = at < s->stream_bytes ? s->stream_bytes - at : 0;
    return left < s->bytes ? left : s->bytes;
}

static void unpack_arrived(struct mpi_stream *s, uint32_t message)
{
    size_t from = message * s->message_bytes, to = from + s->message_bytes;
    int first = s->bytes ? (int)(from / s->bytes) : 0;
    for (int i = first; i < s->a.partitions && (size_t)i * s->bytes < to; i++)
        if (!s->unpacked[i] && mpi_stream_arrived(s, i)) {
            ptrdiff_t at = (ptrdiff_t)((size_t)i * s->a.count) * s->a.type->extent;
            s->unpacked[i] = true;
            mpi_type_unpack(s->a.type, s->packed + (size_t)i * s->bytes, bytes_for(s, i),
                            (void *)((uintptr_t)s->a.buf + (uintptr_t)at));
        }
}

static void received(struct mpi_portion *portion, const struct fw_req *r, int class,
                     const struct mpi_why *why)
{
    struct mpi_stream_message *m = (struct mpi_stream_message *)portion;
    struct mpi_stream *s = m->stream;
    char text[MPI_WHY_BYTES];
    if (class == MPI_ERR_TRUNCATE)
        snprintf(text, sizeof text,
                 "the partitions that come have %zu bytes, those of the receive %zu",
                 s->stream_bytes, (size_t)s->a.partitions * s->bytes);
    else
        snprintf(text, sizeof text, "%s", why->text);
    (void)r;
    m->over = true;
    if (s->packed)
        unpack_arrived(s, (uint32_t)(m - s->message));
    mpi_stream_message_over(m, class, text);
    mpi_stream_drop(s);
}

static bool post_message(struct mpi_stream *s, uint32_t i)
{
    size_t room = (size_t)s->a.partitions * s->bytes;
    size_t at = i * s->message_bytes, left = at < room ? room - at : 0;
    size_t bytes = left < s->message_bytes ? left : s->message_bytes;
    uint64_t match = mpi_stream_match(s->number, i);
    struct mpi_portion *portion = &s->message[i].portion;
    if (!s->packed && bytes)
        return mpi_stream_receive_at(s, match, at, bytes, portion);
    return mpi_stream_receive(s, match, bytes ? s->packed + at : s->a.buf, bytes, portion);
}

/* The round has begun, and the other end is known. */
static void post(struct mpi_stream *s)
{
    for (uint32_t i = 0; i < s->messages; i++)
        if (!post_message(s, i))
            mpi_stream_message_over(&s->message[i], MPI_ERR_NO_MEM, "no memory for a request");
}

/* It does not know its messages, and never will. */
static void hopeless(struct mpi_stream *s)
{
    mpi_stream_fail(s, MPI_ERR_INTERN, "the two ends could not agree on the messages");
    s->open = 0;
    mpi_stream_round_over(s);
}

void mpi_stream_start_receiver(struct mpi_stream *s)
{
    if (!s->messages) {
        hopeless(s);
        return;
    }
    for (uint32_t i = 0; i < s->messages; i++)
        s->message[i].over = false;
    if (s->unpacked)
        memset(s->unpacked, 0, (size_t)s->a.partitions * sizeof *s->unpacked);
    s->open = s->messages;
    s->users++;             /* the last of them must not end it while others are posted */
    post(s);
    mpi_stream_drop(s);
}

/* The messages are as many as the bytes need, and all numbers below their product. */
static bool is_sound(const struct mpi_opening *o)
{
    uint64_t room;
    return o->messages && o->messages <= MPI_STREAM_MESSAGES && o->rank < nic_ranks(mpi_nic)
           && !__builtin_mul_overflow(o->messages, o->message_bytes, &room) && o->bytes <= room
           && (o->messages == 1 || o->bytes > room - o->message_bytes);
}

static bool answer(struct mpi_stream *s)
{
    s->in.stream = s->number;
    uint64_t match = mpi_stream_match(s->out.stream, MPI_STREAM_ANSWER);
    return mpi_stream_messages(s, s->out.messages, received)
           && mpi_stream_send(s, match, &s->in, sizeof s->in, &mpi_stream_bytes, &s->answer);
}

static void answer_sent(struct mpi_portion *portion, const struct fw_req *r, int class,
                        const struct mpi_why *why)
{
    (void)r, (void)class, (void)why;
    mpi_stream_drop((struct mpi_stream *)((char *)portion - offsetof(struct mpi_stream, answer)));
}

static void opened(struct mpi_portion *portion, const struct fw_req *r, int class,
                   const struct mpi_why *why)
{
    struct mpi_stream *s =
        (struct mpi_stream *)((char *)portion - offsetof(struct mpi_stream, opening));
    (void)why;
    s->opened = true;
    if (!class && !r->cancelled && r->count == sizeof s->out && is_sound(&s->out)) {
        s->message_bytes = s->out.message_bytes;
        s->stream_bytes = s->out.bytes;
        s->peer = s->out.rank;
        if (!answer(s))
            s->messages = 0;
    }
    if (s->active)
        mpi_stream_start_receiver(s);
    mpi_stream_drop(s);
}

bool mpi_stream_open_receiver(struct mpi_stream *s)
{
    size_t bytes = (size_t)s->a.partitions * s->bytes;
    uint64_t match, mask;
    s->opening.ended = opened;
    s->answer.ended = answer_sent;
    if (!s->a.type->contiguous && !nic_gathers(mpi_nic)) {
        s->packed = malloc(bytes ? bytes : 1);
        s->unpacked = calloc((size_t)s->a.partitions + 1, sizeof *s->unpacked);
        if (!s->packed || !s->unpacked)
            return false;
    }
    s->peer = (uint32_t)mpi_comm_peer(s->a.c, s->a.peer);
    mpi_match_recv(s->a.c, s->a.peer, s->a.tag, &match, &mask);
    return mpi_stream_receive(s, match | FW_OWN_TAG, &s->out, sizeof s->out, &s->opening);
}
