/* The meetings of ranks that copy through windows (window.h). */
#include "coll/window.h"

#include "nicemu/heap.h"
#include "nicemu/threads.h"

struct mpi_coll_plan mpi_window_exchange(struct mpi_window_op *o, struct mpi_blocks *all)
{
    *all = (struct mpi_blocks){ .buf = o->offer, .count = 1, .unit = sizeof *o->offer, .last = -1 };
    return (struct mpi_coll_plan){ .call = o->p->call, .c = o->x->c, .meeting = true,
                                   .kind = MPI_COLL_ALLGATHER, .recv = all,
                                   .bytes = sizeof *o->offer };
}

static struct mpi_coll_call call_of(const struct mpi_window_op *o, int rank)
{
    const struct mpi_window_offer *offer = &o->offer[rank];
    return mpi_coll_call_own(o->p->call, mpi_coll_shown(o->x->c, rank), o->p->kind, offer->takes,
                             (int)offer->root);
}

/* Every rank finds the same: no pair of them disagrees on anything. */
static bool all_agree(struct mpi_window_op *o)
{
    const struct mpi_window_offer *first = &o->offer[0];
    for (int i = 0; i < o->x->size; i++) {
        const struct mpi_window_offer *other = &o->offer[i];
        struct mpi_coll_call one = call_of(o, 0), two = call_of(o, i);
        if (other->root != first->root || other->takes != first->takes)
            o->x->class = mpi_coll_describe_mismatch(&one, &two, o->x->why.text,
                                                     sizeof o->x->why.text);
        if (o->x->class)
            return false;
    }
    return true;
}

/* Where the others' windows are.  False: a rank has none, which all see. */
static bool find_all(struct mpi_window_op *o)
{
    for (int i = 0; i < o->x->size; i++) {
        unsigned world = (unsigned)mpi_comm_peer(o->x->c, i);
        char *window = nic_heap_at(mpi_nic, world, o->offer[i].window, MPI_WINDOW_BYTES);
        if (!window)
            return false;
        o->at[i] = window + MPI_WINDOW_HEAD;
    }
    o->head = (struct mpi_window_head *)(void *)(o->at[0] - MPI_WINDOW_HEAD);
    o->awaited = o->offer[0].arrivals + (uint64_t)o->x->size;
    return true;
}

enum mpi_window_met mpi_window_find(struct mpi_window_op *o)
{
    if (!all_agree(o))
        return MPI_WINDOW_FAILED;
    return find_all(o) ? MPI_WINDOW_MET : MPI_WINDOW_MISSING;
}

/* Blocks of an all-gather whose longest is as long as the others' may still be expected in another
 * length than they were given in.  Only this rank knows: the others need it until all is copied. */
void mpi_window_compare(struct mpi_window_op *o)
{
    for (int i = 0; o->p->kind == MPI_COLL_ALLGATHER && !o->x->class && i < o->x->size; i++) {
        size_t expects = mpi_block_bytes(o->p->recv, i);
        if (o->offer[i].gives != expects)
            mpi_coll_fail_length(o->x, i, o->offer[i].gives, o->x->rank, expects);
    }
}

bool mpi_window_have_met(const struct mpi_window_op *o)
{
    return atomic_load_explicit(&o->head->arrivals, memory_order_acquire) >= o->awaited;
}

/* The last to come wakes the others: their hosts, or the threads of their NICs. */
void mpi_window_arrive(struct mpi_window_op *o)
{
    uint64_t before = atomic_fetch_add_explicit(&o->head->arrivals, 1, memory_order_acq_rel);
    o->arrived = true;
    for (int i = 0; before + 1 == o->awaited && i < o->x->size; i++)
        if (i != o->x->rank)
            nic_notify_service(mpi_nic, (unsigned)mpi_comm_peer(o->x->c, i));
}
