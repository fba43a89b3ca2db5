/* The sender's end of partitioned communication. */
#include <stdlib.h>
#include <string.h>

#include "core/stream.h"
#include "core/type_data.h"

static void sent(struct mpi_portion *portion, const struct fw_req *r, int class,
                 const struct mpi_why *why)
{
    struct mpi_stream_message *m = (struct mpi_stream_message *)portion;
    struct mpi_stream *s = m->stream;
    (void)r;
    mpi_stream_message_over(m, class, why->text);
    mpi_stream_drop(s);
}

/* All of its partitions are ready, and the other end is known. */
static bool send_data(struct mpi_stream *s, uint32_t i)
{
    size_t first = (size_t)i * s->group, left = (size_t)s->a.partitions - first;
    size_t partitions = left < s->group ? left : s->group;
    uintptr_t buf = (uintptr_t)s->a.buf;        /* of MPI_BOTTOM the addresses are in the type */
    ptrdiff_t at = (ptrdiff_t)(first * s->a.count) * s->a.type->extent;
    return mpi_stream_send(s, mpi_stream_match(s->peer_number, i),
                           (const void *)(buf + (uintptr_t)at), partitions * s->a.count,
                           s->a.type, &s->message[i].portion);
}

static uint32_t partitions_of(const struct mpi_stream *s, uint32_t message)
{
    uint32_t first = message * s->group, left = (uint32_t)s->a.partitions - first;
    return left < s->group ? left : s->group;
}

/* MPI_SUCCESS, or MPI_ERR_NO_MEM: the message stays open, as the round does. */
static int one_ready(struct mpi_stream *s, uint32_t message, uint32_t partitions)
{
    struct mpi_stream_message *m = &s->message[message];
    m->open -= partitions;
    if (m->open || !s->peer_number || send_data(s, message))
        return MPI_SUCCESS;
    m->open += partitions;
    return MPI_ERR_NO_MEM;
}

int mpi_stream_ready(struct mpi_stream *s, int partition)
{
    if (s->ready[partition])
        return MPI_ERR_ARG;
    if (s->a.peer == MPI_PROC_NULL)
        return MPI_SUCCESS;
    s->ready[partition] = true;
    mpi_type_charge(s->a.type, s->bytes);
    int rc = one_ready(s, (uint32_t)partition / s->group, 1);
    if (rc)
        s->ready[partition] = false;
    return rc;
}

/* The answer has come: what was ready before leaves now. */
static void answered(struct mpi_portion *portion, const struct fw_req *r, int class,
                     const struct mpi_why *why)
{
    struct mpi_stream *s =
        (struct mpi_stream *)((char *)portion - offsetof(struct mpi_stream, answer));
    (void)why;
    bool good = !class && !r->cancelled && r->count == sizeof s->in;
    if (good)
        s->peer_number = s->in.stream;
    for (uint32_t i = 0; good && s->active && i < s->messages; i++)
        if (!s->message[i].open && !s->message[i].over && !send_data(s, i))
            mpi_stream_message_over(&s->message[i], MPI_ERR_NO_MEM, "no memory for a request");
    mpi_stream_drop(s);
}

static void opening_sent(struct mpi_portion *portion, const struct fw_req *r, int class,
                         const struct mpi_why *why)
{
    struct mpi_stream *s =
        (struct mpi_stream *)((char *)portion - offsetof(struct mpi_stream, opening));
    (void)r, (void)class, (void)why;
    mpi_stream_drop(s);
}

/* One message for each partition, or for as many as are needed to have numbers for all; one in all
 * where there is nothing to send. */
static bool divide(struct mpi_stream *s)
{
    uint32_t partitions = s->a.partitions ? (uint32_t)s->a.partitions : 1;
    s->group = s->bytes ? (partitions - 1) / MPI_STREAM_MESSAGES + 1 : partitions;
    s->message_bytes = s->group * s->bytes;
    s->stream_bytes = (size_t)s->a.partitions * s->bytes;
    s->ready = calloc(partitions, sizeof *s->ready);
    return s->ready && mpi_stream_messages(s, (partitions - 1) / s->group + 1, sent);
}

bool mpi_stream_open_sender(struct mpi_stream *s)
{
    s->opening.ended = opening_sent;
    s->answer.ended = answered;
    if (!divide(s))
        return false;
    struct mpi_comm *c = s->a.c;
    s->out = (struct mpi_opening){
        .stream = s->number, .bytes = s->stream_bytes, .message_bytes = s->message_bytes,
        .messages = s->messages, .rank = nic_rank(mpi_nic),
    };
    struct fw_req *r = mpi_req_new_send(c, &s->out, sizeof s->out, &mpi_stream_bytes, s->a.peer,
                                        s->a.tag, MPI_SEND_FIRM);
    uint64_t match = mpi_stream_match(s->number, MPI_STREAM_ANSWER);
    if (!r || !mpi_stream_receive(s, match, &s->in, sizeof s->in, &s->answer)) {
        mpi_req_give_up(r);
        return false;
    }
    r->match |= FW_OWN_TAG;
    s->peer = r->peer;
    s->users++;
    mpi_fw_start(mpi_fw, r);
    mpi_req_keep(r);        /* it names the communicator, which the program may free before */
    mpi_req_make_portion(r, &s->opening);
    return true;
}

void mpi_stream_start_sender(struct mpi_stream *s)
{
    memset(s->ready, 0, (size_t)s->a.partitions * sizeof *s->ready);
    for (uint32_t i = 0; i < s->messages; i++) {
        s->message[i].over = false;
        s->message[i].open = partitions_of(s, i);
    }
    if (!s->a.partitions && s->peer_number && !send_data(s, 0))
        mpi_stream_message_over(&s->message[0], MPI_ERR_NO_MEM, "no memory for a request");
}
