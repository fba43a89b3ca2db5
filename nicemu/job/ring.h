/* The inbox: a ring of 64-byte lines, many producers, one consumer.
 *
 *   header line            word 0: stamp 16 | type 8 | flags 8 | length 16 | source 16, word 1:
 *   match
 *                          bits, then 48 bytes of payload
 *   continuation line      word 0: stamp, then 56 bytes of payload; the first line of each further
 *   chunk
 *   interior line          64 bytes of payload
 *
 * A packet is one chunk or several, of at most CHUNK lines; the first line of a chunk is published
 * when the chunk is complete, so the receiver copies one while the sender fills the next.
 *
 * Position p (64 bits, never wraps in practice) lies in line p % LINES; its stamp is 0x8000 plus
 * its lap, p / LINES (mod 2^15), never 0.  The consumer clears word 0 of each line before it gives
 * it back.  So that of a line which nobody has reserved is 0: neither payload nor an old stamp is
 * taken for a new one.
 *
 * A consumer that finds the ring empty may restart it: it takes the positions up to the next lap
 * away by moving tail and then head.  So packets of pairs that wait for each other keep to the
 * first lines, which stay in the near caches of both ends, and a burst still has all lines.
 *
 * Edges:
 *   W0 release store of word 0 (producer)     -> R0 acquire load of word 0 (consumer): the line's
 *   other words
 *   R1 release store of head (consumer)       -> W1 acquire load of head (producer): reads of the
 *   old lap come before
 *                                                the writes of the new one
 * A producer checks for space, then reserves with compare-and-swap, then writes: nothing between
 * the reservation and the last stamp can fail or wait.  The order of reservations is the order of
 * delivery.
 *
 * The length in a header line frames the ring: the consumer cannot know how many lines its producer
 * reserved.  What it does with a wrong one is safe in memory, but may cost the lines of others;
 * debug builds end the job there.  The protocol is checked in tests/model/ring.pml, a mutant per
 * edge. */
#ifndef NIC_JOB_RING_H
#define NIC_JOB_RING_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "nicemu.h"

#ifndef NIC_DEBUG
#define NIC_DEBUG 0
#endif

/* In the flags of a packet: never set by programs. */
enum { NIC_FLAG_KEYED = 0x80 };

enum {
    /* 4 KiB: shorter ones pay a hand-off each, measured at 4 to 256 lines */
    NIC_RING_LINES = 2048, NIC_LINE_BYTES = 64, NIC_CHUNK_LINES = 65,

    /* payload in the first line of a chunk */
    NIC_HEADER_DATA = 48, NIC_CONTINUATION_DATA = 56,
    NIC_INTERIOR_DATA = (NIC_CHUNK_LINES - 1) * NIC_LINE_BYTES,
};

struct nic_line {
    _Atomic uint64_t word0;
    union {
        struct { uint64_t match; unsigned char head[NIC_HEADER_DATA]; };
        unsigned char body[NIC_CONTINUATION_DATA];
    };
};
static_assert(sizeof(struct nic_line) == 64, "one cache line");
static_assert((NIC_RING_LINES & (NIC_RING_LINES - 1)) == 0, "power of two");

/* In shared memory, zero at first, which is no stamp. */
struct nic_ring {
    _Alignas(128) _Atomic uint64_t tail;    /* producers: next position to reserve */
    _Alignas(128) _Atomic uint64_t head;    /* consumer: first position not given back */
    _Alignas(128) struct nic_line line[NIC_RING_LINES];
#if NIC_DEBUG
    _Atomic uint64_t check[NIC_RING_LINES];     /* of header lines: nic_ring_check_of */
#endif
};
static_assert(sizeof(struct nic_ring) == 256 + (64 + 8 * NIC_DEBUG) * NIC_RING_LINES,
              "shared layout");

static inline uint64_t nic_ring_stamp(uint64_t pos)
{
    return 0x8000 | (pos / NIC_RING_LINES & 0x7fff);
}

static inline struct nic_line *nic_ring_at(struct nic_ring *r, uint64_t pos)
{
    return &r->line[pos % NIC_RING_LINES];
}

/* Lines of a chunk that holds up to `bytes` more, of which `first` fit into its first line. */
static inline unsigned nic_chunk_lines(uint32_t bytes, uint32_t first)
{
    return bytes <= first ? 1 : bytes >= first + NIC_INTERIOR_DATA ? NIC_CHUNK_LINES
           : 1 + (bytes - first + NIC_LINE_BYTES - 1) / NIC_LINE_BYTES;
}

static inline unsigned nic_ring_lines_for(uint32_t bytes)
{
    unsigned lines = nic_chunk_lines(bytes, NIC_HEADER_DATA);
    if (__builtin_expect(bytes <= NIC_HEADER_DATA + NIC_INTERIOR_DATA, 1))
        return lines;
    bytes -= NIC_HEADER_DATA + NIC_INTERIOR_DATA;
    lines += bytes / (NIC_CONTINUATION_DATA + NIC_INTERIOR_DATA) * NIC_CHUNK_LINES;
    bytes %= NIC_CONTINUATION_DATA + NIC_INTERIOR_DATA;
    return bytes ? lines + nic_chunk_lines(bytes, NIC_CONTINUATION_DATA) : lines;
}

