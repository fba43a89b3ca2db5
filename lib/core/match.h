/* What MPI's messages have as match bits (fw_match_bits). */
#ifndef MPI_MATCH_H
#define MPI_MATCH_H

#include "core/comm.h"
#include "fw/fw.h"

/* Messages of a collective have its number in place of a tag, in these bits, and above it what is
 * called (coll/fingerprint.h). */
enum { MPI_MATCH_NUMBER = 0xffff };     /* with the bit of persistent ones */

static inline uint64_t mpi_match_send(const struct mpi_comm *c, int tag)
{
    return fw_match_bits(c->context, (uint32_t)c->rank, (uint32_t)tag);
}

static inline void mpi_match_recv(const struct mpi_comm *c, int source, int tag, uint64_t *match,
                                  uint64_t *mask)
{
    bool any_source = source == MPI_ANY_SOURCE, any_tag = tag == MPI_ANY_TAG;
    *mask = (any_source ? FW_ANY_SOURCE : 0) | (any_tag ? FW_ANY_TAG : 0);
    *match = fw_match_bits(c->context, any_source ? 0 : (uint32_t)source,
                           any_tag ? 0 : (uint32_t)tag);
}

/* In the place of the source: a rank of the job, where others have a rank of the communicator and
 * the same tag (partitioned communication's first messages).  Counted from the other end, so that
 * up to 32,767 ranks none is taken for the other. */
static inline uint32_t mpi_match_world(int rank) { return 0xffff - (uint32_t)rank; }
static inline int mpi_match_world_rank(uint64_t match) { return 0xffff - fw_match_source(match); }

#endif
