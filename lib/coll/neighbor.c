/* Neighbourhood collectives: a message along each edge, all at once.  Of several edges between the
 * same two ranks, messages find their places by their order: the first to be sent is the first to
 * be received.  In a grid what goes in the negative direction comes from the positive one: where
 * both neighbours of a dimension are the same rank, its two places are filled the other way
 * round. */
#include "coll/build.h"
#include "core/topo.h"

/* Which block is the i-th to be received. */
static int place(const struct mpi_topo *t, int i)
{
    return t->kind == MPI_CART ? i ^ 1 : i;
}

static void receive_all(struct mpi_build *b, const struct mpi_topo *t,
                        const struct mpi_blocks *recv)
{
    for (int i = 0; i < t->in; i++) {
        int k = place(t, i), peer = t->source[k];
        if (peer != MPI_PROC_NULL && peer != b->rank)
            mpi_build_recv(b, peer, mpi_block_at(recv, k), mpi_block_bytes(recv, k));
    }
}

static void send_all(struct mpi_build *b, const struct mpi_topo *t, const struct mpi_blocks *send)
{
    for (int k = 0; k < t->out; k++) {
        int peer = t->dest[k];
        if (peer != MPI_PROC_NULL && peer != b->rank)
            mpi_build_send(b, peer, mpi_block_at(send, k), mpi_block_bytes(send, k));
    }
}

/* The next edge to the rank itself, from number k on; `out`: none. */
static int own_edge(const struct mpi_build *b, const struct mpi_topo *t, int k)
{
    while (k < t->out && t->dest[k] != b->rank)
        k++;
    return k;
}

static void copy_own(struct mpi_build *b, const struct mpi_topo *t, const struct mpi_blocks *send,
                     const struct mpi_blocks *recv)
{
    int from = own_edge(b, t, 0);
    for (int i = 0; i < t->in && from < t->out; i++) {
        int to = place(t, i);
        if (t->source[to] != b->rank)
            continue;
        size_t out = mpi_block_bytes(send, from), in = mpi_block_bytes(recv, to);
        mpi_build_copy(b, mpi_block_at(recv, to), mpi_block_at(send, from), out < in ? out : in);
        from = own_edge(b, t, from + 1);
    }
}

void mpi_build_neighbor(struct mpi_build *b, const struct mpi_topo *t,
                        const struct mpi_blocks *send, const struct mpi_blocks *recv)
{
    receive_all(b, t, recv);
    send_all(b, t, send);
    copy_own(b, t, send, recv);
    mpi_build_wait(b);
}
