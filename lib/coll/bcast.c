/* Broadcast along a tree; long messages to several ranks as scatter and ring, so that no link
 * carries the message twice. */
#include "coll/build.h"
#include "coll/choice.h"
#include "coll/tree.h"
#include "coll/tuning.h"

/* A latency of as many units as there are ranks gives a star: nobody waits for a rank that has to
 * pass the message on and is late. */
static int latency(const struct mpi_build *b, size_t bytes)
{
    bool packet = b->packets && bytes <= FW_STEP_BYTES;
    if (!packet && b->bypass && bytes <= MPI_BYPASS_BYTES)
        return b->size;
    return packet ? MPI_TREE_PACKET_LATENCY : MPI_TREE_MESSAGE_LATENCY;
}

static void along_tree(struct mpi_build *b, void *data, size_t bytes, int root)
{
    const int *parent = mpi_tree_postal(b->size, latency(b, bytes));
    int v = (b->rank - root + b->size) % b->size;
    if (!parent) {
        b->s->failed = true;
        return;
    }
    if (v)
        mpi_build_take(b, (parent[v] + root) % b->size, data, bytes);
    for (int i = v + 1; i < b->size; i++)
        if (parent[i] == v)
            mpi_build_send(b, (i + root) % b->size, data, bytes);
    mpi_build_wait(b);
}

static void scatter_and_ring(struct mpi_build *b, void *data, size_t bytes, int root)
{
    size_t ranks = (size_t)b->size;
    struct mpi_blocks parts = { .buf = data, .count = bytes / ranks, .unit = 1,
                                .longer = bytes % ranks, .last = b->size - 1 };
    void *own = mpi_block_at(&parts, b->rank);
    mpi_build_scatter(b, &parts, own, mpi_block_bytes(&parts, b->rank), root);
    mpi_build_ring(b, &parts);
}

void mpi_build_bcast(struct mpi_build *b, void *data, size_t bytes, int root)
{
    if (mpi_choose(mpi_choices_bcast, b->crowded, b->size, bytes, 0) == MPI_ALGORITHM_SCATTER_RING)
        scatter_and_ring(b, data, bytes, root);
    else
        along_tree(b, data, bytes, root);
}
