/* Gather and scatter: the root exchanges with everybody directly; on one machine no intermediate rank is faster. */
#include <stdlib.h>

#include "coll/alias.h"
#include "coll/coll.h"
#include "core/err.h"
#include "core/world.h"
#include "mpi/weak_alias.h"

/* Arrays of offsets and lengths in bytes from MPI's counts and displacements; displs NULL: packed one after the other, counts NULL: all `count`. */
static size_t *layout(struct mpi_coll *x, const int *counts, int count, const int *displs, size_t unit)
{
    size_t *at = mpi_coll_memory(x, 2 * sizeof *at * (size_t)x->size), *len = at + x->size, next = 0;
    for (int i = 0; at && i < x->size; i++) {
        len[i] = (size_t)(counts ? counts[i] : count) * unit;
        at[i] = displs ? (size_t)((ptrdiff_t)displs[i] * (ptrdiff_t)unit) : next;
        next += len[i];
    }
    return at;
}

/* Waits for all; a long list of requests, so in memory of its own. */
static void wait_all(struct mpi_coll *x, struct fw_req **requests)
{
    for (int i = 0; i < x->size; i++)
        mpi_coll_wait(x, requests[i]);
    free(requests);
}

static struct fw_req **request_list(struct mpi_coll *x)
{
    struct fw_req **list = mpi_coll_memory(x, sizeof *list * (size_t)x->size);
    for (int i = 0; list && i < x->size; i++)
        list[i] = NULL;
    return list;
}

void mpi_coll_gatherv(struct mpi_coll *x, const void *sendbuf, size_t sendbytes, void *recvbuf, const size_t *at, const size_t *bytes, int root)
{
    if (x->rank != root) {
        mpi_coll_send(x, root, sendbuf, sendbytes);
        return;
    }
    struct fw_req **requests = request_list(x);
    if (!requests)
        return;
    for (int i = 0; i < x->size; i++)
        if (i != root)
            requests[i] = mpi_coll_irecv(x, i, (char *)recvbuf + at[i], bytes[i]);
    if (sendbuf != MPI_IN_PLACE)
        mpi_coll_copy((char *)recvbuf + at[root], sendbuf, sendbytes < bytes[root] ? sendbytes : bytes[root]);
    wait_all(x, requests);
}

void mpi_coll_scatterv(struct mpi_coll *x, const void *sendbuf, const size_t *at, const size_t *bytes, void *recvbuf, size_t recvbytes, int root)
{
    if (x->rank != root) {
        mpi_coll_recv(x, root, recvbuf, recvbytes);
        return;
    }
    struct fw_req **requests = request_list(x);
    if (!requests)
        return;
    for (int i = 0; i < x->size; i++)
        if (i != root)
            requests[i] = mpi_coll_isend(x, i, (const char *)sendbuf + at[i], bytes[i]);
    if (recvbuf != MPI_IN_PLACE)
        mpi_coll_copy(recvbuf, (const char *)sendbuf + at[root], bytes[root] < recvbytes ? bytes[root] : recvbytes);
    wait_all(x, requests);
}

/* -- the calls.  `many` is the side with a block per rank. */

static int check_counts(const char *call, struct mpi_comm *c, const int *counts)
{
    for (int i = 0; counts && i < c->size; i++)
        if (counts[i] < 0)
            return mpi_err(c, call, MPI_ERR_COUNT, "the count for rank %d is %d", i, counts[i]);
    return MPI_SUCCESS;
}

struct arguments {
    const char *call;
    bool gather, vector;
    const void *one; void *many;        /* this rank's block; the root's blocks */
    int one_count, count;
    const int *counts, *displs;
    MPI_Datatype one_type, many_type;
    int root;
};

/* At the root, whose own block is `one`. */
static int check_alias(const struct arguments *a, struct mpi_comm *c, const struct mpi_type *one,
                       const struct mpi_type *many)
{
    struct mpi_blocks blocks = { a->many, a->counts, a->displs, (size_t)a->count,
                                 mpi_coll_unit(many) };
    return mpi_alias_one(a->call, c, a->one, (size_t)a->one_count * mpi_coll_unit(one), &blocks);
}

