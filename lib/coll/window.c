/* The meetings of ranks that copy through windows (window.h). */
#include "coll/window.h"

#include "nicemu/heap.h"

static void by_slots(struct mpi_window_op *o, struct mpi_coll_plan *part)
{
    part->call = o->p->call;
    part->c = o->x->c;
    part->meeting = true;
    mpi_coll_shm_run(o->x, part);
}

void mpi_window_meet(struct mpi_window_op *o)
{
    by_slots(o, &(struct mpi_coll_plan){ .kind = MPI_COLL_BARRIER });
}

static void exchange(struct mpi_window_op *o)
{
    struct mpi_blocks all = { .buf = o->offer, .count = 1, .unit = sizeof *o->offer, .last = -1 };
    by_slots(o, &(struct mpi_coll_plan){ .kind = MPI_COLL_ALLGATHER, .recv = &all,
                                         .bytes = sizeof *o->offer });
}

static struct mpi_coll_call call_of(const struct mpi_window_op *o, int rank)
{
    const struct mpi_window_offer *offer = &o->offer[rank];
    return mpi_coll_call_own(o->p->call, rank, o->p->kind, offer->takes, (int)offer->root);
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
        else if (o->p->kind == MPI_COLL_ALLTOALL && other->gives != other->takes)
            mpi_coll_fail_length(o->x, i, other->gives, 0, first->takes);
        if (o->x->class)
            return false;
    }
    return true;
}

/* Where the others' windows are.  False: a rank has none, which all see. */
static bool find(struct mpi_window_op *o)
{
    for (int i = 0; i < o->x->size; i++) {
        unsigned world = (unsigned)mpi_comm_peer(o->x->c, i);
        o->at[i] = nic_heap_at(mpi_nic, world, o->offer[i].window, MPI_WINDOW_BYTES);
        if (!o->at[i])
            return false;
    }
    return true;
}

enum mpi_window_met mpi_window_meet_first(struct mpi_window_op *o)
{
    exchange(o);
    if (o->x->class || !all_agree(o))
        return MPI_WINDOW_FAILED;
    return find(o) ? MPI_WINDOW_MET : MPI_WINDOW_MISSING;
}
