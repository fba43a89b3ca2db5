/* Reductions to one rank and to all. */
#include <string.h>

#include "mpi/coll_args.h"
#include "core/err.h"
#include "core/type_data.h"

/* In place, or where there is nothing, the contribution is where it should be. */
static void bring_in(void *result, const void *sendbuf, size_t bytes)
{
    if (bytes && sendbuf != MPI_IN_PLACE)
        memcpy(result, sendbuf, bytes);
}

/* Data with gaps that travel packed: pairs travel as they are. */
static bool has_gaps(const struct mpi_reduction *r, const struct mpi_type **t)
{
    *t = mpi_type_get(r->type);
    return unlikely((*t)->derived && !(*t)->contiguous);
}

/* The packed result, with the contribution in it. */
static void stage_result(struct mpi_coll_plan *p, struct mpi_reduction *r, const void *sendbuf,
                         void *recvbuf, const struct mpi_type *t)
{
    const void *own = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
    mpi_coll_stage_reduction(p, r);
    p->data = mpi_stage(&p->staging, t, recvbuf, r->count, MPI_STAGE_WRITE);
    if (p->data)
        mpi_type_pack(t, own, r->count, p->data);
}

/* -- to one rank */

static int check_reduce(const char *call, struct mpi_comm *c, const void *sendbuf,
                        const void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                        int root, struct mpi_reduction *r)
{
    bool here = c->rank == root;
    int rc = mpi_coll_check_root(call, c, root);
    if (!rc)
        rc = mpi_coll_check_reduction(call, c, here ? recvbuf : sendbuf, count, datatype, op, r);
    if (!rc && !here && sendbuf == MPI_IN_PLACE)
        rc = mpi_err(c, call, MPI_ERR_BUFFER, "MPI_IN_PLACE is for the root, which is %d", root);
    if (!rc && here)
        rc = mpi_coll_check_buffers(call, c, sendbuf, recvbuf, count);
    return rc;
}

static int reduce(struct mpi_coll_plan *p, const void *sendbuf, void *recvbuf, int count,
                  MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm)
{
    const struct mpi_type *t;
    struct mpi_reduction r;
    int rc = mpi_coll_enter(p, comm);
    if (!rc)
        rc = check_reduce(p->call, p->c, sendbuf, recvbuf, count, datatype, op, root, &r);
    if (rc)
        return rc;
    p->kind = MPI_COLL_REDUCE;
    p->root = root;
    p->r = &r;
    p->bytes = r.unit * r.count;
    if (has_gaps(&r, &t) && p->c->rank == root) {
        stage_result(p, &r, sendbuf, recvbuf, t);
    } else if (has_gaps(&r, &t)) {
        mpi_coll_stage_reduction(p, &r);
        p->from = mpi_stage(&p->staging, t, sendbuf, r.count, MPI_STAGE_READ);
    } else if (p->c->rank == root) {
        bring_in(p->data = recvbuf, sendbuf, p->bytes);
    } else {
        p->from = sendbuf;
    }
    return mpi_coll_go(p);
}

int PMPI_Reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                int root, MPI_Comm comm)
{
    struct mpi_coll_plan p = { .call = "MPI_Reduce" };
    return reduce(&p, sendbuf, recvbuf, count, datatype, op, root, comm);
}
MPI_WEAK_ALIAS(Reduce);

int PMPI_Ireduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                 int root, MPI_Comm comm, MPI_Request *request)
{
    struct mpi_coll_plan p = { .call = "MPI_Ireduce", .starts = true, .request = request };
    return reduce(&p, sendbuf, recvbuf, count, datatype, op, root, comm);
}
MPI_WEAK_ALIAS(Ireduce);

/* -- to all */

static int allreduce(struct mpi_coll_plan *p, const void *sendbuf, void *recvbuf, int count,
                     MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    const struct mpi_type *t;
    struct mpi_reduction r;
    int rc = mpi_coll_enter(p, comm);
    if (!rc)
        rc = mpi_coll_check_reduction(p->call, p->c, recvbuf, count, datatype, op, &r);
    if (!rc)
        rc = mpi_coll_check_buffers(p->call, p->c, sendbuf, recvbuf, count);
    if (rc)
        return rc;
    p->kind = MPI_COLL_ALLREDUCE;
    p->data = recvbuf;
    p->r = &r;
    p->bytes = r.unit * r.count;
    if (has_gaps(&r, &t))
        stage_result(p, &r, sendbuf, recvbuf, t);
    else
        bring_in(recvbuf, sendbuf, p->bytes);
    return mpi_coll_go(p);
}

int PMPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                   MPI_Comm comm)
{
    struct mpi_coll_plan p = { .call = "MPI_Allreduce" };
    return allreduce(&p, sendbuf, recvbuf, count, datatype, op, comm);
}
MPI_WEAK_ALIAS(Allreduce);

int PMPI_Iallreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype,
                    MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    struct mpi_coll_plan p = { .call = "MPI_Iallreduce", .starts = true, .request = request };
    return allreduce(&p, sendbuf, recvbuf, count, datatype, op, comm);
}
MPI_WEAK_ALIAS(Iallreduce);
