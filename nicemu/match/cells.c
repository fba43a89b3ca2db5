#include <string.h>

#include "match/cells.h"

static uint64_t below(unsigned bit) { return (UINT64_C(1) << bit) - 1; }

static bool is_valid(const struct nic_alpu_cells *c, unsigned cell)
{
    return c->valid[cell / 64] >> (cell % 64) & 1;
}

/* All cells of the block at `low`; the highest block may be a short one. */
static uint64_t all_of(const struct nic_alpu_cells *c, unsigned low)
{
    return below(c->total - low < c->block ? c->total - low : c->block);
}

static uint64_t block_at(const struct nic_alpu_cells *c, unsigned low)
{
    return c->valid[low / 64] >> (low % 64) & all_of(c, low);
}

/* Entries of the block at `low` may leave it: the lowest cell of the next block is empty. */
static bool may_leave(const struct nic_alpu_cells *c, unsigned low)
{
    return low + c->block < c->total && !is_valid(c, low + c->block);
}

void nic_alpu_cells_clear(struct nic_alpu_cells *c)
{
    memset(c->valid, 0, sizeof c->valid);
    c->used = 0;
    c->settled = true;
}

bool nic_alpu_cells_open(const struct nic_alpu_cells *c)
{
    return block_at(c, 0) != all_of(c, 0) || may_leave(c, 0);
}

/* A block of the cells in `all` after a cycle: what lies below its highest hole moves up by one
 * cell; all of it, when the next block's lowest cell is empty. */
static uint64_t moved(uint64_t all, uint64_t v, bool leave)
{
    uint64_t holes = ~v & all;
    if (leave)
        return v << 1 & all;
    if (!holes)
        return v;
    uint64_t under = below(63 - (unsigned)__builtin_clzll(holes));
    return (v & ~under) | (v & under) << 1;
}

void nic_alpu_cells_step(struct nic_alpu_cells *c, bool insert)
{
    if (c->settled && !insert)
        return;
    uint64_t next[NIC_ALPU_WORDS] = { 0 }, carry = insert;
    for (unsigned low = 0; low < c->total; low += c->block) {
        uint64_t v = block_at(c, low);
        bool leave = may_leave(c, low);
        /* a carry finds the lowest cell empty: that is what let it leave */
        next[low / 64] |= (moved(all_of(c, low), v, leave) | carry) << (low % 64);
        carry = leave ? v >> (c->block - 1) : 0;
    }
    c->used += insert;
    c->settled = !insert && !memcmp(next, c->valid, sizeof next);
    memcpy(c->valid, next, sizeof next);
}

/* The cell of the entry with so many older ones. */
static unsigned cell_at(const struct nic_alpu_cells *c, unsigned position)
{
    unsigned w = (c->total - 1) / 64, n;
    for (; position >= (n = (unsigned)__builtin_popcountll(c->valid[w])); w--)
        position -= n;
    uint64_t v = c->valid[w];
    for (; position; position--)
        v &= ~(UINT64_C(1) << (63 - __builtin_clzll(v)));
    return w * 64 + 63 - (unsigned)__builtin_clzll(v);
}

void nic_alpu_cells_take(struct nic_alpu_cells *c, unsigned position)
{
    unsigned cell = cell_at(c, position), w = cell / 64;
    uint64_t under = below(cell % 64), above = ~under & ~(UINT64_C(1) << (cell % 64));
    c->valid[w] = (c->valid[w] & above) | (c->valid[w] & under) << 1;
    for (; w; w--) {
        c->valid[w] |= c->valid[w - 1] >> 63;
        c->valid[w - 1] <<= 1;
    }
    c->used--;
}

int nic_alpu_cells_position(const struct nic_alpu_cells *c, unsigned cell)
{
    if (cell >= c->total || !is_valid(c, cell))
        return -1;
    unsigned n = (unsigned)__builtin_popcountll(c->valid[cell / 64] >> (cell % 64)) - 1;
    for (unsigned w = cell / 64 + 1; w < NIC_ALPU_WORDS; w++)
        n += (unsigned)__builtin_popcountll(c->valid[w]);
    return (int)n;
}
