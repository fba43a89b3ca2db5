/* A long transfer of which both ends copy a share: who has a chunk has claimed it in the origin's
 * control block, so that whoever comes first, or alone, does what is left. */
#ifndef MPI_RMA_CHUNKS_H
#define MPI_RMA_CHUNKS_H

#include <stdbool.h>

#include "rma/control.h"

enum {
    MPI_RMA_SHARED_MIN = 128 * 1024,        /* bytes from which on it pays to ask the target */
    MPI_RMA_SHARED_MAX = 4 * 1024 * 1024,   /* at a time: its handler takes a share of them */
    MPI_RMA_CHUNK = 64 * 1024, MPI_RMA_CHUNKS = 16, MPI_RMA_PAGE = 4096
};

/* What a request to help carries besides: where the data are at the origin. */
struct mpi_rma_help { uint64_t address, bytes; };

static inline size_t mpi_rma_chunk_bytes(size_t bytes)
{
    const size_t some = (bytes / MPI_RMA_CHUNKS + MPI_RMA_PAGE - 1) & ~(size_t)(MPI_RMA_PAGE - 1);
    return some > MPI_RMA_CHUNK ? some : MPI_RMA_CHUNK;
}

static inline uint32_t mpi_rma_chunks(size_t bytes)
{
    const size_t each = mpi_rma_chunk_bytes(bytes);
    return (uint32_t)((bytes + each - 1) / each);
}

/* The next chunk of that request that nobody has; false: none is left, or it is over. */
static inline bool mpi_rma_claim(struct mpi_rma_answers *a, uint32_t number, uint32_t chunks,
                                 uint32_t *chunk)
{
    uint64_t claims = __atomic_load_n(&a->claims, __ATOMIC_ACQUIRE);
    do {
        *chunk = (uint32_t)claims;
        if (claims >> 32 != number || *chunk >= chunks)
            return false;
    } while (!__atomic_compare_exchange_n(&a->claims, &claims, claims + 1, false,
                                          __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    return true;
}

#endif
