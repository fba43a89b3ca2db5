/* Gather and scatter: the root exchanges with everybody directly, as on one machine no rank in
 * between makes it faster; and the ring by which blocks go to all. */
#include "coll/build.h"

void mpi_build_gather(struct mpi_build *b, const void *own, size_t bytes,
                      const struct mpi_blocks *blocks, int root)
{
    if (b->rank != root) {
        mpi_build_send_to_one(b, root, own, bytes);
        mpi_build_wait(b);
        return;
    }
    for (int i = 0; i < b->size; i++)
        if (i != root)
            mpi_build_recv(b, i, mpi_block_at(blocks, i), mpi_block_bytes(blocks, i));
    if (own)
        mpi_build_copy(b, mpi_block_at(blocks, root), own, bytes);
    mpi_build_wait(b);
}

void mpi_build_vector(struct mpi_build *b, const struct mpi_coll_vector *v)
{
    const struct mpi_coll_plan *p = v->p;
    bool root = b->rank == p->root;
    b->packets = false;             /* lengths are those of messages, whatever they are */
    if (!root)
        mpi_build_send_to_one(b, p->root, p->from, p->own_bytes);
    for (int i = 0; i < b->size && root; i++)
        if (i != b->rank && v->comes(v, i))
            mpi_build_recv(b, i, mpi_block_at(p->recv, i), mpi_block_bytes(p->recv, i));
    mpi_build_wait(b);
}

void mpi_build_scatter(struct mpi_build *b, const struct mpi_blocks *blocks, void *own,
                       size_t bytes, int root)
{
    if (b->rank != root) {
        mpi_build_take(b, root, own, bytes);
        return;
    }
    for (int i = 0; i < b->size; i++)
        if (i != root)
            mpi_build_send(b, i, mpi_block_at(blocks, i), mpi_block_bytes(blocks, i));
    if (own)
        mpi_build_copy(b, own, mpi_block_at(blocks, root), bytes);
    mpi_build_wait(b);
}

void mpi_build_ring(struct mpi_build *b, const struct mpi_blocks *blocks)
{
    int n = b->size, next = (b->rank + 1) % n, before = (b->rank + n - 1) % n;
    for (int step = 0; step < n - 1; step++) {
        int out = (b->rank - step + n) % n, in = (b->rank - step - 1 + n) % n;
        mpi_build_send(b, next, mpi_block_at(blocks, out), mpi_block_bytes(blocks, out));
        mpi_build_recv(b, before, mpi_block_at(blocks, in), mpi_block_bytes(blocks, in));
        mpi_build_wait(b);
    }
}
