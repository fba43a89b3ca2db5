/* All-gather: a ring; or past the cores all to one rank and back, so that each rank gets a core
 * twice, not once per step. */
#include "coll/build.h"
#include "coll/choice.h"

/* To rank 0, which sends all blocks back in one message; they are one behind the other. */
static void there_and_back(struct mpi_build *b, const struct mpi_blocks *packed, size_t sum)
{
    const void *own = b->rank ? mpi_block_at(packed, b->rank) : NULL;
    mpi_build_gather(b, own, mpi_block_bytes(packed, b->rank), packed, 0);
    mpi_build_bcast(b, (void *)(uintptr_t)packed->buf, sum, 0);
}

/* Displacements may differ from rank to rank, and the gaps are the user's: so the blocks travel
 * packed, in other memory. */
static void packed_there_and_back(struct mpi_build *b, const struct mpi_blocks *blocks, size_t sum)
{
    char *memory = mpi_build_memory(b, sum);
    struct mpi_own_block *part = mpi_build_memory(b, sizeof *part * (size_t)b->size);
    struct mpi_blocks packed = { .buf = memory, .parts = part };
    if (!memory || !part)
        return;
    for (int i = 0; i < b->size; i++) {
        part[i] = (struct mpi_own_block){ memory, mpi_block_bytes(blocks, i) };
        memory += part[i].bytes;
    }
    size_t own = mpi_block_bytes(blocks, b->rank);
    mpi_build_copy(b, mpi_block_at(&packed, b->rank), mpi_block_at(blocks, b->rank), own);
    there_and_back(b, &packed, sum);
    for (int i = 0; i < b->size; i++)
        if (i != b->rank)
            mpi_build_copy(b, mpi_block_at(blocks, i), mpi_block_at(&packed, i),
                           mpi_block_bytes(blocks, i));
}

void mpi_build_allgather(struct mpi_build *b, const struct mpi_blocks *blocks)
{
    size_t sum = 0;
    for (int i = 0; i < b->size; i++)
        sum += mpi_block_bytes(blocks, i);
    if (mpi_choose(mpi_choices_allgather, b->crowded, b->size, sum, 0) == MPI_ALGORITHM_RING)
        mpi_build_ring(b, blocks);
    else if (blocks->counts.array)
        packed_there_and_back(b, blocks, sum);
    else
        there_and_back(b, blocks, sum);
}
