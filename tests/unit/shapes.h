/* Random transfers and what should come of them, byte by byte. */
#ifndef SHAPES_H
#define SHAPES_H

#include "loop.h"

enum { ARENA = 128 * 1024, BLOCKS = 400 };

/* One side of a transfer: `start` is where its base lies in an arena. */
struct side { struct nic_shape shape; uint64_t start; struct nic_block list[BLOCKS]; };

static inline uint64_t gcd(uint64_t a, uint64_t b) { return b ? gcd(b, a % b) : a; }

static inline void strided_side(struct side *s, uint64_t total, uint64_t *random, bool source)
{
    uint64_t block = gcd(total, 1 + loop_below(random, (uint32_t)total)), count = total / block;
    uint64_t slack = count > 1 ? (ARENA - total) / (count - 1) : 0;
    uint64_t stride = source && !loop_below(random, 8) ? loop_below(random, (uint32_t)block)
                      : block + loop_below(random, (uint32_t)slack + 1);
    uint64_t span = stride * (count - 1) + block,
        at = loop_below(random, (uint32_t)(ARENA - span + 1));
    bool down = loop_below(random, 3) == 0;
    s->shape = (struct nic_shape){ block, down ? -(int64_t)stride : (int64_t)stride, count, NULL };
    s->start = down ? at + stride * (count - 1) : at;
}

/* Blocks in their order in memory, with holes, some empty; then they are shuffled. */
static inline void listed_side(struct side *s, uint64_t total, uint64_t *random)
{
    unsigned count = 0;
    uint64_t at = 0, left = total, holes;
    s->start = loop_below(random, 3000);
    holes = ARENA - s->start - total;
    while (left && count < BLOCKS) {
        uint64_t bytes = count == BLOCKS - 1 ? left
                         : loop_below(random, loop_below(random, 8) ? 40 : (uint32_t)total + 1);
        uint64_t hole = loop_below(random, 2) ? loop_below(random,
                (uint32_t)(holes < 300 ? holes : 300) + 1) : 0;
        bytes = bytes < left ? bytes : left;
        at += hole;
        holes -= hole;
        s->list[count++] = (struct nic_block){ at, bytes };
        at += bytes;
        left -= bytes;
    }
    for (unsigned i = count; i > 1; i--) {
        unsigned j = loop_below(random, i);
        struct nic_block b = s->list[i - 1];
        s->list[i - 1] = s->list[j];
        s->list[j] = b;
    }
    s->shape = (struct nic_shape){ .count = count, .list = s->list };
}

static inline void random_side(struct side *s, uint64_t total, uint64_t *random, bool source)
{
    switch (loop_below(random, 4)) {
    case 0:
        s->shape = nic_contiguous(total);
        s->start = loop_below(random, (uint32_t)(ARENA - total + 1));
        break;
    case 1: listed_side(s, total, random); break;
    default: strided_side(s, total, random, source); break;
    }
}

/* Mostly small, sometimes more than a piece of the staged path. */
static inline uint64_t random_total(uint64_t *random)
{
    uint32_t a = 1 + loop_below(random, 60),
        b = 1 + loop_below(random, loop_below(random, 3) ? 40 : 1500);
    return (uint64_t)a * b;
}

/* The place in the arena of the i-th byte of a side, for i counting up. */
struct walk { const struct side *side; uint64_t block, done; };

static inline uint64_t walk_next(struct walk *w)
{
    const struct nic_shape *s = &w->side->shape;
    while (w->done == (s->list ? s->list[w->block].bytes : s->block)) {
        w->block++;
        w->done = 0;
    }
    uint64_t offset = s->list ? s->list[w->block].offset : (uint64_t)s->stride * w->block;
    return w->side->start + offset + w->done++;
}

static inline void move_bytes(const struct side *to, unsigned char *to_arena,
                              const struct side *from, const unsigned char *from_arena,
                                  uint64_t total)
{
    struct walk t = { to, 0, 0 }, f = { from, 0, 0 };
    while (total--) {
        uint64_t at = walk_next(&f);
        to_arena[walk_next(&t)] = from_arena[at];
    }
}

static inline void fill_random(void *to, size_t bytes, uint64_t *random)
{
    unsigned char *p = to;
    for (size_t i = 0; i < bytes; i++)
        p[i] = (unsigned char)(loop_random(random) >> 32);
}

#endif
