/* Remote stores, messages and hardware queues of nicemu (Katsamani, section 3.1.2, "Remote Store",
 * "Messages", "Queues").
 *
 * A remote store writes one word, a message up to NIC_WORDS_MAX words, into any scratchpad; a
 * message may go to the program of the other NIC instead, or into a queue.
 *
 * A hardware queue is a bounded ring of messages in the scratchpad of its owner, named by the
 * owner's rank and its offset there. The paper mentions such queues and leaves out how they work;
 * these are ours:
 *   - any number of ranks and threads write, the owner's threads read;
 *   - a message is in the queue as a whole or not at all; nothing is lost, nothing comes twice;
 *   - messages of one writer come out in the order in which it sent them; those of different
 *     writers in the order in which they
 *     found their places;
 *   - a full queue refuses: the writer gets -EAGAIN and sends again, or waits
 *     (nic_queue_send_wait);
 *   - where the queue is not in the writer's reach (packets) a writer may have NIC_QUEUE_WINDOW
 *     messages under way to each queue.
 *     The owner's NIC keeps what the queue has no room for, in order, and grants the next when one
 *     has found its place: flow
 *     control by credits, so again nothing is lost, and -EAGAIN means that the credits are used up;
 *   - positions have 64 bits and do not wrap.
 * A rank that is killed in the middle of a write leaves a place that is never filled: the queue
 * stops there.  That job is lost anyway.
 *
 * All functions need the baton. */
#ifndef NICEMU_QUEUE_H
#define NICEMU_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct nic;

enum { NIC_WORDS_MAX = 5, NIC_QUEUE_CAPACITY_MAX = 1 << 16, NIC_QUEUE_WINDOW = 8,
       NIC_QUEUE_HEADER_BYTES = 128, NIC_QUEUE_CELL_BYTES = 64 };

struct nic_words {
    uint32_t source;                /* rank of the writer */
    uint32_t count;                 /* words that it sent, 0 .. NIC_WORDS_MAX */
    uint64_t word[NIC_WORDS_MAX];
};

/* -- words into a scratchpad.  `bytes` is 4 or 8, the offset a multiple of it; stores and messages
 * of one rank to one other are performed in order, each after everything that the rank has written
 * there before.  -EINVAL: rank, place, alignment or size; nothing is written then. */
int nic_store(struct nic *nic, uint32_t rank, uint64_t offset, uint64_t value, unsigned bytes);

/* Words of 8 bytes to consecutive places.  The last word is written last: who sees it sees the
 * others. -EMSGSIZE: more than NIC_WORDS_MAX. */
int nic_message_write(struct nic *nic, uint32_t rank, uint64_t offset, const uint64_t *words,
                      unsigned count);

/* To the program of that rank: its handler `message`; dropped
 * and counted as a stray where there is none. */
int nic_message_send(struct nic *nic, uint32_t rank, const uint64_t *words, unsigned count);

/* Waits until the word of 4 or 8 bytes at an offset in the caller's own scratchpad is no longer
 * `before`; *value is what it is then.  -EINVAL: place or alignment. */
int nic_word_wait(struct nic *nic, uint64_t offset, unsigned bytes, uint64_t before,
                  uint64_t *value);

/* -- queues */

/* Capacity in messages: a power of two, 2 .. NIC_QUEUE_CAPACITY_MAX.  -EINVAL, -ENOMEM. */
int nic_queue_create(struct nic *nic, unsigned capacity, uint64_t *queue);

/* Nobody may write any more. */
int nic_queue_destroy(struct nic *nic, uint64_t queue);

/* 0: sent.  -EAGAIN: full; take turns (nic_step) and try again.  -EMSGSIZE: more than NIC_WORDS_MAX
 * words.  -EINVAL: rank, or no queue there; where the queue is out of reach the latter is known,
 * and returned, only by a later call.  -EPROTO: the queue is damaged. */
int nic_queue_send(struct nic *nic, uint32_t rank, uint64_t queue, const uint64_t *words,
                   unsigned count);

/* The same, but waits for room. */
int nic_queue_send_wait(struct nic *nic, uint32_t rank, uint64_t queue, const uint64_t *words,
                        unsigned count);

/* The owner takes the oldest message.  -EAGAIN: none. */
int nic_queue_receive(struct nic *nic, uint64_t queue, struct nic_words *message);

/* The same, but waits for one. */
int nic_queue_receive_wait(struct nic *nic, uint64_t queue, struct nic_words *message);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
