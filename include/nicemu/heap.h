/* The heap: per rank a part of the job's memory that every rank of the machine has mapped, so that
 * a peer's engine reads and writes it directly, with no help of the kernel.  Sparse: only pages
 * that were touched cost memory, and those of large blocks are given back when they are freed.
 *
 * Blocks are named by their offset in the rank's heap.  Any thread may call any of these, without
 * the baton: a lock of its own orders them. */
#ifndef NICEMU_HEAP_H
#define NICEMU_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct nic;

#define NIC_HEAP_NONE UINT64_MAX

enum {
    /* bytes: every block has at least this alignment, and cache lines of its own */
    NIC_HEAP_ALIGN = 64,
    NIC_HEAP_LARGE = 256 * 1024,            /* bytes: from here on blocks have pages of their own */
};

/* The offset of a new block of `bytes` (at least one is taken), whose address in this process is a
 * multiple of `align`, a power of two.  One beyond a page takes `align` more, less a page, so that
 * what fits is the same in each run.  Its contents are undefined.  NIC_HEAP_NONE: no room, no heap,
 * or a wrong alignment. */
uint64_t nic_heap_alloc(struct nic *nic, size_t bytes, size_t align);

/* Frees a block.  False: no block begins at that offset. */
bool nic_heap_free(struct nic *nic, uint64_t offset);

/* A rank's heap as this process sees it; NULL if [offset, offset + bytes) is not inside it, or
 * there is no such rank. */
void *nic_heap_at(struct nic *nic, unsigned rank, uint64_t offset, size_t bytes);

/* The way back: the offset of an address in this rank's own
 * heap, NIC_HEAP_NONE for any other address. */
uint64_t nic_heap_offset(struct nic *nic, const void *address);

/* Maps whole pages of a block of this rank's own heap at an address of this process besides, in
 * place of what is there: what is stored by either way is seen by both, and by all ranks.  offset,
 * bytes and `at` are multiples of a page.  0 or a negative errno; undone by mapping other memory
 * there. */
int nic_heap_map(struct nic *nic, uint64_t offset, size_t bytes, void *at);

/* The first pages from *offset on, below `end`, of this rank's own heap that were ever touched:
 * *offset and *bytes say where.  False: none.  What lies between such pages is all zeros, and reads
 * of it take memory. */
bool nic_heap_touched(struct nic *nic, uint64_t *offset, uint64_t end, size_t *bytes);

/* Gives whole pages of a block back to the machine: all zeros from now on, by whatever address.
 * False: not possible, and they may be as they were. */
bool nic_heap_clear(struct nic *nic, uint64_t offset, size_t bytes);

/* Bytes per rank; 0: there is no heap in this process. */
size_t nic_heap_size(const struct nic *nic);

/* That rank's process has the heaps of all ranks mapped; false until it has opened its NIC. */
bool nic_heap_mapped_by(struct nic *nic, unsigned rank);

struct nic_heap_usage {
    uint64_t bytes, blocks;         /* now, as handed out (rounded up, with what alignment takes) */
    uint64_t high;                  /* most bytes at any time */
    uint64_t refusals;              /* requests for which there was no room */
};
void nic_heap_used(struct nic *nic, struct nic_heap_usage *usage);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