/* source: a rank, as nic_ring_source_bits. */
static inline uint64_t nic_word0(uint64_t pos, uint8_t type, uint8_t flags, uint32_t length,
                                 uint64_t source)
{
    return nic_ring_stamp(pos) | (uint64_t)type << 16 | (uint64_t)flags << 24 | (uint64_t)length
           << 32 | source;
}

static inline uint64_t nic_ring_source_bits(unsigned rank) { return (uint64_t)rank << 48; }
static inline unsigned nic_ring_source(uint64_t word0) { return (unsigned)(word0 >> 48); }
static inline uint32_t nic_ring_length(uint64_t word0) { return (uint16_t)(word0 >> 32); }
static_assert(NIC_MAX_RANKS <= UINT16_MAX, "a rank fits word 0");

/* Multiple producers.  Reserves `lines` lines; head_seen is the caller's last view of head (any
 * older value is safe).  False: full. */
static inline bool nic_ring_reserve(struct nic_ring *r, unsigned lines, uint64_t *head_seen,
                                    uint64_t *pos)
{
    uint64_t t = atomic_load_explicit(&r->tail, memory_order_relaxed);
    for (;;) {
        /* signed: a concurrent producer may have moved tail
         * past what our old view of head allows */
        if ((int64_t)(t + lines - *head_seen) > NIC_RING_LINES) {
            /* W1, pairs with R1 */
            *head_seen = atomic_load_explicit(&r->head, memory_order_acquire);
            if ((int64_t)(t + lines - *head_seen) > NIC_RING_LINES)
                return false;
        }
        if (atomic_compare_exchange_weak_explicit(&r->tail, &t, t + lines, memory_order_relaxed,
                                                  memory_order_relaxed))
            break;
    }
    *pos = t;
    return true;
}

/* So many lines are free, or were a moment ago. */
static inline bool nic_ring_has_room(struct nic_ring *r, unsigned lines)
{
    uint64_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
    uint64_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
    return (int64_t)(tail + lines - head) <= NIC_RING_LINES;
}

/* Makes line `pos` visible, everything else in it being written: W0, pairs with R0. */
static inline void nic_ring_publish(struct nic_ring *r, uint64_t pos, uint64_t word0)
{
    atomic_store_explicit(&nic_ring_at(r, pos)->word0, word0, memory_order_release);
}

#if NIC_DEBUG
/* All of a header line, with the word 0 that it has or is about to get. */
static inline uint64_t nic_ring_check_of(struct nic_ring *r, uint64_t pos, uint64_t word0)
{
    const struct nic_line *l = nic_ring_at(r, pos);
    uint64_t hash = (word0 ^ l->match) * UINT64_C(0x9e3779b97f4a7c15), word;
    for (unsigned i = 0; i < NIC_HEADER_DATA; i += sizeof word) {
        __builtin_memcpy(&word, l->head + i, sizeof word);
        hash = (hash ^ hash >> 29 ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    }
    return hash;
}
#endif

/* The same for the first line of a packet.  Debug builds leave a check of it, so that a line that
 * somebody has written over is not taken for a packet. */
static inline void nic_ring_publish_header(struct nic_ring *r, uint64_t pos, uint64_t word0)
{
#if NIC_DEBUG
    uint64_t check = nic_ring_check_of(r, pos, word0);
    atomic_store_explicit(&r->check[pos % NIC_RING_LINES], check, memory_order_relaxed);
#endif
    nic_ring_publish(r, pos, word0);
}

/* Single consumer.  True: line `pos`, which has this word 0, is a header as its sender wrote it, or
 * this is no debug build. */
static inline bool nic_ring_header_sound(struct nic_ring *r, uint64_t pos, uint64_t word0)
{
#if NIC_DEBUG
    uint64_t check = nic_ring_check_of(r, pos, word0);
    return atomic_load_explicit(&r->check[pos % NIC_RING_LINES], memory_order_relaxed) == check;
#else
    return (void)r, (void)pos, word0;
#endif
}

/* Single consumer.  Word 0 of line `pos` if it has been published, else 0: R0, pairs with W0. */
static inline uint64_t nic_ring_peek(struct nic_ring *r, uint64_t pos)
{
    uint64_t w = atomic_load_explicit(&nic_ring_at(r, pos)->word0, memory_order_acquire);
    return (w & 0xffff) == nic_ring_stamp(pos) ? w : 0;
}

/* Single consumer.  Gives back every line before `pos`: R1, pairs with W1. */
static inline void nic_ring_return(struct nic_ring *r, uint64_t pos)
{
    atomic_store_explicit(&r->head, pos, memory_order_release);
}

/* Single consumer, who has given back every line before `pos`: if nobody has reserved one since,
 * the next packet goes to the first line again.  Returns where it will be. */
static inline uint64_t nic_ring_restart(struct nic_ring *r, uint64_t pos)
{
    uint64_t expected = pos, first = (pos / NIC_RING_LINES + 1) * NIC_RING_LINES;
    if (atomic_load_explicit(&r->tail, memory_order_relaxed) != pos
        || !atomic_compare_exchange_strong_explicit(&r->tail, &expected, first,
                                                    memory_order_relaxed, memory_order_relaxed))
        return pos;
    nic_ring_return(r, first);      /* not before: who reserves must not take these for free */
    return first;
}

#endif
