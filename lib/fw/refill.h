/* Buffers that one rank fills and others read, again and again.
 *
 * A line that was read is in several caches when it is written the next time.  With some
 * processors and pages that takes several times as long as with a line that another cache has
 * alone, modified (AMD EPYC 9004, virtual: 7 ns a line in place of 1.6, so that 1 MiB through
 * buffers takes 125 us in place of 45); with others it does not.  There a reader that is through
 * with a line does well to *claim* it: to write a byte of it anew, for 0.6 ns.  So who fills
 * buffers measures both from time to time, and asks the readers for what is quicker.
 *
 * All calls with the baton held. */
#ifndef FW_REFILL_H
#define FW_REFILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a buffer's lines are like when it is filled: not known, or as its last reader left them. */
enum fw_lines { FW_LINES_NEW, FW_LINES_READ, FW_LINES_CLAIMED, FW_LINES_COUNT };

struct fw_refill {
    bool never;                 /* nobody is asked, nothing measured: the model clock */
    bool trial, claims;
    uint32_t left;              /* fills of the trial, or until the next one */
    uint32_t least[FW_LINES_COUNT];     /* ns for FW_REFILL_BYTES, in this trial */
};

/* MPILITE_REFILL says what is always done, for tests. */
void mpi_fw_refill_init(struct fw_refill *refill, bool modelled);

/* How the reader of what is filled now is to leave the lines: claimed? */
static inline bool fw_refill_asks(const struct fw_refill *r)
{
    return r->trial ? r->left & 1 : r->claims;
}

/* Before a fill, and behind it, with what the first returned. */
uint64_t mpi_fw_refill_begin(const struct fw_refill *refill, enum fw_lines lines);
void mpi_fw_refill_end(struct fw_refill *refill, enum fw_lines lines, uint64_t begin,
                       size_t bytes);

/* By the reader, who has read them. */
void mpi_fw_refill_claim(void *lines, size_t bytes);

#endif
