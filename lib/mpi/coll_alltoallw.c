/* All-to-all with a datatype for each peer. */
#include "mpi/alias.h"
#include "mpi/coll_args.h"
#include "core/err.h"

/* One side of a call; displacements in bytes. */
struct side {
    const void *buf;
    struct mpi_numbers counts, displs;
    const MPI_Datatype *types;
    struct mpi_own_block *own;      /* filled in here, for `blocks` */
    struct mpi_blocks blocks;
    bool contiguous;                /* all that is not empty */
};

/* As MPI has it every type must be one; many programs rely on it that none is asked for where there
 * are no data. */
static bool is_empty(const struct side *s, int i)
{
    return mpi_number(&s->counts, i) == 0 && s->types[i] == MPI_DATATYPE_NULL;
}

static void *place(const struct side *s, int i)
{
    return (void *)((uintptr_t)s->buf + (uintptr_t)mpi_number(&s->displs, i));
}

static int check_side(const struct mpi_coll_plan *p, struct side *s)
{
    const struct mpi_type *t;
    if (unlikely(s->buf == MPI_IN_PLACE))
        return mpi_coll_misplaced(p);
    if (!s->counts.array || !s->displs.array || !s->types)
        return mpi_err(p->c, p->call, MPI_ERR_ARG,
                       "the counts, the displacements or the datatypes are NULL");
    s->contiguous = true;
    for (int i = 0; i < p->c->peers; i++) {
        MPI_Count count = mpi_number(&s->counts, i);
        if (is_empty(s, i))
            continue;
        int rc = mpi_coll_check_data(p, place(s, i), count, s->types[i], &t);
        if (rc)
            return rc;
        s->contiguous &= t->contiguous || !count;
    }
    return MPI_SUCCESS;
}

/* Where the data are.  False: no memory, which is noted. */
static bool find_blocks(struct mpi_coll_plan *p, struct side *s)
{
    size_t ranks = (size_t)p->c->peers;
    s->own = mpi_stage_memory(mpi_coll_staging(p), ranks * sizeof *s->own);
    for (int i = 0; s->own && i < p->c->peers; i++) {
        size_t bytes = is_empty(s, i) ? 0 : mpi_type_get(s->types[i])->size;
        s->own[i].at = place(s, i);
        s->own[i].bytes = (size_t)mpi_number(&s->counts, i) * bytes;
    }
    s->blocks = (struct mpi_blocks){ .parts = s->own };
    return s->own;
}

/* Packed stand-ins of blocks that have gaps. */
static void stage(struct mpi_coll_plan *p, struct side *s, enum mpi_stage how)
{
    for (int i = 0; !s->contiguous && i < p->c->peers; i++) {
        const struct mpi_type *t = mpi_type_get(s->types[i]);
        if (s->own[i].bytes && !t->contiguous)
            s->own[i].at = mpi_stage(mpi_coll_staging(p), t, s->own[i].at,
                                     (size_t)mpi_number(&s->counts, i), how);
    }
}

static int check_own(const struct mpi_coll_plan *p, const struct side *send,
                     const struct side *recv)
{
    int rank = p->c->inter ? 0 : p->c->rank;
    return mpi_coll_check_own(p, send->own[rank].bytes, recv->own[rank].bytes);
}

/* send NULL: in place. */
static int plan(struct mpi_coll_plan *p, struct side *send, struct side *recv)
{
    int rc = send ? check_side(p, send) : mpi_coll_check_in_place(p, MPI_IN_PLACE);
    if (!rc)
        rc = check_side(p, recv);
    if (rc || !find_blocks(p, recv) || (send && !find_blocks(p, send)))
        return rc;
    if (send)
        rc = check_own(p, send, recv);
    if (!rc && send && send->contiguous && recv->contiguous)
        rc = mpi_alias_all(p->call, p->c, &send->blocks, &recv->blocks);
    if (rc)
        return rc;
    if (send)
        stage(p, send, MPI_STAGE_READ);
    stage(p, recv, send ? MPI_STAGE_WRITE : MPI_STAGE_BOTH);
    p->kind = MPI_COLL_ALLTOALL;
    p->root = 2;                    /* the number of the call, see MPI_COLL_OTHERS */
    p->send = send ? &send->blocks : NULL;
    p->recv = &recv->blocks;
    return MPI_SUCCESS;
}

static int call(struct mpi_coll_plan *p, struct side *send, struct side *recv, MPI_Comm comm)
{
    int rc = mpi_coll_enter(p, comm);
    if (!rc)
        rc = plan(p, send->buf == MPI_IN_PLACE ? NULL : send, recv);
    if (!rc)
        return mpi_coll_go(p);
    mpi_coll_forget(p);
    return rc;
}

#define ALLTOALLW(NAME, COUNT, PLACE, FORM) \
    int PMPI_##NAME(const void *sendbuf, const COUNT sendcounts[], const PLACE sdispls[], \
                    const MPI_Datatype sendtypes[], void *recvbuf, const COUNT recvcounts[], \
                    const PLACE rdispls[], const MPI_Datatype recvtypes[], \
                    MPI_Comm comm MPI_COLL_MORE_##FORM) \
    { \
        struct mpi_coll_plan p = { .call = "MPI_" #NAME MPI_COLL_FORM_##FORM }; \
        struct side send = { .buf = sendbuf, .counts = MPI_NUMBERS(sendcounts), \
                             .displs = MPI_NUMBERS(sdispls), .types = sendtypes }; \
        struct side recv = { .buf = recvbuf, .counts = MPI_NUMBERS(recvcounts), \
                             .displs = MPI_NUMBERS(rdispls), .types = recvtypes }; \
        return call(&p, &send, &recv, comm); \
    } \
    MPI_WEAK_ALIAS(NAME)
MPI_COLL_FORMS(ALLTOALLW, Alltoallw, alltoallw);
