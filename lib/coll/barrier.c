/* Barrier: dissemination where every rank has a core (log2 n rounds, all ranks at once); past the cores a flat tree, in which each rank gets the
 * processor about once. */
#include "coll/coll.h"
#include "core/err.h"
#include "core/world.h"
#include "mpi/weak_alias.h"

enum { CROWDED_DEGREE = 64 };

static void disseminate(struct mpi_coll *x)
{
    for (int step = 1; step < x->size; step *= 2)
        mpi_coll_exchange(x, (x->rank + step) % x->size, NULL, 0, (x->rank - step + x->size) % x->size, NULL, 0);
}

/* Tree of degree k: the children of r are r * k + 1 .. r * k + k. */
static void gather_and_release(struct mpi_coll *x, int k)
{
    int first = x->rank * k + 1, last = first + k < x->size ? first + k : x->size, parent = (x->rank - 1) / k;
    for (int child = first; child < last; child++)
        mpi_coll_recv(x, child, NULL, 0);
    if (x->rank) {
        mpi_coll_send(x, parent, NULL, 0);
        mpi_coll_recv(x, parent, NULL, 0);
    }
    for (int child = first; child < last; child++)
        mpi_coll_send(x, child, NULL, 0);
}

void mpi_coll_barrier(struct mpi_coll *x)
{
    if (x->size == 1)
        return;
    if (mpi_coll_offloaded(x, FW_SLOT_BARRIER, NULL, 0, 0, NULL))
        return;
    mpi_coll_sign(x, MPI_COLL_BARRIER, 0, 0);
    if (x->crowded)
        gather_and_release(x, CROWDED_DEGREE);
    else
        disseminate(x);
}

int PMPI_Barrier(MPI_Comm comm)
{
    struct mpi_coll x;
    struct mpi_comm *c;
    MPI_ENTER("MPI_Barrier");
    int rc = mpi_coll_check_comm("MPI_Barrier", comm, &c);
    if (rc)
        return rc;
    mpi_coll_begin(&x, "MPI_Barrier", c);
    mpi_coll_barrier(&x);
    return mpi_coll_end(&x);
}
MPI_WEAK_ALIAS(Barrier);
