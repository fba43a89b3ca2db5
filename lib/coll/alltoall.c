/* All-to-all: every rank sends to all, beginning with its neighbour; a window bounds what is under
 * way at once. */
#include <string.h>

#include "coll/build.h"
#include "coll/tuning.h"

/* The ranks at distance first..end-1. */
static void window(struct mpi_build *b, const struct mpi_blocks *send,
                   const struct mpi_blocks *recv, int first, int end)
{
    int n = b->size;
    for (int d = first; d < end; d++) {
        int to = (b->rank + d) % n;
        mpi_build_send(b, to, mpi_block_at(send, to), mpi_block_bytes(send, to));
    }
    for (int d = first; d < end; d++) {
        int from = (b->rank - d + n) % n;
        mpi_build_recv(b, from, mpi_block_at(recv, from), mpi_block_bytes(recv, from));
    }
    mpi_build_wait(b);
}

/* In place: the blocks that are sent move aside first.  Counts of a legal call in place fit an int
 * together, as displacements do. */
static bool copy_aside(struct mpi_build *b, struct mpi_blocks *aside, const struct mpi_blocks *from,
                       int *displs)
{
    size_t sum = 0;
    int next = 0;
    for (int i = 0; i < b->size; i++)
        sum += mpi_block_bytes(from, i);
    char *copy = mpi_build_memory(b, sum);
    *aside = *from;
    aside->buf = copy;
    if (from->counts)
        aside->displs = displs;
    if (!copy || !displs)
        return false;
    for (int i = 0; i < b->size; i++) {
        displs[i] = next;
        next += from->counts ? from->counts[i] : 0;
        if (mpi_block_bytes(from, i))
            memcpy(mpi_block_at(aside, i), mpi_block_at(from, i), mpi_block_bytes(from, i));
    }
    return true;
}

static void exchange(struct mpi_build *b, const struct mpi_blocks *send,
                     const struct mpi_blocks *recv)
{
    size_t out = mpi_block_bytes(send, b->rank), in = mpi_block_bytes(recv, b->rank);
    mpi_build_copy(b, mpi_block_at(recv, b->rank), mpi_block_at(send, b->rank),
                   out < in ? out : in);
    for (int d = 1; d < b->size; d += MPI_ALLTOALL_WINDOW)
        window(b, send, recv, d,
               d + MPI_ALLTOALL_WINDOW < b->size ? d + MPI_ALLTOALL_WINDOW : b->size);
}

void mpi_build_alltoall(struct mpi_build *b, const struct mpi_blocks *send,
                        const struct mpi_blocks *recv)
{
    struct mpi_blocks aside;
    if (send)
        exchange(b, send, recv);
    else if (copy_aside(b, &aside, recv, mpi_build_memory(b, sizeof(int) * (size_t)b->size)))
        exchange(b, &aside, recv);
}
