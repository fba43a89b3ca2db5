/* Prefix reductions, and reductions to parts. */
#include "mpi/coll_args.h"
#include "core/err.h"

static const void *contribution(const void *sendbuf, const void *recvbuf)
{
    return sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
}

/* Packed stand-ins of data with gaps; result: elements that this rank gets. */
static void stage(struct mpi_coll_plan *p, struct mpi_reduction *r, size_t result)
{
    const struct mpi_type *t = mpi_type_get(r->type);
    if (likely(!t->derived || t->contiguous))
        return;
    mpi_coll_stage_reduction(p, r);
    p->from = mpi_stage(&p->staging, t, p->from, r->count, MPI_STAGE_READ);
    p->data = result ? mpi_stage(&p->staging, t, p->data, result, MPI_STAGE_WRITE)
                     : mpi_stage_memory(&p->staging, r->count * t->size);
}

/* -- prefixes */

/* The number of the call, see MPI_COLL_OTHERS. */
enum { INCLUSIVE, EXCLUSIVE };

static int scan(struct mpi_coll_plan *p, const void *sendbuf, void *recvbuf, int count,
                MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    struct mpi_reduction r;
    int rc = mpi_coll_enter(p, comm);
    if (!rc)
        rc = mpi_coll_check_reduction(p->call, p->c, recvbuf, count, datatype, op, &r);
    if (rc)
        return rc;
    p->kind = MPI_COLL_SCAN;
    p->from = contribution(sendbuf, recvbuf);
    p->data = recvbuf;
    p->r = &r;
    p->bytes = r.unit * r.count;
    bool gets = p->root == INCLUSIVE || p->c->rank;
    stage(p, &r, gets ? r.count : 0);
    return mpi_coll_go(p);
}

int PMPI_Scan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
              MPI_Comm comm)
{
    struct mpi_coll_plan p = { .call = "MPI_Scan", .root = INCLUSIVE };
    return scan(&p, sendbuf, recvbuf, count, datatype, op, comm);
}
MPI_WEAK_ALIAS(Scan);

int PMPI_Iscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
               MPI_Comm comm, MPI_Request *request)
{
    struct mpi_coll_plan p = { .call = "MPI_Iscan", .root = INCLUSIVE, .starts = true,
                               .request = request };
    return scan(&p, sendbuf, recvbuf, count, datatype, op, comm);
}
MPI_WEAK_ALIAS(Iscan);

int PMPI_Exscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                MPI_Comm comm)
{
    struct mpi_coll_plan p = { .call = "MPI_Exscan", .root = EXCLUSIVE };
    return scan(&p, sendbuf, recvbuf, count, datatype, op, comm);
}
MPI_WEAK_ALIAS(Exscan);

int PMPI_Iexscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                 MPI_Comm comm, MPI_Request *request)
{
    struct mpi_coll_plan p = { .call = "MPI_Iexscan", .root = EXCLUSIVE, .starts = true,
                               .request = request };
    return scan(&p, sendbuf, recvbuf, count, datatype, op, comm);
}
MPI_WEAK_ALIAS(Iexscan);

/* -- parts */

/* What a rank gets: counts NULL, `count` elements each.  One block behind the other. */
struct parts { struct mpi_blocks block; struct mpi_reduction r; };

static int check_parts(struct mpi_coll_plan *p, struct parts *parts, void *recvbuf,
                       MPI_Datatype datatype, MPI_Op op)
{
    const struct mpi_blocks *b = &parts->block;
    int own = b->counts ? b->counts[p->c->rank] : (int)b->count;
    int rc = mpi_coll_check_counts(p->call, p->c, b->counts);
    if (!rc)
        rc = mpi_coll_check_reduction(p->call, p->c, recvbuf, own, datatype, op, &parts->r);
    parts->r.count = 0;
    return rc;
}

static int plan_parts(struct mpi_coll_plan *p, struct parts *parts, const void *sendbuf,
                      void *recvbuf, MPI_Datatype datatype, MPI_Op op)
{
    struct mpi_blocks *b = &parts->block;
    int rc = check_parts(p, parts, recvbuf, datatype, op);
    if (rc)
        return rc;
    b->unit = parts->r.unit;
    for (int i = 0; i < p->c->size; i++) {
        p->bytes += mpi_block_bytes(b, i);
        parts->r.count += b->counts ? (size_t)b->counts[i] : b->count;
    }
    p->kind = MPI_COLL_REDUCE_SCATTER;
    p->from = contribution(sendbuf, recvbuf);
    p->data = recvbuf;
    p->recv = b;
    p->r = &parts->r;
    int own = p->c->rank;
    stage(p, &parts->r, b->counts ? (size_t)b->counts[own] : b->count);
    return MPI_SUCCESS;
}

static int reduce_parts(struct mpi_coll_plan *p, struct parts *parts, const void *sendbuf,
                        void *recvbuf, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    int rc = mpi_coll_enter(p, comm);
    if (!rc)
        rc = plan_parts(p, parts, sendbuf, recvbuf, datatype, op);
    return rc ? rc : mpi_coll_go(p);
}

/* The number of the call, see MPI_COLL_OTHERS. */
enum { WITH_COUNTS, BLOCK };

static int reduce_scatter(struct mpi_coll_plan *p, const void *sendbuf, void *recvbuf,
                          const int recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    struct parts parts = { .block = { .counts = recvcounts } };
    MPI_ENTER(p->call);
    if (!recvcounts)
        return mpi_err(mpi_comm_get(comm), p->call, MPI_ERR_ARG, "the counts are NULL");
    p->root = WITH_COUNTS;
    return reduce_parts(p, &parts, sendbuf, recvbuf, datatype, op, comm);
}

int PMPI_Reduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[],
                        MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    struct mpi_coll_plan p = { .call = "MPI_Reduce_scatter" };
    return reduce_scatter(&p, sendbuf, recvbuf, recvcounts, datatype, op, comm);
}
MPI_WEAK_ALIAS(Reduce_scatter);

int PMPI_Ireduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[],
                         MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    struct mpi_coll_plan p = { .call = "MPI_Ireduce_scatter", .starts = true,
                               .request = request };
    return reduce_scatter(&p, sendbuf, recvbuf, recvcounts, datatype, op, comm);
}
MPI_WEAK_ALIAS(Ireduce_scatter);

int PMPI_Reduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount,
                              MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    struct mpi_coll_plan p = { .call = "MPI_Reduce_scatter_block", .root = BLOCK };
    struct parts parts = { .block = { .count = (size_t)recvcount } };
    return reduce_parts(&p, &parts, sendbuf, recvbuf, datatype, op, comm);
}
MPI_WEAK_ALIAS(Reduce_scatter_block);

int PMPI_Ireduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount,
                               MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                               MPI_Request *request)
{
    struct mpi_coll_plan p = { .call = "MPI_Ireduce_scatter_block", .root = BLOCK, .starts = true,
                               .request = request };
    struct parts parts = { .block = { .count = (size_t)recvcount } };
    return reduce_parts(&p, &parts, sendbuf, recvbuf, datatype, op, comm);
}
MPI_WEAK_ALIAS(Ireduce_scatter_block);
