/* Broadcast along a tree; long messages to several ranks as scatter and ring, so that no link
 * carries the message twice. */
#include "coll/build.h"
#include "coll/choice.h"
#include "coll/tree.h"
#include "coll/tuning.h"
#include "fw/multi.h"

/* A latency of as many units as there are ranks gives a star: nobody waits for a rank that has to
 * pass the message on and is late. */
static int latency(const struct mpi_build *b, size_t bytes)
{
    bool packet = b->packets && bytes <= FW_STEP_BYTES;
    if (!packet && b->bypass == MPI_BYPASS_HOST && bytes <= MPI_BYPASS_BYTES)
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

/* -- past ranks that are late: the NICs send on what comes from the root */

static bool by_nics(const struct mpi_build *b, size_t bytes)
{
    return b->bypass == MPI_BYPASS_NIC && b->size > 2 && bytes <= mpi_bypass_most()
           && mpi_fw_multi_fits(mpi_bypass_packet(), (unsigned)b->size - 1);
}

/* Packet by packet: each is sent on while the next one comes. */
static void by_packets(struct mpi_build *b, char *data, size_t bytes, int root)
{
    const size_t most = mpi_bypass_packet();
    const bool one = b->packets && bytes <= FW_STEP_BYTES;
    const unsigned latency = one ? MPI_TREE_PACKET_LATENCY : MPI_TREE_MESSAGE_LATENCY;
    size_t at = 0;
    do {
        const size_t part = one || bytes - at < most ? bytes - at : most;
        if (b->rank == root)
            mpi_build_multi(b, data + at, part, latency);
        else
            mpi_build_recv(b, root, data + at, part);
        at += part;
    } while (at < bytes);
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
    if (by_nics(b, bytes))
        by_packets(b, data, bytes, root);
    else if (mpi_choose(mpi_choices_bcast, b->crowded, b->size, bytes, 0)
             == MPI_ALGORITHM_SCATTER_RING)
        scatter_and_ring(b, data, bytes, root);
    else
        along_tree(b, data, bytes, root);
}
