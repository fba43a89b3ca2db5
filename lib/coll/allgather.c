/* All-gather: a ring, or past the cores everybody to one and back (each rank gets the processor twice, not once per step). */
#include <stdlib.h>

#include "coll/alias.h"
#include "coll/coll.h"
#include "core/err.h"
#include "core/world.h"
#include "mpi/weak_alias.h"

enum { CROWDED_BYTES = 32 * 1024 };


static void ring(struct mpi_coll *x, char *buf, const size_t *at, const size_t *bytes)
{
    int n = x->size, next = (x->rank + 1) % n, before = (x->rank + n - 1) % n;
    for (int step = 0; step < n - 1; step++) {
        int out = (x->rank - step + n) % n, in = (x->rank - step - 1 + n) % n;
        mpi_coll_exchange(x, next, buf + at[out], bytes[out], before, buf + at[in], bytes[in]);
    }
}

/* The blocks travel back packed: displacements may differ from rank to rank, and gaps are the user's. */
static void gather_and_return(struct mpi_coll *x, char *buf, const size_t *at, const size_t *bytes, size_t sum)
{
    size_t *packed_at = mpi_coll_memory(x, sizeof *packed_at * (size_t)x->size), next = 0;
    char *packed = mpi_coll_memory(x, sum);
    for (int i = 0; packed && packed_at && i < x->size; i++) {
        packed_at[i] = next;
        next += bytes[i];
    }
    if (packed && packed_at) {
        mpi_coll_gatherv(x, buf + at[x->rank], bytes[x->rank], packed, packed_at, bytes, 0);
        mpi_coll_bcast(x, packed, sum, 0);
        for (int i = 0; i < x->size; i++)
            if (i != x->rank)
                mpi_coll_copy(buf + at[i], packed + packed_at[i], bytes[i]);
    }
    mpi_coll_release(x, packed);
    free(packed_at);
}

void mpi_coll_allgatherv(struct mpi_coll *x, void *buf, const size_t *at, const size_t *bytes)
{
    size_t sum = 0;
    for (int i = 0; i < x->size; i++)
        sum += bytes[i];
    if (x->size == 1)
        return;
    if (x->crowded && sum <= CROWDED_BYTES)
        gather_and_return(x, buf, at, bytes, sum);
    else
        ring(x, buf, at, bytes);
}

struct arguments {
    const char *call;
    const void *sendbuf; void *recvbuf;
    int sendcount, count;
    const int *counts, *displs;
    MPI_Datatype sendtype, recvtype;
};

static int check(const struct arguments *a, struct mpi_comm *c, const struct mpi_type **send, const struct mpi_type **recv)
{
    int rc = a->sendbuf == MPI_IN_PLACE ? MPI_SUCCESS : mpi_coll_check_data(a->call, c, a->sendbuf, a->sendcount, a->sendtype, send);
    if (!rc && a->recvbuf == MPI_IN_PLACE)
        rc = mpi_err(c, a->call, MPI_ERR_BUFFER, "MPI_IN_PLACE stands for the receive buffer");
    if (!rc)
        rc = mpi_coll_check_data(a->call, c, a->counts ? a : a->recvbuf, a->counts ? 0 : a->count, a->recvtype, recv);
    for (int i = 0; !rc && a->counts && i < c->size; i++)
        if (a->counts[i] < 0)
            rc = mpi_err(c, a->call, MPI_ERR_COUNT, "the count for rank %d is %d", i, a->counts[i]);
    if (rc || a->sendbuf == MPI_IN_PLACE)
        return rc;
    struct mpi_blocks blocks = { a->recvbuf, a->counts, a->displs, (size_t)a->count,
                                 mpi_coll_unit(*recv) };
    size_t bytes = (size_t)a->sendcount * mpi_coll_unit(*send);
    return mpi_alias_one(a->call, c, a->sendbuf, bytes, &blocks);
}

static void run(struct mpi_coll *x, const struct arguments *a, const struct mpi_type *send, const struct mpi_type *recv)
{
    size_t unit = mpi_coll_unit(recv), *at = mpi_coll_memory(x, 2 * sizeof *at * (size_t)x->size), *len = at + x->size;
    if (!at)
        return;
    bool vector = a->counts != NULL;
    mpi_coll_sign(x, MPI_COLL_ALLGATHER, vector ? 0 : (size_t)a->count * unit, vector);
    for (int i = 0; i < x->size; i++) {
        len[i] = (size_t)(a->counts ? a->counts[i] : a->count) * unit;
        at[i] = a->counts ? (size_t)((ptrdiff_t)a->displs[i] * (ptrdiff_t)unit) : (size_t)i * len[i];
    }
    if (send)
        mpi_coll_copy((char *)a->recvbuf + at[x->rank], a->sendbuf, (size_t)a->sendcount * mpi_coll_unit(send) < len[x->rank]
                      ? (size_t)a->sendcount * mpi_coll_unit(send) : len[x->rank]);
    mpi_coll_allgatherv(x, a->recvbuf, at, len);
    free(at);
}

static int call(const struct arguments *a, MPI_Comm comm)
{
    struct mpi_coll x;
    struct mpi_comm *c;
    const struct mpi_type *send = NULL, *recv;
    int rc = mpi_coll_check_comm(a->call, comm, &c);
    if (!rc)
        rc = check(a, c, &send, &recv);
    if (rc)
        return rc;
    mpi_coll_begin(&x, a->call, c);
    run(&x, a, send, recv);
    return mpi_coll_end(&x);
}

int PMPI_Allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    MPI_ENTER("MPI_Allgather");
    return call(&(struct arguments){ .call = "MPI_Allgather", .sendbuf = sendbuf, .sendcount = sendcount, .sendtype = sendtype, .recvbuf = recvbuf,
                                     .count = recvcount, .recvtype = recvtype }, comm);
}
MPI_WEAK_ALIAS(Allgather);

int PMPI_Allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[],
                    MPI_Datatype recvtype, MPI_Comm comm)
{
    MPI_ENTER("MPI_Allgatherv");
    if (!recvcounts || !displs)
        return mpi_err(mpi_comm_get(comm), "MPI_Allgatherv", MPI_ERR_ARG, "the counts or the displacements are NULL");
    return call(&(struct arguments){ .call = "MPI_Allgatherv", .sendbuf = sendbuf, .sendcount = sendcount, .sendtype = sendtype, .recvbuf = recvbuf,
                                     .counts = recvcounts, .displs = displs, .recvtype = recvtype }, comm);
}
MPI_WEAK_ALIAS(Allgatherv);
