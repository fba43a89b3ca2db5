/* What both ends of partitioned communication do: messages between them, rounds, life. */
#include "core/stream.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/derived.h"

const struct mpi_type mpi_stream_bytes = {
    .size = 1, .extent = 1, .contiguous = true, .committed = true, .name = "bytes",
};

/* Messages between two ends: in the context of collectives of MPI_COMM_SELF, of which no message
 * comes from another rank. */
uint64_t mpi_stream_match(uint64_t number, uint32_t message)
{
    const unsigned low_bits = 31 - MPI_STREAM_BITS;     /* FW_OWN_TAG: of other messages there */
    const uint32_t low = (uint32_t)(number & ((1u << low_bits) - 1));
    return fw_match_bits(mpi_comm_self.context | 1, (uint32_t)(number >> low_bits),
                         low << MPI_STREAM_BITS | message);
}

void mpi_stream_drop(struct mpi_stream *s)
{
    if (--s->users)
        return;
    mpi_type_drop(s->a.type);
    free(s->message);
    free(s->ready);
    free(s->unpacked);
    free(s->packed);
    free(s);
}

void mpi_stream_fail(struct mpi_stream *s, int class, const char *why)
{
    if (!s->class)
        snprintf(s->why, sizeof s->why, "%s", why);
    s->class = s->class ? s->class : class;
}

/* -- messages */

/* False: no memory. */
bool mpi_stream_send(struct mpi_stream *s, uint64_t match, const void *buf, size_t count,
                     const struct mpi_type *t, struct mpi_portion *portion)
{
    struct fw_req *r = mpi_req_new_send(&mpi_comm_world, buf, count, t, (int)s->peer, 0,
                                        MPI_SEND_FIRM);
    if (!r)
        return false;
    r->match = match;
    s->users++;
    mpi_fw_start(mpi_fw, r);
    mpi_req_make_portion(r, portion);
    return true;
}

static bool receive(struct mpi_stream *s, uint64_t match, struct fw_req *r,
                    struct mpi_portion *portion)
{
    if (!r)
        return false;
    r->match = match;
    r->mask = 0;
    r->peer = s->peer;          /* where mpi_lost_partner finds it */
    s->users++;
    mpi_fw_start(mpi_fw, r);
    mpi_req_make_portion(r, portion);
    return true;
}

bool mpi_stream_receive(struct mpi_stream *s, uint64_t match, void *buf, size_t bytes,
                        struct mpi_portion *portion)
{
    struct fw_req *r = mpi_req_new_recv(&mpi_comm_world, buf, bytes, &mpi_stream_bytes, 0, 0);
    return receive(s, match, r, portion);
}

bool mpi_stream_receive_at(struct mpi_stream *s, uint64_t match, size_t first, size_t bytes,
                           struct mpi_portion *portion)
{
    size_t count = (size_t)s->a.partitions * s->a.count;
    struct fw_req *r = mpi_req_new_recv_part(&mpi_comm_world, s->a.buf, count, s->a.type, first,
                                             bytes);
    return receive(s, match, r, portion);
}

void mpi_stream_round_over(struct mpi_stream *s)
{
    if (s->active && s->open == 0)
        mpi_own_done(&s->own);
}

void mpi_stream_message_over(struct mpi_stream_message *m, int class, const char *why)
{
    struct mpi_stream *s = m->stream;
    if (class)
        mpi_stream_fail(s, class, why);
    m->over = true;
    s->open--;
    mpi_stream_round_over(s);
}

/* Memory for so many messages; false: there is none. */
bool mpi_stream_messages(struct mpi_stream *s, uint32_t messages, mpi_ended_fn *ended)
{
    s->message = calloc(messages, sizeof *s->message);
    if (!s->message)
        return false;
    s->messages = messages;
    for (uint32_t i = 0; i < messages; i++) {
        s->message[i].stream = s;
        s->message[i].portion.ended = ended;
    }
    return true;
}
