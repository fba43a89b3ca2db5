/* All-to-all. */
#include "mpi/alias.h"
#include "mpi/coll_args.h"
#include "mpi/coll_calls.h"

/* One side of a call: `many` as it is given, and what is found of that. */
struct side { struct mpi_coll_many many; const struct mpi_type *t; struct mpi_blocks blocks; };

struct arguments { struct side send, recv; };

static int check_side(const struct mpi_coll_plan *p, struct side *s)
{
    int rc = mpi_coll_check_many(p, &s->many, p->c->peers, &s->t);
    if (!rc)
        s->blocks = mpi_coll_blocks(&s->many, s->t);
    return rc;
}

static __attribute__((noinline))
int check_own(const struct mpi_coll_plan *p, const struct side *send, const struct side *recv)
{
    return mpi_coll_check_own(p, mpi_coll_own_bytes(p, &send->blocks, send->t),
                              mpi_coll_own_bytes(p, &recv->blocks, recv->t));
}

/* Each rank gets as many elements of one type as it gives: there is nothing to compare. */
static bool is_even(const struct side *send, const struct side *recv)
{
    return send->t == recv->t && !recv->many.vector && send->many.count == recv->many.count;
}

static int plan(struct mpi_coll_plan *p, struct arguments *a)
{
    bool in_place = a->send.many.buf == MPI_IN_PLACE;
    int rc = in_place ? mpi_coll_check_in_place(p, MPI_IN_PLACE) : check_side(p, &a->send);
    if (!rc)
        rc = check_side(p, &a->recv);
    if (!rc && !in_place && !is_even(&a->send, &a->recv))
        rc = check_own(p, &a->send, &a->recv);
    if (!rc && !in_place && a->send.t->contiguous && a->recv.t->contiguous)
        rc = mpi_alias_all(p->call, p->c, &a->send.blocks, &a->recv.blocks);
    if (rc)
        return rc;
    if (!in_place && !a->send.t->contiguous)
        mpi_stage_blocks(mpi_coll_staging(p), a->send.t, &a->send.blocks, p->c->peers,
                         MPI_STAGE_READ, -1);
    if (!a->recv.t->contiguous)
        mpi_stage_blocks(mpi_coll_staging(p), a->recv.t, &a->recv.blocks, p->c->peers,
                         in_place ? MPI_STAGE_BOTH : MPI_STAGE_WRITE, -1);
    p->kind = MPI_COLL_ALLTOALL;
    p->root = a->recv.many.vector;      /* the number of the call, see MPI_COLL_OTHERS */
    p->bytes = a->recv.many.vector || p->c->inter ? 0 : mpi_block_bytes(&a->recv.blocks, 0);
    p->send = in_place ? NULL : &a->send.blocks;
    p->recv = &a->recv.blocks;
    return MPI_SUCCESS;
}

static int call(struct mpi_coll_plan *p, struct arguments *a, MPI_Comm comm)
{
    int rc = mpi_coll_enter(p, comm);
    if (!rc)
        rc = plan(p, a);
    return rc ? rc : mpi_coll_go(p);
}

#define ALLTOALL(NAME, COUNT, PLACE, FORM) \
    int PMPI_##NAME(const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf, \
                    COUNT recvcount, MPI_Datatype recvtype, MPI_Comm comm MPI_COLL_MORE_##FORM) \
    { \
        struct mpi_coll_plan p = { .call = "MPI_" #NAME MPI_COLL_FORM_##FORM }; \
        struct arguments a;     /* of which the rest need not be cleared */ \
        a.send.many = (struct mpi_coll_many){ .buf = sendbuf, .count = sendcount, \
                                              .type = sendtype }; \
        a.recv.many = (struct mpi_coll_many){ .buf = recvbuf, .count = recvcount, \
                                              .type = recvtype }; \
        return call(&p, &a, comm); \
    } \
    MPI_WEAK_ALIAS(NAME)
MPI_COLL_FORMS(ALLTOALL, Alltoall, alltoall);

#define ALLTOALLV(NAME, COUNT, PLACE, FORM) \
    int PMPI_##NAME(const void *sendbuf, const COUNT sendcounts[], const PLACE sdispls[], \
                    MPI_Datatype sendtype, void *recvbuf, const COUNT recvcounts[], \
                    const PLACE rdispls[], MPI_Datatype recvtype, \
                    MPI_Comm comm MPI_COLL_MORE_##FORM) \
    { \
        struct mpi_coll_plan p = { .call = "MPI_" #NAME MPI_COLL_FORM_##FORM }; \
        struct arguments a; \
        a.send.many = (struct mpi_coll_many){ \
            .vector = true, .buf = sendbuf, .type = sendtype, \
            .counts = MPI_NUMBERS(sendcounts), .displs = MPI_NUMBERS(sdispls) }; \
        a.recv.many = (struct mpi_coll_many){ \
            .vector = true, .buf = recvbuf, .type = recvtype, \
            .counts = MPI_NUMBERS(recvcounts), .displs = MPI_NUMBERS(rdispls) }; \
        return call(&p, &a, comm); \
    } \
    MPI_WEAK_ALIAS(NAME)
MPI_COLL_FORMS(ALLTOALLV, Alltoallv, alltoallv);

int mpi_coll_call_alltoall(struct mpi_coll_plan *p, const struct mpi_coll_many *send,
                           const struct mpi_coll_many *recv, MPI_Comm comm)
{
    struct arguments a;
    a.send.many = *send;
    a.recv.many = *recv;
    return call(p, &a, comm);
}
