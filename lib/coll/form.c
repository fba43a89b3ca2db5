/* Which form a call has: blocking, nonblocking or persistent. */
#include "coll/coll.h"

int mpi_coll_do_any(struct mpi_coll_plan *p)
{
    if (p->form && p->r && !p->r->loop)     /* the program may free both at once */
        mpi_staging_hold(mpi_coll_staging(p), p->r->op, mpi_type_get(p->r->type));
    if (mpi_staging_failed(p->staging))
        return mpi_coll_no_memory(p);
    if (p->form == MPI_COLL_BLOCKING)
        return mpi_coll_do(p);
    return p->form == MPI_COLL_NONBLOCKING ? mpi_coll_start(p) : mpi_coll_keep(p);
}
