/* Gather and scatter. */
#include "mpi/alias.h"
#include "mpi/coll_args.h"
#include "core/err.h"

/* One call: `many` is the side with a block for each rank, which counts at the root, and `one` that
 * with this rank's own block. */
struct arguments {
    bool gather;
    const void *one;
    MPI_Count one_count;
    MPI_Datatype one_type;
    struct mpi_coll_many many;
    int root;
    struct mpi_blocks *blocks;      /* of `many`, once that is checked */
};

static int check_one(const struct mpi_coll_plan *p, const struct arguments *a,
                     const struct mpi_type **one)
{
    if (a->one != MPI_IN_PLACE)
        return mpi_coll_check_data(p, a->one, a->one_count, a->one_type, one);
    if (mpi_coll_is_root(p, a->root))
        return MPI_SUCCESS;
    return mpi_err(p->c, p->call, MPI_ERR_BUFFER, "MPI_IN_PLACE is for the root, which is %d",
                   a->root);
}

/* Packed stand-ins of what has gaps.  The root's own block that is in place stays so. */
static void stage(struct mpi_coll_plan *p, struct arguments *a, const struct mpi_type *one,
                  const struct mpi_type *many)
{
    enum mpi_stage read = MPI_STAGE_READ, write = MPI_STAGE_WRITE;
    if (one && !one->contiguous)
        a->one = mpi_stage(mpi_coll_staging(p), one, a->one, (size_t)a->one_count,
                           a->gather ? read : write);
    if (many && !many->contiguous)
        mpi_stage_blocks(mpi_coll_staging(p), many, a->blocks, p->c->peers,
                         a->gather ? write : read, one || p->c->inter ? -1 : p->c->rank);
}

static void set_data(struct mpi_coll_plan *p, const struct arguments *a)
{
    const void *own = a->one == MPI_IN_PLACE ? NULL : a->one;
    bool vector = a->many.vector;
    if (a->gather) {
        p->kind = vector ? MPI_COLL_GATHERV : MPI_COLL_GATHER;
        p->from = own;
        p->recv = a->blocks;
    } else {
        p->kind = vector ? MPI_COLL_SCATTERV : MPI_COLL_SCATTER;
        p->data = (void *)(uintptr_t)own;
        p->send = a->blocks;
    }
}

/* Of the root. */
static int check_own(const struct mpi_coll_plan *p, const struct arguments *a,
                     const struct mpi_type *many)
{
    size_t other = mpi_coll_own_bytes(p, a->blocks, many);
    return a->gather ? mpi_coll_check_own(p, p->own_bytes, other)
                     : mpi_coll_check_own(p, other, p->own_bytes);
}

static int plan(struct mpi_coll_plan *p, struct arguments *a)
{
    const struct mpi_type *one = NULL, *many = NULL;
    int rc = mpi_coll_check_root(p, a->root);
    if (!rc && mpi_coll_is_root(p, a->root))
        rc = mpi_coll_check_many(p, &a->many, p->c->peers, &many);
    if (!rc && mpi_coll_takes_part(p, a->root))
        rc = check_one(p, a, &one);
    if (rc)
        return rc;
    p->own_bytes = one ? (size_t)a->one_count * one->size : 0;
    if (many)
        *a->blocks = mpi_coll_blocks(&a->many, many);
    if (many && one)
        rc = check_own(p, a, many);
    if (!rc && many && one && many->contiguous && one->contiguous)
        rc = mpi_alias_one(p->call, p->c, a->one, p->own_bytes, a->blocks);
    if (rc)
        return rc;
    stage(p, a, one, many);
    if (!a->many.vector)
        p->bytes = many ? mpi_block_bytes(a->blocks, 0) : p->own_bytes;
    set_data(p, a);
    return MPI_SUCCESS;
}

static int call(struct mpi_coll_plan *p, struct arguments *a, MPI_Comm comm)
{
    int rc = mpi_coll_enter(p, comm);
    if (!rc)
        rc = plan(p, a);
    return rc ? rc : mpi_coll_go(p);
}

