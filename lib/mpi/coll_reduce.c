/* Reductions to one rank and to all. */
#include "mpi/coll_args.h"
#include "mpi/coll_calls.h"
#include "core/err.h"

/* In place, or where there is nothing, the contribution is where it should be.  It is needed there
 * only if the call goes by messages. */
static void bring_in(struct mpi_coll_plan *p, void *result, const void *sendbuf)
{
    if (sendbuf == MPI_IN_PLACE || !p->bytes)
        return;
    if (likely(p->form != MPI_COLL_PERSISTENT))
        p->from = sendbuf;
    else
        mpi_coll_bring_in(p, result, sendbuf, p->bytes);
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
    p->data = mpi_stage_from_to(mpi_coll_staging(p), t, own, recvbuf, r->count);
}

/* -- to one rank */

static int check_reduce(struct mpi_coll_plan *p, const void *sendbuf, const void *recvbuf,
                        MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root,
                        struct mpi_reduction *r)
{
    bool here = mpi_coll_is_root(p, root);
    if (unlikely(!here && sendbuf == MPI_IN_PLACE))
        return mpi_err(p->c, p->call, MPI_ERR_BUFFER, "MPI_IN_PLACE is for the root, which is %d",
                       root);
    int rc = mpi_coll_check_reduction(p, here ? recvbuf : sendbuf, count, datatype, op,
                                      r);
    if (!rc && here && likely(!p->c->inter))
        rc = mpi_coll_check_buffers(p, r, sendbuf, recvbuf, r->count);
    return rc;
}

/* Where the result goes at the root, with its contribution if it has one; elsewhere that. */
static void set_reduce(struct mpi_coll_plan *p, struct mpi_reduction *r, const void *sendbuf,
                       void *recvbuf, bool here)
{
    const struct mpi_type *t;
    bool gaps = has_gaps(r, &t), result_only = here && p->c->inter;
    if (gaps && result_only) {
        p->data = mpi_stage(mpi_coll_staging(p), t, recvbuf, r->count, MPI_STAGE_WRITE);
    } else if (gaps && here) {
        stage_result(p, r, sendbuf, recvbuf, t);
    } else if (gaps) {
        mpi_coll_stage_reduction(p, r);
        p->from = mpi_stage(mpi_coll_staging(p), t, sendbuf, r->count, MPI_STAGE_READ);
    } else if (here) {
        p->data = recvbuf;
        if (likely(!result_only))
            bring_in(p, recvbuf, sendbuf);
    } else {
        p->from = sendbuf;
    }
}

static int reduce(struct mpi_coll_plan *p, const void *sendbuf, void *recvbuf, MPI_Count count,
                  MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm)
{
    struct mpi_reduction r;
    p->kind = MPI_COLL_REDUCE;
    int rc = mpi_coll_enter(p, comm);
    if (!rc)
        rc = mpi_coll_check_root(p, root);
    if (!rc && unlikely(p->root < 0))
        return mpi_coll_go(p);
    if (!rc)
        rc = check_reduce(p, sendbuf, recvbuf, count, datatype, op, root, &r);
    if (rc)
        return rc;
    p->r = &r;
    p->bytes = r.unit * r.count;
    set_reduce(p, &r, sendbuf, recvbuf, mpi_coll_is_root(p, root));
    return mpi_coll_go(p);
}

#define REDUCE(NAME, COUNT, PLACE, FORM) \
    int PMPI_##NAME(const void *sendbuf, void *recvbuf, COUNT count, MPI_Datatype datatype, \
                    MPI_Op op, int root, MPI_Comm comm MPI_COLL_MORE_##FORM) \
    { \
        struct mpi_coll_plan p = { .call = "MPI_" #NAME MPI_COLL_FORM_##FORM }; \
        return reduce(&p, sendbuf, recvbuf, count, datatype, op, root, comm); \
    } \
    MPI_WEAK_ALIAS(NAME)
MPI_COLL_FORMS(REDUCE, Reduce, reduce);

/* -- to all */

/* The result is of the other group's data. */
static void set_apart(struct mpi_coll_plan *p, struct mpi_reduction *r, const void *sendbuf,
                      void *recvbuf)
{
    const struct mpi_type *t;
    p->from = sendbuf;
    if (!has_gaps(r, &t))
        return;
    mpi_coll_stage_reduction(p, r);
    p->from = mpi_stage(mpi_coll_staging(p), t, sendbuf, r->count, MPI_STAGE_READ);
    p->data = mpi_stage(mpi_coll_staging(p), t, recvbuf, r->count, MPI_STAGE_WRITE);
}

static int allreduce(struct mpi_coll_plan *p, const void *sendbuf, void *recvbuf, MPI_Count count,
                     MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    const struct mpi_type *t;
    struct mpi_reduction r;
    int rc = mpi_coll_enter(p, comm);
    if (!rc)
        rc = mpi_coll_check_reduction(p, recvbuf, count, datatype, op, &r);
    if (!rc)
        rc = mpi_coll_check_buffers(p, &r, sendbuf, recvbuf, r.count);
    if (!rc)
        rc = mpi_coll_check_in_place(p, sendbuf);
    if (rc)
        return rc;
    p->kind = MPI_COLL_ALLREDUCE;
    p->data = recvbuf;
    p->r = &r;
    p->bytes = r.unit * r.count;
    if (unlikely(p->c->inter != NULL))
        set_apart(p, &r, sendbuf, recvbuf);
    else if (has_gaps(&r, &t))
        stage_result(p, &r, sendbuf, recvbuf, t);
    else
        bring_in(p, recvbuf, sendbuf);
    return mpi_coll_go(p);
}

#define ALLREDUCE(NAME, COUNT, PLACE, FORM) \
    int PMPI_##NAME(const void *sendbuf, void *recvbuf, COUNT count, MPI_Datatype datatype, \
                    MPI_Op op, MPI_Comm comm MPI_COLL_MORE_##FORM) \
    { \
        struct mpi_coll_plan p = { .call = "MPI_" #NAME MPI_COLL_FORM_##FORM }; \
        return allreduce(&p, sendbuf, recvbuf, count, datatype, op, comm); \
    } \
    MPI_WEAK_ALIAS(NAME)
MPI_COLL_FORMS(ALLREDUCE, Allreduce, allreduce);

int mpi_coll_call_allreduce(struct mpi_coll_plan *p, const void *send, void *recv,
                            MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    return allreduce(p, send, recv, count, type, op, comm);
}
