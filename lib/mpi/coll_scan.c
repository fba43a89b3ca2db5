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
    p->from = mpi_stage(mpi_coll_staging(p), t, p->from, r->count, MPI_STAGE_READ);
    p->data = result ? mpi_stage(mpi_coll_staging(p), t, p->data, result, MPI_STAGE_WRITE)
                     : mpi_stage_memory(mpi_coll_staging(p), r->count * t->size);
}

/* -- prefixes */

/* The number of the call, see MPI_COLL_OTHERS. */
enum { INCLUSIVE, EXCLUSIVE };

static int scan(struct mpi_coll_plan *p, int which, const void *sendbuf, void *recvbuf,
                MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    struct mpi_reduction r;
    int rc = mpi_coll_enter(p, comm);
    if (!rc && unlikely(p->c->inter != NULL))
        rc = mpi_err(p->c, p->call, MPI_ERR_COMM, "the communicator is an intercommunicator");
    bool gets = !rc && (which == INCLUSIVE || p->c->rank);
    if (!rc)
        rc = mpi_coll_check_reduction(p, gets ? recvbuf : contribution(sendbuf, recvbuf), count,
                                      datatype, op, &r);
    if (!rc)
        rc = mpi_coll_check_buffers(p, &r, sendbuf, recvbuf, gets ? r.count : 0);
    if (rc)
        return rc;
    p->from = contribution(sendbuf, recvbuf);
    p->kind = MPI_COLL_SCAN;
    p->root = which;
    p->data = recvbuf;
    p->r = &r;
    p->bytes = r.unit * r.count;
    stage(p, &r, gets ? r.count : 0);
    return mpi_coll_go(p);
}

#define PREFIX(NAME, COUNT, FORM, which) \
    int PMPI_##NAME(const void *sendbuf, void *recvbuf, COUNT count, MPI_Datatype datatype, \
                    MPI_Op op, MPI_Comm comm MPI_COLL_MORE_##FORM) \
    { \
        struct mpi_coll_plan p = { .call = "MPI_" #NAME MPI_COLL_FORM_##FORM }; \
        return scan(&p, which, sendbuf, recvbuf, count, datatype, op, comm); \
    } \
    MPI_WEAK_ALIAS(NAME)
#define SCAN(NAME, COUNT, PLACE, FORM) PREFIX(NAME, COUNT, FORM, INCLUSIVE)
#define EXSCAN(NAME, COUNT, PLACE, FORM) PREFIX(NAME, COUNT, FORM, EXCLUSIVE)
MPI_COLL_FORMS(SCAN, Scan, scan);
MPI_COLL_FORMS(EXSCAN, Exscan, exscan);

/* -- parts */

/* What each rank gets, one block behind the other; counts: of NULL where all get as much. */
struct parts { struct mpi_blocks block; struct mpi_reduction r; };

/* The number of the call, see MPI_COLL_OTHERS. */
enum { WITH_COUNTS, BLOCK };

/* All elements together, which sendbuf has. */
static size_t all_elements(const struct mpi_coll_plan *p, const struct mpi_blocks *b)
{
    size_t all = b->counts.array ? 0 : b->count * (size_t)p->c->size;
    for (int i = 0; b->counts.array && i < p->c->size; i++)
        all += mpi_block_elements(b, i);
    return all;
}

static int check_parts(const struct mpi_coll_plan *p, struct parts *parts, const void *sendbuf,
                       const void *recvbuf, MPI_Datatype datatype, MPI_Op op)
{
    const struct mpi_blocks *b = &parts->block;
    if (!b->counts.array && p->root == WITH_COUNTS)
        return mpi_err(p->c, p->call, MPI_ERR_ARG, "the counts are NULL");
    const struct mpi_type *t = NULL;
    MPI_Count own = (MPI_Count)mpi_block_elements(b, p->c->rank);
    int rc = b->counts.array ? mpi_check_type(p->call, p->c, datatype, &t) : MPI_SUCCESS;
    if (!rc && t)
        rc = mpi_coll_check_counts(p->call, p->c, &b->counts, p->c->size, t);
    if (!rc)
        rc = mpi_coll_check_reduction(p, recvbuf, own, datatype, op, &parts->r);
    if (!rc && !t && parts->r.unit * (size_t)own >> MPI_COLL_SURE_BITS)
        rc = mpi_coll_check_sum(p, own, p->c->size, mpi_type_get(datatype));
    if (rc)
        return rc;
    parts->r.count = all_elements(p, b);
    return mpi_coll_check_buffers(p, &parts->r, sendbuf, recvbuf, (size_t)own);
}

static int plan(struct mpi_coll_plan *p, struct parts *parts, const void *sendbuf, void *recvbuf,
                MPI_Datatype datatype, MPI_Op op)
{
    struct mpi_blocks *b = &parts->block;
    int rc = check_parts(p, parts, sendbuf, recvbuf, datatype, op);
    if (rc)
        return rc;
    b->unit = parts->r.unit;
    p->bytes = parts->r.unit * parts->r.count;
    p->kind = MPI_COLL_REDUCE_SCATTER;
    p->from = contribution(sendbuf, recvbuf);
    p->data = recvbuf;
    p->recv = b;
    p->r = &parts->r;
    stage(p, &parts->r, mpi_block_elements(b, p->c->rank));
    return MPI_SUCCESS;
}

static int reduce_parts(struct mpi_coll_plan *p, struct parts *parts, const void *sendbuf,
                        void *recvbuf, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    int rc = mpi_coll_enter(p, comm);
    if (!rc)
        rc = mpi_coll_check_in_place(p, sendbuf);
    if (!rc)
        rc = plan(p, parts, sendbuf, recvbuf, datatype, op);
    return rc ? rc : mpi_coll_go(p);
}

#define REDUCE_SCATTER(NAME, COUNT, PLACE, FORM) \
    int PMPI_##NAME(const void *sendbuf, void *recvbuf, const COUNT recvcounts[], \
                    MPI_Datatype datatype, MPI_Op op, MPI_Comm comm MPI_COLL_MORE_##FORM) \
    { \
        struct mpi_coll_plan p = { .call = "MPI_" #NAME, \
                                   .root = WITH_COUNTS MPI_COLL_FORM_##FORM }; \
        struct parts parts = { .block = { .counts = MPI_NUMBERS(recvcounts) } }; \
        return reduce_parts(&p, &parts, sendbuf, recvbuf, datatype, op, comm); \
    } \
    MPI_WEAK_ALIAS(NAME)
MPI_COLL_FORMS(REDUCE_SCATTER, Reduce_scatter, reduce_scatter);

#define REDUCE_SCATTER_BLOCK(NAME, COUNT, PLACE, FORM) \
    int PMPI_##NAME(const void *sendbuf, void *recvbuf, COUNT recvcount, MPI_Datatype datatype, \
                    MPI_Op op, MPI_Comm comm MPI_COLL_MORE_##FORM) \
    { \
        struct mpi_coll_plan p = { .call = "MPI_" #NAME, .root = BLOCK MPI_COLL_FORM_##FORM }; \
        struct parts parts = { .block = { .count = (size_t)recvcount } }; \
        return reduce_parts(&p, &parts, sendbuf, recvbuf, datatype, op, comm); \
    } \
    MPI_WEAK_ALIAS(NAME)
MPI_COLL_FORMS(REDUCE_SCATTER_BLOCK, Reduce_scatter_block, reduce_scatter_block);
