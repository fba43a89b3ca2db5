/* Turn after turn through windows (window.h). */
#include "coll/window.h"

bool mpi_window_advance(struct mpi_window_op *o)
{
    if (o->arrived && !mpi_window_have_met(o))
        return false;
    if (o->arrived) {
        o->arrived = false;
        o->awaited += (uint64_t)o->x->size;
        o->turn++;
    }
    if (o->turn == o->turns)
        return true;
    if (o->p->r)
        mpi_window_reduce(o, o->turn);
    else
        mpi_window_move(o, o->turn);
    mpi_window_arrive(o);
    return true;
}
