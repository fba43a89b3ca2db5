/* All-to-all: every rank sends to all, beginning with its neighbour; a window bounds what is under way at once. */
#include <stdlib.h>

#include "coll/alias.h"
#include "coll/coll.h"
#include "core/err.h"
#include "core/world.h"
#include "mpi/weak_alias.h"

enum { WINDOW = 32 };

struct blocks { char *buf; const int *counts, *displs; int count; size_t unit; };

static size_t bytes_of(const struct blocks *b, int i) { return (size_t)(b->counts ? b->counts[i] : b->count) * b->unit; }

static char *at(const struct blocks *b, int i)
{
    ptrdiff_t element = b->displs ? (ptrdiff_t)b->displs[i] : (ptrdiff_t)i * b->count;
    return b->buf + element * (ptrdiff_t)b->unit;
}

static void window(struct mpi_coll *x, const struct blocks *send, const struct blocks *recv, int first, int end)
{
    struct fw_req *sends[WINDOW], *recvs[WINDOW];
    int n = x->size;
    for (int d = first; d < end; d++) {
        int from = (x->rank - d + n) % n;
        recvs[d - first] = mpi_coll_irecv(x, from, at(recv, from), bytes_of(recv, from));
    }
    for (int d = first; d < end; d++) {
        int to = (x->rank + d) % n;
        sends[d - first] = mpi_coll_isend(x, to, at(send, to), bytes_of(send, to));
    }
    for (int d = first; d < end; d++) {
        mpi_coll_wait(x, recvs[d - first]);
        mpi_coll_wait(x, sends[d - first]);
    }
}

/* In place: the blocks to send move aside first. */
static char *copy_aside(struct mpi_coll *x, struct blocks *send, const struct blocks *recv, int **displs)
{
    size_t sum = 0;
    int next = 0;       /* counts of a legal in-place call fit an int together: displacements do */
    for (int i = 0; i < x->size; i++)
        sum += bytes_of(recv, i);
    char *copy = mpi_coll_memory(x, sum);
    *displs = mpi_coll_memory(x, sizeof **displs * (size_t)x->size);
    if (!copy || !*displs)
        return copy;
    *send = *recv;
    send->buf = copy;
    for (int i = 0; i < x->size; i++) {
        mpi_coll_copy(copy + (size_t)next * recv->unit, at(recv, i), bytes_of(recv, i));
        (*displs)[i] = next;
        next += recv->counts ? recv->counts[i] : recv->count;
    }
    send->displs = *displs;
    return copy;
}

static void run(struct mpi_coll *x, struct blocks *send, const struct blocks *recv, bool in_place)
{
    int *displs = NULL;
    char *copy = in_place ? copy_aside(x, send, recv, &displs) : NULL;
    if (!x->class) {
        size_t out = bytes_of(send, x->rank), in = bytes_of(recv, x->rank);
        mpi_coll_copy(at(recv, x->rank), at(send, x->rank), out < in ? out : in);
        for (int d = 1; d < x->size; d += WINDOW)
            window(x, send, recv, d, d + WINDOW < x->size ? d + WINDOW : x->size);
    }
    mpi_coll_release(x, copy);
    free(displs);
}

static struct mpi_blocks of(const struct blocks *b)
{
    return (struct mpi_blocks){ b->buf, b->counts, b->displs, (size_t)b->count, b->unit };
}

static int check_alias(const char *call, struct mpi_comm *c, const struct blocks *send,
                       const struct blocks *recv)
{
    struct mpi_blocks out = of(send), in = of(recv);
    return mpi_alias_all(call, c, &out, &in);
}

static int check_counts(const char *call, struct mpi_comm *c, const int *counts, const int *displs)
{
    if (!counts || !displs)
        return mpi_err(c, call, MPI_ERR_ARG, "the counts or the displacements are NULL");
    for (int i = 0; i < c->size; i++)
        if (counts[i] < 0)
            return mpi_err(c, call, MPI_ERR_COUNT, "the count for rank %d is %d", i, counts[i]);
    return MPI_SUCCESS;
}

int PMPI_Alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    struct mpi_coll x;
    struct mpi_comm *c;
    const struct mpi_type *st = NULL, *rt;
    MPI_ENTER("MPI_Alltoall");
    int rc = mpi_coll_check_comm("MPI_Alltoall", comm, &c);
    if (!rc && sendbuf != MPI_IN_PLACE)
        rc = mpi_coll_check_data("MPI_Alltoall", c, sendbuf, sendcount, sendtype, &st);
    if (!rc)
        rc = mpi_coll_check_data("MPI_Alltoall", c, recvbuf, recvcount, recvtype, &rt);
    if (rc)
        return rc;
    struct blocks recv = { .buf = recvbuf, .count = recvcount, .unit = mpi_coll_unit(rt) };
    struct blocks send = { .buf = (char *)(uintptr_t)sendbuf, .count = sendcount, .unit = st ? mpi_coll_unit(st) : 0 };
    if ((rc = st ? check_alias("MPI_Alltoall", c, &send, &recv) : MPI_SUCCESS))
        return rc;
    mpi_coll_begin(&x, "MPI_Alltoall", c);
    mpi_coll_sign(&x, MPI_COLL_ALLTOALL, bytes_of(&recv, 0), 0);
    run(&x, &send, &recv, !st);
    return mpi_coll_end(&x);
}
MPI_WEAK_ALIAS(Alltoall);

int PMPI_Alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                   const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm)
{
    struct mpi_coll x;
    struct mpi_comm *c;
    const struct mpi_type *st = NULL, *rt;
    MPI_ENTER("MPI_Alltoallv");
    int rc = mpi_coll_check_comm("MPI_Alltoallv", comm, &c);
    if (!rc && sendbuf != MPI_IN_PLACE)
        rc = check_counts("MPI_Alltoallv", c, sendcounts, sdispls);
    if (!rc && sendbuf != MPI_IN_PLACE)
        rc = mpi_coll_check_data("MPI_Alltoallv", c, sendcounts, 0, sendtype, &st);
    if (!rc)
        rc = check_counts("MPI_Alltoallv", c, recvcounts, rdispls);
    if (!rc)
        rc = mpi_coll_check_data("MPI_Alltoallv", c, recvcounts, 0, recvtype, &rt);
    if (rc)
        return rc;
    struct blocks recv = { .buf = recvbuf, .counts = recvcounts, .displs = rdispls, .unit = mpi_coll_unit(rt) };
    struct blocks send = { .buf = (char *)(uintptr_t)sendbuf, .counts = sendcounts, .displs = sdispls, .unit = st ? mpi_coll_unit(st) : 0 };
    if ((rc = st ? check_alias("MPI_Alltoallv", c, &send, &recv) : MPI_SUCCESS))
        return rc;
    mpi_coll_begin(&x, "MPI_Alltoallv", c);
    mpi_coll_sign(&x, MPI_COLL_ALLTOALL, 0, 1);
    run(&x, &send, &recv, !st);
    return mpi_coll_end(&x);
}
MPI_WEAK_ALIAS(Alltoallv);
