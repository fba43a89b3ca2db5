/* One end of partitioned communication (core/partitioned.h): its state, and the messages between
 * the two ends.  Baton held. */
#ifndef MPI_STREAM_H
#define MPI_STREAM_H

#include "core/request_free.h"

struct mpi_stream;

struct mpi_stream_args {
    struct mpi_comm *c;
    void *buf;
    int partitions;
    size_t count;                   /* elements of each */
    const struct mpi_type *type;
    int peer, tag;
    bool sends;
};

/* Numbers of messages, below the stream's number in match bits. */
enum {
    MPI_STREAM_BITS = 20, MPI_STREAM_ANSWER = (1 << MPI_STREAM_BITS) - 1,
    MPI_STREAM_MESSAGES = MPI_STREAM_ANSWER,    /* at most */
};

/* From the sender's end to the receiver's, and back. */
struct mpi_opening {
    uint64_t stream, bytes, message_bytes;      /* number; of a round; of a message but the last */
    uint32_t messages, rank;                    /* of a round; of the job */
};
struct mpi_answer { uint64_t stream; };

/* open: its partitions that are not ready (sender). */
struct mpi_stream_message {
    struct mpi_portion portion;
    struct mpi_stream *stream;
    uint32_t open;
    bool over;
};

/* Owner: baton. */
struct mpi_stream {
    struct mpi_persistent p;
    struct mpi_own own;             /* of the round under way */
    struct mpi_stream_args a;       /* its type is held */
    uint64_t number;                /* names this end to the other */
    uint64_t peer_number;           /* the receiver's; 0: its answer has not come */
    uint32_t peer;                  /* rank of the job */
    unsigned users;                 /* the handle, the round under way, messages under way */
    bool active;
    bool opened;                    /* receiver: the sender's opening message has come */

    size_t bytes;                   /* of one of its own partitions */
    uint32_t messages;              /* of a round; 0: not known yet (receiver) */
    size_t message_bytes;           /* of each but the last; sender's: `group` partitions */
    size_t stream_bytes;            /* of all that is sent in a round */
    uint32_t group;
    struct mpi_stream_message *message;
    uint32_t open;                  /* messages of the round that are not over */

    bool *ready;                    /* sender: per partition */
    /* receiver of data with gaps whose NIC cannot scatter them: per partition; what comes, in
     * order */
    bool *unpacked;
    char *packed;
    struct mpi_portion opening, answer;
    struct mpi_opening out;             /* sender: the message itself; receiver: what came */
    struct mpi_answer in;
    int class;                      /* of what failed first */
    char why[MPI_WHY_BYTES];
};

/* Elements of one byte. */
extern const struct mpi_type mpi_stream_bytes;

/* Match bits of messages between two ends. */
uint64_t mpi_stream_match(uint64_t number, uint32_t message);

/* To and from s->peer: started, and a user of the stream until they are over.  False: no memory. */
bool mpi_stream_send(struct mpi_stream *s, uint64_t match, const void *buf, size_t count,
                     const struct mpi_type *t, struct mpi_portion *portion);
bool mpi_stream_receive(struct mpi_stream *s, uint64_t match, void *buf, size_t bytes,
                        struct mpi_portion *portion);
/* The same to the receiver's own data, from a place in them on. */
bool mpi_stream_receive_at(struct mpi_stream *s, uint64_t match, size_t first, size_t bytes,
                           struct mpi_portion *portion);

/* Memory for the messages of a round.  False: there is none. */
bool mpi_stream_messages(struct mpi_stream *s, uint32_t messages, mpi_ended_fn *ended);
/* One is over, and the round with the last. */
void mpi_stream_message_over(struct mpi_stream_message *m, int class, const char *why);
void mpi_stream_round_over(struct mpi_stream *s);
void mpi_stream_fail(struct mpi_stream *s, int class, const char *why);

/* A user less: the last one frees it. */
void mpi_stream_drop(struct mpi_stream *s);

/* The two kinds of ends: made (false: no memory), and at the start of a round. */
bool mpi_stream_open_sender(struct mpi_stream *s);
void mpi_stream_start_sender(struct mpi_stream *s);
bool mpi_stream_open_receiver(struct mpi_stream *s);
void mpi_stream_start_receiver(struct mpi_stream *s);

/* Of a sender's that is active: MPI_SUCCESS, MPI_ERR_ARG where it is ready already, or
 * MPI_ERR_NO_MEM. */
int mpi_stream_ready(struct mpi_stream *s, int partition);
/* Of a receiver's that is active. */
bool mpi_stream_arrived(const struct mpi_stream *s, int partition);

#endif
