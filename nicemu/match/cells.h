/* Which cells of an associative list processing unit hold an entry: one bit per cell, cell 0 the
 * lowest. Entries lie in order, the oldest highest; what they are is for the matching store to
 * know. */
#ifndef NIC_MATCH_CELLS_H
#define NIC_MATCH_CELLS_H

#include <stdbool.h>
#include <stdint.h>

/* of 64 cells each; blocks, of a power of two up to 32, don't cross them */
enum { NIC_ALPU_WORDS = 16 };

struct nic_alpu_cells {
    unsigned total, block, used;
    bool settled;                   /* the last step moved nothing and nothing was inserted since */
    uint64_t valid[NIC_ALPU_WORDS];
    uint64_t lowest;                /* in each word: the lowest cell of each block */
};

/* Empty, after `total` and `block` have been set. */
void nic_alpu_cells_clear(struct nic_alpu_cells *cells);
/* An entry can enter: the lowest cell is empty, or moves up in this cycle. */
bool nic_alpu_cells_open(const struct nic_alpu_cells *cells);
/* One cycle of closing holes; with `insert`, which takes nic_alpu_cells_open,
 * an entry enters the lowest cell. */
void nic_alpu_cells_step(struct nic_alpu_cells *cells, bool insert);
/* Deletes the entry in front of which there are so many older
 * ones; everything below moves up by one cell. */
void nic_alpu_cells_take(struct nic_alpu_cells *cells, unsigned position);
/* Entries older than that in `cell`; -1: the cell is empty. */
int nic_alpu_cells_position(const struct nic_alpu_cells *cells, unsigned cell);

#endif