#define GATHER(NAME, COUNT, PLACE, FORM) \
    int PMPI_##NAME(const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf, \
                    COUNT recvcount, MPI_Datatype recvtype, int root, \
                    MPI_Comm comm MPI_COLL_MORE_##FORM) \
    { \
        struct mpi_coll_plan p = { .call = "MPI_" #NAME MPI_COLL_FORM_##FORM }; \
        struct mpi_blocks blocks; \
        struct arguments a = { .gather = true, .one = sendbuf, .one_count = sendcount, \
                               .one_type = sendtype, .root = root, .blocks = &blocks, \
                               .many = { .buf = recvbuf, .count = recvcount, .type = recvtype } }; \
        return call(&p, &a, comm); \
    } \
    MPI_WEAK_ALIAS(NAME)
MPI_COLL_FORMS(GATHER, Gather, gather);

#define GATHERV(NAME, COUNT, PLACE, FORM) \
    int PMPI_##NAME(const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf, \
                    const COUNT recvcounts[], const PLACE displs[], MPI_Datatype recvtype, \
                    int root, MPI_Comm comm MPI_COLL_MORE_##FORM) \
    { \
        struct mpi_coll_plan p = { .call = "MPI_" #NAME MPI_COLL_FORM_##FORM }; \
        struct mpi_blocks blocks; \
        struct arguments a = { .gather = true, .one = sendbuf, .one_count = sendcount, \
                               .one_type = sendtype, .root = root, .blocks = &blocks, \
                               .many = { .vector = true, .buf = recvbuf, .type = recvtype, \
                                         .counts = MPI_NUMBERS(recvcounts), \
                                         .displs = MPI_NUMBERS(displs) } }; \
        return call(&p, &a, comm); \
    } \
    MPI_WEAK_ALIAS(NAME)
MPI_COLL_FORMS(GATHERV, Gatherv, gatherv);

#define SCATTER(NAME, COUNT, PLACE, FORM) \
    int PMPI_##NAME(const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf, \
                    COUNT recvcount, MPI_Datatype recvtype, int root, \
                    MPI_Comm comm MPI_COLL_MORE_##FORM) \
    { \
        struct mpi_coll_plan p = { .call = "MPI_" #NAME MPI_COLL_FORM_##FORM }; \
        struct mpi_blocks blocks; \
        struct arguments a = { .one = recvbuf, .one_count = recvcount, .one_type = recvtype, \
                               .root = root, .blocks = &blocks, \
                               .many = { .buf = sendbuf, .count = sendcount, .type = sendtype } }; \
        return call(&p, &a, comm); \
    } \
    MPI_WEAK_ALIAS(NAME)
MPI_COLL_FORMS(SCATTER, Scatter, scatter);

#define SCATTERV(NAME, COUNT, PLACE, FORM) \
    int PMPI_##NAME(const void *sendbuf, const COUNT sendcounts[], const PLACE displs[], \
                    MPI_Datatype sendtype, void *recvbuf, COUNT recvcount, \
                    MPI_Datatype recvtype, int root, MPI_Comm comm MPI_COLL_MORE_##FORM) \
    { \
        struct mpi_coll_plan p = { .call = "MPI_" #NAME MPI_COLL_FORM_##FORM }; \
        struct mpi_blocks blocks; \
        struct arguments a = { .one = recvbuf, .one_count = recvcount, .one_type = recvtype, \
                               .root = root, .blocks = &blocks, \
                               .many = { .vector = true, .buf = sendbuf, .type = sendtype, \
                                         .counts = MPI_NUMBERS(sendcounts), \
                                         .displs = MPI_NUMBERS(displs) } }; \
        return call(&p, &a, comm); \
    } \
    MPI_WEAK_ALIAS(NAME)
MPI_COLL_FORMS(SCATTERV, Scatterv, scatterv);