static int check(const struct arguments *a, struct mpi_comm *c, const struct mpi_type **one, const struct mpi_type **many)
{
    bool root = c->rank == a->root;
    int rc = mpi_coll_check_root(a->call, c, a->root);
    if (!rc && root && a->many == MPI_IN_PLACE)
        rc = mpi_err(c, a->call, MPI_ERR_BUFFER, "MPI_IN_PLACE stands for the root's own block, not for all of them");
    if (!rc && root && a->vector && (!a->counts || !a->displs))
        rc = mpi_err(c, a->call, MPI_ERR_ARG, "the counts or the displacements are NULL");
    if (!rc && root && a->vector)
        rc = check_counts(a->call, c, a->counts);
    if (!rc && root)
        rc = mpi_coll_check_data(a->call, c, a->vector ? a : a->many, a->vector ? 0 : a->count, a->many_type, many);
    if (!rc && !root && a->one == MPI_IN_PLACE)
        rc = mpi_err(c, a->call, MPI_ERR_BUFFER, "MPI_IN_PLACE is for the root, which is %d", a->root);
    if (!rc && a->one != MPI_IN_PLACE)
        rc = mpi_coll_check_data(a->call, c, a->one, a->one_count, a->one_type, one);
    return rc || !root || a->one == MPI_IN_PLACE ? rc : check_alias(a, c, *one, *many);
}

static void run(struct mpi_coll *x, const struct arguments *a, const struct mpi_type *one, const struct mpi_type *many)
{
    size_t bytes = one ? (size_t)a->one_count * mpi_coll_unit(one) : 0;
    size_t *at = many ? layout(x, a->counts, a->count, a->displs, mpi_coll_unit(many)) : NULL, *len = at ? at + x->size : NULL;
    enum mpi_coll_kind kind = a->gather ? a->vector ? MPI_COLL_GATHERV : MPI_COLL_GATHER : a->vector ? MPI_COLL_SCATTERV : MPI_COLL_SCATTER;
    mpi_coll_sign(x, kind, a->vector ? 0 : many ? (size_t)a->count * mpi_coll_unit(many) : bytes, a->root);
    if (!x->class && a->gather)
        mpi_coll_gatherv(x, a->one, bytes, a->many, at, len, a->root);
    else if (!x->class)
        mpi_coll_scatterv(x, a->many, at, len, (void *)(uintptr_t)a->one, bytes, a->root);
    free(at);
}

static int call(const struct arguments *a, MPI_Comm comm)
{
    struct mpi_coll x;
    struct mpi_comm *c;
    const struct mpi_type *one = NULL, *many = NULL;
    int rc = mpi_coll_check_comm(a->call, comm, &c);
    if (!rc)
        rc = check(a, c, &one, &many);
    if (rc)
        return rc;
    mpi_coll_begin(&x, a->call, c);
    run(&x, a, one, many);
    return mpi_coll_end(&x);
}

int PMPI_Gather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    MPI_ENTER("MPI_Gather");
    return call(&(struct arguments){ .call = "MPI_Gather", .gather = true, .one = sendbuf, .one_count = sendcount, .one_type = sendtype,
                                     .many = recvbuf, .count = recvcount, .many_type = recvtype, .root = root }, comm);
}
MPI_WEAK_ALIAS(Gather);

int PMPI_Gatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[],
                 MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    MPI_ENTER("MPI_Gatherv");
    return call(&(struct arguments){ .call = "MPI_Gatherv", .gather = true, .vector = true, .one = sendbuf, .one_count = sendcount, .one_type = sendtype,
                                     .many = recvbuf, .counts = recvcounts, .displs = displs, .many_type = recvtype, .root = root }, comm);
}
MPI_WEAK_ALIAS(Gatherv);

int PMPI_Scatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    MPI_ENTER("MPI_Scatter");
    return call(&(struct arguments){ .call = "MPI_Scatter", .one = recvbuf, .one_count = recvcount, .one_type = recvtype,
                                     .many = (void *)(uintptr_t)sendbuf, .count = sendcount, .many_type = sendtype, .root = root }, comm);
}
MPI_WEAK_ALIAS(Scatter);

int PMPI_Scatterv(const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void *recvbuf, int recvcount,
                  MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    MPI_ENTER("MPI_Scatterv");
    return call(&(struct arguments){ .call = "MPI_Scatterv", .vector = true, .one = recvbuf, .one_count = recvcount, .one_type = recvtype,
                                     .many = (void *)(uintptr_t)sendbuf, .counts = sendcounts, .displs = displs, .many_type = sendtype, .root = root }, comm);
}
MPI_WEAK_ALIAS(Scatterv);
