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
    c->lowest = UINT64_MAX / below(c->block);
    c->used = 0;
    c->settled = true;
}

bool nic_alpu_cells_open(const struct nic_alpu_cells *c)
{
    return block_at(c, 0) != all_of(c, 0) || may_leave(c, 0);
}

/* Cells of the word that there are. */
static uint64_t cells_of(const struct nic_alpu_cells *c, unsigned word)
{
    return c->total - word * 64 < 64 ? below(c->total - word * 64) : UINT64_MAX;
}

static unsigned words(const struct nic_alpu_cells *c) { return (c->total + 63) / 64; }

/* Of the cells in this word, those below the highest hole of their block. */
static uint64_t under_holes(const struct nic_alpu_cells *c, unsigned word)
{
    uint64_t smeared = ~c->valid[word] & cells_of(c, word), highest = c->lowest << (c->block - 1);
    uint64_t keep = ~highest;       /* what moves down by one stays in its block */
    smeared = smeared >> 1 & keep;
    for (unsigned by = 1; by < c->block; by *= 2) {
        smeared |= smeared >> by & keep;
        keep &= keep >> by;
    }
    return smeared;
}

/* All cells of the blocks that entries may leave: the lowest cell of the next block is empty. */
static uint64_t left_blocks(const struct nic_alpu_cells *c, unsigned word)
{
    uint64_t empty = ~c->valid[word] & cells_of(c, word) & c->lowest;
    uint64_t lowest = empty >> c->block;
    if (word + 1 < words(c) && !(c->valid[word + 1] & 1))
        lowest |= UINT64_C(1) << (64 - c->block);
    return lowest * below(c->block);
}

/* What lies below the highest hole of its block moves up by one cell; all of the block, when the
 * next one's lowest cell is empty.  All blocks of a word at once. */
void nic_alpu_cells_step(struct nic_alpu_cells *c, bool insert)
{
    if (c->settled && !insert)
        return;
    uint64_t carry = insert, moved = 0;     /* a carry finds the lowest cell empty */
    for (unsigned w = 0; w < words(c); w++) {
        uint64_t v = c->valid[w];
        if (v) {        /* the next word is as it was before this cycle */
            uint64_t up = v & (under_holes(c, w) | left_blocks(c, w));
            c->valid[w] = (v & ~up) | up << 1 | carry;
            carry = up >> 63;
            moved |= up;
        } else {
            c->valid[w] = carry;
            carry = 0;
        }
    }
    c->used += insert;
    c->settled = !insert && !moved;
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
