/* nicemu: the command queue for one-sided operations (Underwood, section 3.1 and table 1).  Part of
 * nicemu.h.
 *
 * Beside the general command ring a process has queues of 4 KiB each into which it writes short
 * commands, with the data behind them, by plain stores to rising addresses: no doorbell, no system
 * call, no baton.  The NIC executes them in order of writing and acknowledges each; it tells the
 * host of free space for every 512 bytes that it has consumed.
 *
 * The queue is a ring of 64 lines of 64 bytes, each with 56 bytes of the stream and a stamp behind
 * them (lap, how far the line is filled, where the first command in it begins), so that a line is
 * written once, in order, as a write-combining buffer would, and the reader knows a complete one
 * when it sees it.  A line that is not yet full is kept back in the writer until nic_pgas_flush.
 * Commands begin at multiples of 8 bytes.
 *
 * Threads: a queue is for one thread at a time, as one core's write-combining buffers are; open one
 * for each thread.  Functions take the baton where they need it: call them without it, and never
 * from a handler. */
#ifndef NICEMU_PGAS_QUEUE_H
#define NICEMU_PGAS_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct nic;
struct nic_pgas;

enum { NIC_PGAS_BYTES = 4096, NIC_PGAS_UPDATE_BYTES = 512 };

/* -- commands.  Those of 16 bytes carry data behind them (a multiple of 8 bytes is written); those
 * of 20 name local memory that gets the result, and are followed by data too if they have operands.
 * Each line: name, bytes of the command, words of operands per element (of the element's size), and
 * whether its elements are integers of 4 or 8 bytes only. */
#define NIC_PGAS_OPS(X) \
    X(PUT, 16, 1, 0)                    /* target = data */ \
    X(GET, 20, 0, 0)                    /* local = target */ \
    X(ADD, 16, 1, 1)                    /* target += data, atomically, and so on */ \
    X(AND, 16, 1, 1) \
    X(OR, 16, 1, 1) \
    X(XOR, 16, 1, 1) \
    X(FETCH_ADD, 20, 1, 1)              /* local = target, target += data */ \
    X(SWAP, 20, 1, 1)                   /* local = target, target = data */ \
    X(COMPARE_SWAP, 20, 2, 1)           /* local = target; target = data[0] if it was data[1] */

#define NIC_PGAS_OP_ENUM(name, bytes, operands, integer) NIC_PGAS_##name,
enum nic_pgas_op { NIC_PGAS_NONE, NIC_PGAS_OPS(NIC_PGAS_OP_ENUM) NIC_PGAS_OP_COUNT };

/* Places: an offset in the rank's heap, or, from NIC_PGAS_SCRATCHPAD on, in its scratchpad. */
#define NIC_PGAS_PLACES (UINT64_C(1) << 38)
#define NIC_PGAS_SCRATCHPAD (UINT64_C(1) << 37)

/* Fields of a command and their bits. */
struct nic_pgas_command {
    unsigned op;                        /* 5: enum nic_pgas_op */
    unsigned size;                      /* 4: logarithm of the bytes of an element, 0 .. 7 */
    unsigned count;                     /* 16: elements, 1 or more */
    /* 16 each: node (0: this one) and process (the rank in the job) */
    unsigned nid, pid;
    uint64_t address;                   /* 38: place at the target */
    /* 16: elements from one to the next at the target; 1: side by side */
    unsigned stride;
    /* 38: place of one's own for results, side by side; only in commands of 20 bytes */
    uint64_t local;
};
enum { NIC_PGAS_COMMAND_BYTES = 24 };   /* the longest, with what fills it up to a multiple of 8 */

/* Writes 16 or 24 bytes and returns how many; 0: a field is out of range. */
size_t nic_pgas_encode(const struct nic_pgas_command *command, unsigned char *bytes);

/* The bytes of a command whose first 16 bytes are these, 16 or 24; 0: it is garbage. */
size_t nic_pgas_command_bytes(const unsigned char *bytes);

/* -EINVAL: garbage. */
int nic_pgas_decode(const unsigned char *bytes, struct nic_pgas_command *command);

/* -- the queue */

/* 0, -ENOMEM: the scratchpad has no room for another queue, or no memory. */
int nic_pgas_open(struct nic *nic, struct nic_pgas **queue);

/* Waits for what is under way, then closes. */
void nic_pgas_close(struct nic_pgas *queue);

/* Writes a command and its data: for each element as many operands as the operation has (data[0],
 * data[1] above); NULL where it has none.  Waits for room, and serves the NIC meanwhile.  0;
 * -EINVAL: a field out of range, and nothing is written.  What only the target can tell comes with
 * nic_pgas_quiet. */
int nic_pgas_write(struct nic_pgas *queue, const struct nic_pgas_command *command,
                   const void *data);

/* The common cases: `count` elements of `size` bytes (1, 2, 4, ... 128), side by side, of a rank;
 * `local` is a place as above. */
int nic_pgas_put(struct nic_pgas *queue, unsigned rank, uint64_t place, const void *data,
                 unsigned size, unsigned count);
int nic_pgas_get(struct nic_pgas *queue, uint64_t local, unsigned rank, uint64_t place,
                 unsigned size, unsigned count);

/* Bytes of any kind, as a processor may store them; for tests and for commands of one's own making.
 * A multiple of 8; `command` says that a command begins here. */
int nic_pgas_write_raw(struct nic_pgas *queue, const void *bytes, size_t size, int command);

/* Lets the NIC see what has been written so far. */
void nic_pgas_flush(struct nic_pgas *queue);

/* Flushes, and waits until everything written is acknowledged (shmem_quiet).  0, or the error of
 * the first operation that failed since the last time: -ERANGE a place outside the target's or
 * one's own memory, -EINVAL no such process, or as in nicemu/remote.h. */
int nic_pgas_quiet(struct nic_pgas *queue);

/* Bytes of the stream that can be written now without waiting, as far as the host has been told. */
size_t nic_pgas_room(const struct nic_pgas *queue);

/* In figures, since it was opened. */
struct nic_pgas_counts {
    /* written in full, or as far as they had been filled when they were flushed */
    uint64_t lines;
    /* of the word of free space, by the host; and its updates by the NIC */
    uint64_t space_reads, updates;
    /* executed; started at targets, of which each is acknowledged */
    uint64_t commands, messages;
    uint64_t outstanding;               /* messages not acknowledged yet */
    /* times that the NIC found no command where one should begin, and looked for the next */
    uint64_t garbage;
    uint64_t failures;                  /* messages and commands refused */
};
void nic_pgas_counted(struct nic_pgas *queue, struct nic_pgas_counts *counts);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
