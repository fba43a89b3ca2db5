/* All-to-all: every rank sends to all, beginning with its neighbour; a window bounds what is under
 * way at once. */
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

/* In place: the blocks that are sent move aside first. */
static bool copy_aside(struct mpi_build *b, struct mpi_blocks *aside, const struct mpi_blocks *from)
{
    struct mpi_own_block *part = mpi_build_memory(b, sizeof *part * (size_t)b->size);
    size_t sum = 0;
    for (int i = 0; i < b->size; i++)
        sum += mpi_block_bytes(from, i);
    char *copy = mpi_build_memory(b, sum);
    if (!part || !copy)
        return false;
    for (int i = 0; i < b->size; i++) {
        part[i] = (struct mpi_own_block){ copy, mpi_block_bytes(from, i) };
        mpi_build_read(b, copy, mpi_block_at(from, i), part[i].bytes);
        copy += part[i].bytes;
    }
    *aside = (struct mpi_blocks){ .parts = part };
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
    else if (copy_aside(b, &aside, recv))
        exchange(b, &aside, recv);
}
