/* What a rank cannot write to, and what its core files leave out.
 *
 * All of the segment is one mapping.  A rank makes what others own read only, and takes all rights
 * from the guard pages around its own inbox, scratchpad and heap, so that a write past the end of
 * its memory ends it there and then, in place of somebody else's data.  Peers write to each other's
 * inboxes, scratchpads and heaps by design: those stay open.
 *
 * That cuts the mapping into some twenty pieces, however many ranks there are (the kernel allows
 * 65,530).  Guards around everybody's memory would be six pieces for each rank, in each process:
 * small jobs only have those. */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "job/protect.h"
#include "job/segment.h"

enum { GUARDED_ALL_RANKS = 8 };

void nic_job_keep_small(const struct nic_job *j)
{
    madvise(j->base + j->layout.rings, j->mapped - j->layout.rings, MADV_DONTDUMP);
}

/* The page before an area of a rank and the one behind it. */
static void guard(unsigned char *area, uint64_t stride)
{
    mprotect(area - NIC_GUARD_BYTES, NIC_GUARD_BYTES, PROT_NONE);
    mprotect(area + stride - NIC_GUARD_BYTES, NIC_GUARD_BYTES, PROT_NONE);
}

static void guard_rank(const struct nic_job *j, unsigned rank)
{
    guard((unsigned char *)nic_job_ring(j, rank), j->layout.ring_stride);
    guard(nic_job_scratchpad(j, rank), j->layout.scratchpad_stride);
    if (j->heap)
        guard(nic_job_heap(j, rank), j->layout.heap_stride);
}

/* Where the kernel refuses one of these the rank goes on without that protection. */
void nic_job_protect(struct nic_job *j, unsigned rank)
{
    if (!j->protected) {
        mprotect(j->base, j->layout.state, PROT_READ);
        for (unsigned r = 0; j->layout.here <= GUARDED_ALL_RANKS && r < j->ranks; r++)
            if (nic_job_here(j, r))
                guard_rank(j, r);
    }
    j->protected = true;
    mprotect(nic_job_owned(j, rank), j->layout.owned_stride, PROT_READ | PROT_WRITE);
    if (j->layout.here > GUARDED_ALL_RANKS)
        guard_rank(j, rank);
    madvise(nic_job_ring(j, rank), j->layout.ring_stride - NIC_GUARD_BYTES, MADV_DODUMP);
}
